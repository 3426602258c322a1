# HDF5 on a file system without locks: the error names the remedy, which works;
# all other files of the run are kept: h5py/h5py#1101.
. "$TESTS/e2e/lib"
small="--drive null -p dataset.num_files_train=70 --quiet"
"$TOOLS/deny" locks true || skip "no seccomp"
expect 3 "$TOOLS/deny" locks "$STOKER" training run $small --results-dir r
said "the filesystem does not support locks; set HDF5_USE_FILE_LOCKING=FALSE"
said "the run itself finished, but one of its files could not be written"
unsaid "HDF5-DIAG"
leaf=$(find r -name '2*' -type d)
said "all other files of the run are in $leaf"
[ -s "$leaf/summary.json" ] || fail "summary.json was not kept"
[ ! -e "$leaf/trace.h5" ] || fail "a trace that is none"
# such a run counts, and the campaign ends with it: the remedy is the same for
# all that would follow
datagen d $tiny
expect 3 "$TOOLS/deny" locks "$STOKER" training run --quiet --json --runs 3 \
	--data-dir d $tiny -p train.epochs=1 --computation-time 5ms --results-dir r3
holds '.status == "failed" and .exit_code == 3 and (.error | contains("trace.h5"))
	and [.runs[].status] == ["finished"] and (.runs[0].leaf | startswith("r3/"))'
expect 0 stoker history --results-dir r3 --json
holds '(.runs | length) == 1 and .broken == []'
expect 0 env HDF5_USE_FILE_LOCKING=FALSE "$TOOLS/deny" locks "$STOKER" \
	training run $small --results-dir r2
[ -s "$(find r2 -name trace.h5)" ] || fail "no trace"
