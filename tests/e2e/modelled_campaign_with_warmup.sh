# On a modelled drive one run stands for the warm-up and for all others, unless
# results are written: then each run is simulated for itself.
. "$TESTS/e2e/lib"
modelled="--drive constant:14GB/s,80us --runs 5 --warmup 1
	-p dataset.num_files_train=700"
# shellcheck disable=SC2086
run 0 $modelled
holds '.campaign.reference == "PASS" and .campaign.stands_for_all
	and .campaign.au_mean_pct > 99 and (.runs | length) == 1'
# shellcheck disable=SC2086
run 0 $modelled --each-run
holds '.campaign.reference == "PASS" and (.campaign.stands_for_all | not)
	and [.runs[].warmup] == [true, false, false, false, false, false]
	and ([.notes[] | select(.id == "each-run")] | length) == 1'
# shellcheck disable=SC2086
expect 2 stoker training run $modelled --each-run --clock real
said "--each-run goes with --drive in virtual time"
# six folders; each run begins in the instant in which the one before it ends
mkdir results
# shellcheck disable=SC2086
run 0 $modelled --results-dir results --client-host-memory-in-gb 32
holds '(.runs | length) == 6 and (.campaign.stands_for_all | not)'
leaves=$(find results -name summary.json | sort)
[ "$(wc -l <<<"$leaves")" = 6 ] || fail "leaves: $leaves"
# shellcheck disable=SC2086
jq -es '[.[1:], .[:-1]] | transpose | all(.[0].start == .[1].end)' \
	$leaves >/dev/null || fail "$(jq -c '[.start, .end]' $leaves)"
# the memory is the client's that was said, and nothing of this machine's is
# said with it
# shellcheck disable=SC2086
jq -es 'all(.host_memory_GB == [32] and .host_meminfo == {})' $leaves \
	>/dev/null || fail "$(jq -c '[.host_memory_GB, .host_meminfo]' $leaves)"
expect 0 stoker history --results-dir results --json
holds '(.runs | length) == 6 and (.campaigns | length) == 1
	and .campaigns[0].reference == "PASS"'
