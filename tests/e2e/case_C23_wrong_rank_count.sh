# One process where four accelerators were asked for: mlcommons/storage#196.
. "$TESTS/e2e/lib"
expect 2 mpi -n 1 "$STOKER" training run --data-dir . \
	--accelerators 4
grep -qx "stoker: asked for 4 accelerators, MPI started 1 rank; use mpirun -n 4" \
	last.err || fail "the text is another: $(head -n 1 last.err)"
expect 2 mpi -n 2 "$STOKER" training run \
	--data-dir . --num-accelerators 1
said "asked for 1 accelerators, MPI started 2 ranks; use mpirun -n 1"
[ "$(grep -c "asked for" last.err)" = 1 ] || fail "told more than once"
