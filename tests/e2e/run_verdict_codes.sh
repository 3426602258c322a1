# The verdict is the exit code, on a drive slowed down on purpose.
. "$TESTS/e2e/lib"
datagen d $scaled
small="--data-dir d --scale 1/64 --param train.epochs=2 --odirect"
datagen tiny $tiny
run 0 --data-dir tiny $tiny -p train.computation_time=100ms -p train.epochs=2 \
	--client-host-memory-in-gb 1
holds '.exit_code == 0 and .runs[0].metrics.meets_exact
	and .runs[0].metrics.au_mean_pct > 90'
run 1 $small --limit-read 200MB/s
holds '.exit_code == 1 and (.runs[0].metrics.meets_exact | not)
	and .runs[0].metrics.au_mean_pct < 20
	and ([.notes[].id] | index("limit-read"))'
# 126 MiB at 200 MB/s are 0.66 s an epoch: it is slowed to what was asked
holds '[.runs[0].ranks[0].epochs[] | (.block_end_ns - .block_ns) / 1e9]
	| all(. > 0.6 and . < 5)'
# shared by the ranks of a host
run 1 $small --limit-read 200MB/s --accelerators 2
holds '[.runs[0].ranks[].epochs[] | (.block_end_ns - .block_ns) / 1e9]
	| all(. > 0.6 and . < 5)'
expect 1 stoker training run $small --limit-read 200MB/s --quiet
said "reference AU (the rule's figure): FAIL in 0 of 1 run"
said "note: reads are slowed to 200.0 MB/s on purpose"
said "not CLOSED: --limit-read slows the drive"
# the head start may pass what the drive cannot keep up: --verdict chooses
virtual="--drive constant:5.9GB/s --param dataset.num_files_train=126
	--param train.epochs=1"
expect 0 stoker training run --quiet $virtual --verdict reference
expect 0 stoker training run --quiet --drive constant:14GB/s --verdict steady
expect 1 stoker training run --quiet --drive constant:5GB/s --verdict steady
head -n 2 last.out | grep -q "^steady AU.*FAIL" || fail "steady is not first"
expect 2 stoker training run --drive null --verdict loose
