# Elapsed times of two ranks are times, not clock readings: hpc/ior#528.
. "$TESTS/e2e/lib"
datagen d $scaled
run [01] --data-dir d --scale 1/64 -n 2 --odirect -p train.computation_time=100ms \
	-p train.epochs=2
# 2 epochs of 4 steps of 0.1 s
holds '.runs[0] | (.end_ns - .start_ns) / 1e9 | . >= 0.8 and . < 10'
holds '[.runs[0].ranks[].epochs[] | (.block_end_ns - .block_ns) / 1e9]
	| length == 4 and all(. >= 0.4 and . < 5)'
holds '.runs[0].ranks[] | .epochs[0].end_ns <= .epochs[1].start_ns'
holds '(.wall_anchor_ns / 1e9 - now) | fabs < 60'
holds '.virtual_time == false and .config.clock == "real"'
