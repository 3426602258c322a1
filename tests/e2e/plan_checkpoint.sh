# How often to save: from a model and a drive, from rates, from a result; what
# makes no sense is refused.
. "$TESTS/e2e/lib"
plan() { # CODE OPTION...
	local code=$1
	shift
	expect "$code" stoker plan checkpoint "$@"
}
# 5682508791808 bytes over 24 x 9.3 GB/s; 5 min and the load over 24 x 14.5
plan 0 --model llama3-405b --drive "24x d7-ps1010" --mtbf 3.09h \
	--restart-time 5min --json
holds '(.save_seconds - 5682508791808 / 223.2e9 | fabs) < 1e-6'
holds '(.restart_seconds - 300 - 5682508791808 / 348e9 | fabs) < 1e-6'
# 95 GiB/s for 10 %: 11 drives of 9.3 GB/s
holds '.targets[0] | (.gib_per_second | round) == 95 and .drives == 11'
holds '[.curve[].lost_percent] | min == .[10]'
plan 0 --model llama3-405b --drive "24x d7-ps1010" --mtbf 3.09h
head -n 1 last.out | grep -q '^save every 12.* min (Daly)' || fail "no sentence"
# Daly's own: saves of 5 min, a failure a day: 117 min
plan 0 --size 100GB --save-time 5min --mtbf 24h --json
holds '.rules[] | select(.rule == "daly") | .interval_seconds / 60 | round == 117'
# 100,000 accelerators of 50,000 h each: half an hour
plan 0 -m llama3-1t -n 2048 --checkpoint-mode default --save-rate 1TB/s \
	--load-rate 2TB/s --accelerators 100000 --target-loss 10 --json
holds '.mtbf_seconds == 1800 and (.targets | length) == 1'
plan 0 --size 1TB --save-rate 100GB/s --accelerators 1000 --detection-time 2h \
	--accelerator-mtbf 10000h --load-time 20 --json
holds '.mtbf_seconds == 36000 and .rules[0].interval_seconds == 7200
	and .restart_seconds == 20'
plan 0 --size 1TB --save-rate 10GB/s --mtbf 1h --asynchronous --copy-time 2s \
	--csv --curve
grep -q '^rule,daly,' last.out || fail "no csv"
plan 0 --size 1TB --save-rate 10GB/s --mtbf 1h --curve --config-dir .
[ "$(grep -c '%\|min\|h ' last.out)" -gt 20 ] || fail "no curve"
# a save that takes twice the time between failures
plan 0 --size 1TB --save-time 20min --mtbf 9min
head -n 1 last.out | grep -q 'no progress' || fail "progress?"
# the times of a run
expect 0 stoker checkpointing run --drive constant:10GB/s --model llama3-8b \
	--results-dir r --quiet --num-checkpoints-write 1 --num-checkpoints-read 1
dir=$(dirname "$(find r -name summary.json)")
plan 0 --result "$dir" --mtbf 1h --json
holds '(.save_seconds - $s | fabs) < 1e-9' --argjson s \
	"$(jq .metric.save_checkpoint_duration_mean_seconds "$dir/summary.json")"
holds '(.checkpoint_bytes - 112425623552 | fabs) < 1'
for bad in "" "--mtbf 1h" "--size 1GB --mtbf 1h" "--size 0 --mtbf 1h --save-time 1" \
	"--size 1GB --save-time 1" "--size 1GB --save-time 0 --mtbf 1h" \
	"--size 1GB --save-time 1 --mtbf 0" "--size 1GB --save-time 1 --mtbf -1" \
	"--size 1GB --save-time 1 --save-rate 1GB/s --mtbf 1h" \
	"--size 1GB --save-time 1 --drive pe511 --mtbf 1h" \
	"--size 1GB --model llama3-8b --save-time 1 --mtbf 1h" \
	"--size 1GB --save-time 1 --mtbf 1h --accelerators 3" \
	"--size 1GB --save-time 1 --mtbf 1h --target-loss 0" \
	"--size 1GB --save-time 1 --mtbf 1h --target-loss 100" \
	"--size 1GB --save-time 1 --mtbf 1h --target-loss a" \
	"--size 1GB --save-time 1 --mtbf 1h --asynchronous" \
	"--size 1GB --save-time 1 --mtbf 1h --copy-time 1" \
	"--size 1GB --save-time 1 --mtbf 1h --asynchronous --copy-time 2" \
	"--size 1GB --save-time 1 --mtbf 1h --json --csv" \
	"--model llama3-1t --drive d7-ps1010 --mtbf 1h" \
	"--result /nowhere --mtbf 1h"; do
	expect "[24]" stoker plan checkpoint $bad
done
said /nowhere
plan 2 --model llama3-1t --drive d7-ps1010 --mtbf 1h
said '3x d7-ps1010'
