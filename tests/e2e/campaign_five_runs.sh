. "$TESTS/e2e/lib"
datagen d $tiny
campaign="--data-dir d $tiny --warmup 1 --runs 5 --odirect --quiet
	--param train.epochs=1 --results-dir results --systemname box --orgname me"
leaves=results/whatif/me/results/box/training/unet3d/run
expect 0 stoker training run $campaign -p train.computation_time=50ms
said "reference AU (the rule's figure): PASS: 5 of 5 runs at AU >= 90 %, lowest"
said "mean of the counted runs: AU"
[ "$(grep -c '^warm-up ' last.out)" = 1 ] || fail "no row of the warm-up"
[ "$(grep -c '^[1-5] .* pass' last.out)" = 5 ] || fail "not five rows"
# runs of less than a second still get a folder each, in their order
[ "$(ls $leaves | grep -cx '[0-9]\{8\}_[0-9]\{6\}')" = 6 ] ||
	fail "folders: $(ls $leaves)"
[ "$(jq -r .start $leaves/*/summary.json)" = \
	"$(jq -r .start $leaves/*/summary.json | sort)" ] || fail "order"
[ -z "$(find results -name '.*')" ] || fail "hidden files left"
said "$leaves/$(ls $leaves | head -n 1)"
expect 1 stoker training run $campaign --json --limit-read 10MB/s \
	-p train.computation_time=5ms
holds '.campaign.reference == "FAIL" and .campaign.runs_rule == 5
	and (.campaign.reason | startswith("run 1: AU "))
	and [.runs[].warmup] == [true, false, false, false, false, false]'
[ "$(ls $leaves | wc -l)" = 12 ] || fail "second campaign: $(ls $leaves)"
# fewer than five: each run is judged, the rule is not
expect 0 stoker training run --data-dir d $tiny --odirect --json --runs 2 \
	--quiet --param train.epochs=1 -p train.computation_time=50ms
holds '.campaign.reference == "NOT EVALUATED"
	and (.campaign.reason | contains("the rule needs 5 measured runs"))'
