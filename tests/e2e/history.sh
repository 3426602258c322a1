# stoker history: finished runs, their campaigns, and what cannot be read.
. "$TESTS/e2e/lib"
expect 2 stoker history
said "history needs --results-dir"
expect 2 stoker history --results-dir nowhere
said "--results-dir nowhere: No such file"
mkdir results
expect 0 stoker history --results-dir results
said "no finished run"
small="-p dataset.num_files_train=280 --results-dir results"
datagen d $tiny
run '[01]' --data-dir d $tiny --results-dir results --runs 2 \
	-p train.computation_time=50ms
# virtual time goes on from now, and from where the folder's last run ended
run 0 --drive null $small
run 1 --drive constant:1GB/s,80us $small -g h100 --odirect
run 0 --drive null $small --runs 5 --warmup 1 --systemname other -n 2
expect 0 stoker history -r results
[ "$(grep -cE '^[0-9]{8}_[0-9]{6} whatif' last.out)" = 10 ] ||
	fail "runs: $(cat last.out)"
grep -qE 'whatif +unet3d +b200 +1 1 +100.000 +100.000 PASS null$' last.out ||
	fail "null drive"
grep -qE 'unet3d +h100 +1 1 .* FAIL constant:1GB/s,80us$' last.out || fail "h100"
grep -qE 'unet3d +b200 +2 ' last.out || fail "N"
grep -qE '  campaign 1: 2 runs, NOT EVALUATED: the rule needs 5' last.out ||
	fail "campaign: $(cat last.out)"
tail -n 2 last.out | head -n 1 | grep -qE ' 5 .* null$' || fail "newest last"
expect 0 stoker history --results-dir results --json
holds '(.runs | length) == 10 and (.broken | length) == 0
	and [.runs[].campaign] == [1, 1, 2, 3, 4, 4, 4, 4, 4, 4]
	and [.campaigns[].reference] ==
		["NOT EVALUATED", "PASS", "FAIL", "PASS"]
	and (.runs[3].au_mean_pct < 90) and .runs[2].meets
	and all(.runs[]; .start_ns < .end_ns and .tool_version != "")'
# the reference's own folder has no record.json; model and division by its path
dir=results/closed/acme/results/box/training/unet3d/run
leaf=$(ls -d results/whatif/local/results/other/training/unet3d/run/2* |
	head -n 1)
mkdir -p $dir
cp -r $leaf $dir/20260101_120000
rm $dir/20260101_120000/record.json
# and folders that are no results
b=results/whatif/local/results/broken/training/unet3d/run
for i in 1 2 3 4 5; do
	mkdir -p $b/20260101_00000$i
done
echo 'no json' >$b/20260101_000001/record.json
: >$b/20260101_000002/record.json
jq 'del(.config.files)' $leaf/record.json >$b/20260101_000003/record.json
head -c 3000 $leaf/record.json >$b/20260101_000004/record.json
mkdir $b/20260101_000005/record.json
ln -s ../../.. results/loop
mkdir -p ${b%/run}/datagen ${b%/run}/datasize
cp -r $leaf ${b%/run}/datagen
cp -r $leaf ${b%/run}/datasize
mkdir results/.hidden && cp $leaf/record.json results/.hidden
expect 0 stoker history --results-dir results --json
holds '(.runs | length) == 11 and (.broken | length) == 5
	and any(.runs[]; .division == "closed" and .model == "unet3d"
		and .tool_version == "" and .accelerators == 2 and .meets)'
grep -q '20260101_000003 is left out: .*"files" is missing' last.err ||
	fail "why: $(cat last.err)"
expect 0 stoker history --results-dir results
grep -qE '^20260101_120000 closed +unet3d +\? +2 \? +100.000 ' last.out ||
	fail "foreign: $(cat last.out)"
