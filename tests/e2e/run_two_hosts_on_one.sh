# $STOKER_RANKS_PER_HOST cuts this machine into several, which exercises what
# happens between hosts; also mlcommons/storage#669: each host's memory is
# counted once.
. "$TESTS/e2e/lib"
datagen d $scaled
export STOKER_RANKS_PER_HOST=2
for how in "" --no-futex "--engine pread"; do
	run [01] --data-dir d --scale 1/64 -n 4 --param train.epochs=3 $how \
		--results-dir results
	holds '([.hosts[].ranks] == [2, 2]) and ([.hosts[].memory_bytes] | all(. == $m))
		and ([.runs[0].ranks[].host] == [0, 0, 1, 1])
		and ([.runs[0].ranks[].epochs[].samples_read] | all(. == 14))' \
		--argjson m $(($(awk '/MemTotal/ {print $2}' /proc/meminfo) * 1024))
done
jq -e '.num_hosts == 2 and (.host_memory_GB | length) == 2' \
	results/whatif/local/results/*/training/unet3d/run/*/summary.json \
	>/dev/null || fail "summary.json"
# one rank fails on bad data: all leave, the cause is told once
printf '\377' | dd of=d/unet3d/train/img_20_of_56.npz bs=1 seek=100000 \
	conv=notrunc status=none
printf '\000' | dd of=d/unet3d/train/img_20_of_56.npz bs=1 seek=100001 \
	conv=notrunc status=none
for cut in 2 1 4; do
	export STOKER_RANKS_PER_HOST=$cut
	expect 4 timeout 20 "$STOKER" training run --data-dir d --scale 1/64 \
		--num-accelerators 4 --verify --quiet
	said "img_20_of_56.npz differs from what was generated at byte 10000"
	[ "$(grep -c differs last.err)" = 1 ] || fail "told more than once"
	no_leftovers
done
