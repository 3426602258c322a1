. "$TESTS/e2e/lib"
for time in 0.05 50ms 50000us; do
	run 0 --drive null -p dataset.num_files_train=70 -p train.epochs=1 \
		--computation-time $time
	holds '.config.computation_ns == 50000000 and .virtual_time
		and ([.notes[].text] | index("--computation-time is not the profile'\''s"))'
	# 10 steps of 50 ms in virtual time, to the nanosecond
	holds '.runs[0].ranks[0].epochs[0] | .block_end_ns - .block_ns == 500000000'
done
run 0 --drive null -p dataset.num_files_train=70 \
	--param train.computation_time=0.25
holds '.config.computation_ns == 250000000'
# --scale divides it like the profile's own, for the same GB/s
run 0 --drive null -p dataset.num_files_train=70 --computation-time 320ms \
	--scale 1/32
holds '.config.computation_ns == 10000000'
expect 2 stoker training run --drive null --computation-time -1s
expect 2 stoker training run --drive null --computation-time soon
