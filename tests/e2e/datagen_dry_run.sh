. "$TESTS/e2e/lib"
expect 0 stoker training datagen --data-dir d $scaled --dry-run
said "dry run: nothing is written"
said "would write 56 files, 126 MiB"
said "not CLOSED: --scale 1/64"
said "free: "
[ ! -e d ] || fail "something was written"
# what was asked for with MPI is checked by every rank, told once
expect 2 mpi -n 2 "$STOKER" training datagen --data-dir d $scaled --num-processes 3
said "asked for 3 processes, MPI started 2 ranks; use mpirun -n 3"
[ "$(grep -c "asked for 3" last.err)" = 1 ] || fail "told more than once"
expect 0 mpi -n 2 "$STOKER" training datagen --quiet --json --data-dir d $scaled
holds '.files_written == 56'
[ "$(jq .layout.datagen_ranks d/unet3d/stoker-manifest.json)" = 2 ] ||
	fail "2 processes are not in the manifest"
