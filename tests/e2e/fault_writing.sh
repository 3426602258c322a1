# Writing that fails on the way: no room though there seemed to be some, a sync
# that fails. Half files go, finished ones stay, the same command continues.
. "$TESTS/e2e/lib"
"$TOOLS/deny" room true || skip "no seccomp filters here"
set="-p dataset.num_files_train=12 -p dataset.record_length_bytes=3MiB
	-p dataset.record_length_bytes_stdev=0 --engine pread --json"
no_halves() {
	[ -z "$(find d -name '*.part' -o -name '*.tmp')" ] ||
		fail "left: $(find d -name '*.part' -o -name '*.tmp')"
}
# (one process: the filter would take MPI's own files away, too; several are
# case_C27_no_space's)
for how in "" "--buffered"; do
	rm -rf d
	expect 4 "$TOOLS/deny" room "$STOKER" training datagen --data-dir d $set $how
	said "writing d/unet3d/train/img_"
	said ".npz.part: No space left on device"
	holds '.status == "failed" and .exit_code == 4
		and (has("files_written") | not)'
	no_halves
	no_leftovers
	expect 4 "$TOOLS/deny" sync "$STOKER" training datagen --data-dir d $set $how
	said "cannot fsync d/unet3d/stoker-manifest.json.tmp: Input/output error"
	holds '.status == "failed"'
	no_halves
	# and the set is not taken for a complete one
	run 2 --data-dir d $set
	said "is not complete"
	expect 0 stoker training datagen --data-dir d $set $how
	holds '.status == "finished" and .files == 12'
done
