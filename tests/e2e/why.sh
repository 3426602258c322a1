# stoker why: a run that is slowed on purpose names what slows it, at once and
# later from its folder; what it says would help is what helps.
. "$TESTS/e2e/lib"
datagen d $scaled
slow="--odirect --data-dir d --results-dir r $scaled -p train.epochs=2 --quiet"
# 8 batches of 16 MB: 100 MB/s feed 1 of the 60 batches a second that B200 takes
expect 1 stoker training run $slow --limit-read 100MB/s
grep -qE '^limit: limit-read, 0\.[01][0-9] GB/s of the [56]\.[0-9]+ needed; stoker why r/.* tells more$' \
	last.out || fail "line: $(tail -n 2 last.out)"
leaf=$(ls -d r/whatif/local/results/*/training/unet3d/run/2*)
expect 0 stoker why "$leaf"
head -n 1 last.out | grep -q '^limit: limit-read: waiting for storage ' ||
	fail "first line: $(head -n 1 last.out)"
said "rank 0"
said "2 accelerators"
said "run again: AU"
expect 0 stoker why r --json
holds '.why | .limit == "limit-read" and .sure and (.meets | not)
	and .leaf == $leaf and (.ranks | length) == 1
	and .mean.storage_pct > 50 and .busy_gb_per_s < 0.15
	and (.mean | .compute_pct + .storage_pct + .barrier_pct
		+ .software_pct - 100 | fabs) < 0.001
	and any(.answers[]; .with == "read_threads 8")' --arg leaf "$leaf"
# what the drive could do without it, from a profile
cat >p.json <<-END
	{"name": "mine", "model": "a drive", "media": "TLC",
	 "interface": "PCIe Gen5 x4", "capacity_gb": 1000,
	 "sequential_read_gb_per_s": 14, "sequential_write_gb_per_s": 5,
	 "random_read_kiops": 2000, "random_write_kiops": 300,
	 "read_latency_us": 60, "write_latency_us": 10}
END
expect 0 stoker why r --profile ./p.json --json
holds '.why | .model | startswith("profile mine, 14.00")'
holds '.why.answers[0] | .with == "no --limit-read" and .au_percent > 90
	and .meets'
expect 0 stoker why r --profile generic-gen5-tlc --config-dir .
# two ranks under mpirun, with the explanation behind the report
expect '[01]' stoker training run $slow -n 2 --why --in-process
said "slowest"
said "1 accelerator "
run 1 --drive constant:10GB/s,80us -n 2 --odirect --why \
	-p dataset.num_files_train=1400
# 10 of the 11.3 GB/s; N = 1 fits, N = 3 does not
holds '.why | .limit == "drive" and .error_points < 1 and (.rough | not)
	and (.busy_gb_per_s - 10 | fabs) < 0.01
	and .needed_gb_per_s > 11 and .floor_gb_per_s > 11
	and .answers[0].with == "1 accelerator" and .answers[0].meets
	and .answers[1].with == "3 accelerators" and (.answers[1].meets | not)'
# nothing to complain about: no line, no object
run 0 --drive null -p dataset.num_files_train=280
holds 'has("why") | not'
expect 0 stoker training run --drive null --quiet -p dataset.num_files_train=280
unsaid "limit:"
# what cannot be explained
expect 2 stoker why
said "why needs the folder of a run"
expect 2 stoker why nowhere
mkdir empty
expect 2 stoker why empty
said "no finished run of stoker in it"
expect 2 stoker why r --profile nothing
jq '.runs[0].ranks[0].epochs[0].load_ns[3] = -1' "$leaf/record.json" >x.json
mkdir bad && mv x.json bad/record.json
expect 4 stoker why bad
said '"load_ns" is missing or not what a record holds'
jq 'del(.runs[0].ranks)' "$leaf/record.json" >bad/record.json
expect 4 stoker why bad
said '"ranks"'
jq '.runs[0].ranks[0].epochs[1].steps = 99' "$leaf/record.json" >bad/record.json
expect 4 stoker why bad
jq '.step_times = false' "$leaf/record.json" >bad/record.json
expect 0 stoker why bad
said "the record has no step times"
