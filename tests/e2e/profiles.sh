# The workloads and what they demand, as published.
. "$TESTS/e2e/lib"
expect 0 stoker training profiles --json
holds 'map({key: (.model + "/" + .accelerator), value: .}) | from_entries
	| ."unet3d/b200" == ."unet3d/b200" + {batch_size: 7,
		computation_time_ns: 162000000, record_length_bytes: 146600628,
		num_files_train: 7200, epochs: 5, au_floor_pct: 90, runnable: true}
	and (."unet3d/b200".demand_mib_per_s * 10 | round) == 60411
	and (."unet3d/h100".demand_mib_per_s * 10 | round) == 30299
	and (."retinanet/mi355".demand_mib_per_s * 10 | round) == 1555
	and ."unet3d/mi355" == null'
expect 0 stoker training profiles
grep -q "^unet3d *b200 *7 *162 ms *4 npz *146600628 " last.out || fail "text"
grep -q "^dlrm *b200 .* [a-z]" last.out || fail "no reason why dlrm cannot run"
