# A real index and five searches of it become a bundle: what is wrong with it in
# CLOSED is that no Milvus answered (Rules 5.6.2), and that alone; OPEN takes it
# with a warning. Recall in the table is that of the runs.
. "$TESTS/e2e/lib"
results=results
device() { stat -c %d "$1"; }
mkdir results data
for other in /dev/shm /tmp /var/tmp; do
	[ "$(device data)" != "$(device $other)" ] && [ -w $other ] || continue
	results=$(mktemp -d $other/stoker-results-XXXXXX)
	trap 'rm -rf "$results"' EXIT
	break
done
[ "$results" != results ] || skip "no second file system for the results"
where="--results-dir $results --orgname me --systemname here"
shape="--num-vectors 3000 --dimension 32 --max-degree 16 --segments 2"
# shellcheck disable=SC2086
{
	expect 0 stoker vectordb datasize --data-dir data $shape $where
	expect 0 stoker vectordb datagen --data-dir data --quiet --level built \
		$shape --search-list-size 40 --pq-chunks 16 \
		--num-query-vectors 50 --truth-k 10 $where
	expect 0 stoker vectordb run --data-dir data --queries 100 --runs 5 \
		--search-ef 60 --quiet $where --division open
	expect 2 stoker vectordb run --data-dir data --queries 100 $where \
		--division closed
	said "5.6.2 vdbClosedDatabaseBackend"
	unsaid "5.3.2"
	expect 0 stoker vectordb run --data-dir data --queries 100 --runs 5 \
		--search-ef 60 --quiet $where
}
sed -n "/^cat >system.yaml/,/^Y$/p" "$TESTS/e2e/modelled_bundle.sh" |
	sed '1d;$d' >system.yaml
bundle="bundle create --results-dir $results --org acme --systemname box
	--system-file system.yaml --source whatif/me/results/here"
# shellcheck disable=SC2086
{
	expect 1 stoker $bundle closed
	expect 0 stoker $bundle --division open open
}
said "PASS: 0 errors, 5 warnings"
expect 1 stoker bundle check closed --strict --json
holds '[.findings[] | select(.outcome == "FAIL") | .id + .level] ==
	["5.6.2error", "5.6.2error", "5.6.2error", "5.6.2error", "5.6.2error"]'
holds '[.findings[] | select(.id == "5.6.2") | .found] | unique ==
	["database \"emulated\""]'
expect 0 stoker bundle check open --strict --json
holds '[.findings[] | select(.outcome == "FAIL") | .id + .level] | unique ==
	["5.6.5warning"]'
runs=$(find open -path '*/run/2*' -name summary.json)
row=$(cat open/open/emulated-acme/results/results.json)
# shellcheck disable=SC2086
jq -es --argjson row "$row" '
	def near(a; b): (a / b - 1 | fabs) < 1e-9;
	def mean(f): (map(f) | add) / length;
	length == 5 and ($row | length) == 1
	and near($row[0]."VDB - Recall Percentage"; 100 * mean(.recall))
	and mean(.recall) > 0.8 and mean(.recall) <= 1
	and near($row[0]."VDB - Queries per Sec"; mean(.throughput_qps))
	and near($row[0]."VDB - Storage IOPs";
		mean(.read_model.reads / .total_time_seconds))' $runs >/dev/null ||
	fail "row: $row"
# runs of another search do not belong to it
# shellcheck disable=SC2086
{
	expect 0 stoker vectordb run --data-dir data --queries 100 --runs 1 \
		--search-ef 61 --quiet $where
	expect 2 stoker $bundle mixed
	said "a result is 5 runs of one configuration"
}
