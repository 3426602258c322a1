# A real index: built by two ranks, searched by several, recall in the report
# and in the benchmark's files; vectors of a file; what is damaged is refused.
. "$TESTS/e2e/lib"
small="--level built --num-vectors 4000 --dimension 64 --max-degree 32
	--search-list-size 60 --pq-chunks 16 --segments 2
	--num-query-vectors 100 --truth-k 20"
vdb() { # CODE OPTION...
	local code=$1
	shift
	expect "$code" stoker vectordb run --quiet --json "$@"
}
# shellcheck disable=SC2086
expect 0 stoker vectordb datagen --quiet --json --data-dir d $small -n 2
holds '.status == "finished" and .segments == 2'
[ "$(stat -c %s d/vectordb/ground_truth.bin)" = $((8 + 8 * 100 * 20)) ] ||
	fail "truth: $(ls -l d/vectordb)"
vdb 0 --data-dir d --queries 200 --search-ef 100 --recall-target 0.9 \
	--node-cache none --results-dir r --systemname s
holds '.level == "built" and (.points[0] | .recall >= 0.9 and .recall_ok
	and .recall_queries == 100 and .truth_coverage == 1
	and .reads_per_query >= 200 and .expansions_per_search >= 100)'
cp last.out one
leaf=$(echo r/whatif/local/results/s/vector_database/emulated/DISKANN/run/*)
recall=$(jq .points[0].recall last.out)
cp "$leaf/recall_stats.json" last.out
holds '.mean_recall == $r and (.per_query_recall | length) == 100
	and .num_queries_evaluated == 100 and .k == 10' --argjson r "$recall"
cp "$leaf/result_verdict.json" last.out
holds '.result == "PASS" and .valid and .flat_setup.ok
	and .flat_setup.coverage == 1 and .flat_setup.total_vectors == 4000'
cp "$leaf/summary.json" last.out
holds '.recall == $r' --argjson r "$recall"
# two ranks find the same; a cache saves reads; more of the list finds more
vdb 0 --data-dir d --queries 200 --search-ef 100 -n 2 --node-cache none
holds '.points[0].recall == $r' --argjson r "$recall"
vdb 0 --data-dir d --queries 100 --search-ef 100 --cache-nodes 200 \
	--node-cache breadth-first
holds '.points[0] | .cache_percentage > 10 and .cached_nodes == 400
	and .node_cache == "breadth-first"'
# Milvus's rule: 0.1 x 256 / (1.2 x (132 + 256)) = 5.498 % of 2,000 nodes each,
# the most visited; what is read is as written
vdb 0 --data-dir d --queries 100 --search-ef 100 --verify
holds '.points[0] | .cached_nodes == 2 * 109 and .node_cache == "visits"
	and .cache_percentage > 10 and .verified_bytes == .read_bytes
	and .segments_known == 2 and .segment_recall > 0.9'
vdb 2 --data-dir d --cache-nodes 110
said "keeps at most 109"
vdb 2 --data-dir d --node-cache most
said "must be visits, breadth-first or none"
vdb 0 --data-dir d --queries 10
holds '[.notes[].id] | index("node-cache") | not'
rm d/vectordb/segment_0001_cached_nodes.bin
vdb 0 --data-dir d --queries 10
holds '.points[0].cached_nodes == 109'
said "1 of 2 segments tell no most visited nodes"
rm d/vectordb/segment_0000_cached_nodes.bin
vdb 0 --data-dir d --queries 10
holds '.points[0].cached_nodes == 0 and ([.notes[].id] | index("node-cache"))'
said "2 of 2 segments"
vdb 0 --data-dir d --queries 100 --sweep-search-ef 10,50,150 --schedule pipelined
holds '[.points[].recall] | . == sort and .[0] < .[2]'
vdb 1 --data-dir d --queries 100 --search-ef 10 --recall-target 0.999
# among several runs those that fail are named first
expect 1 stoker vectordb run --quiet --data-dir d --queries 100 \
	--sweep-search-ef 10,4000 --recall-target 0.999
said "FAIL: run 1, L 10: recall@10 "
[[ $(head -n 1 last.out) == *"wanted 0.999; the truth covers 100 %" ]] ||
	fail "first line: $(head -n 1 last.out)"
unsaid "FAIL: run 2"
vdb 2 --data-dir d --cache-share 0.5
vdb 2 --data-dir d --search-limit 21 --search-ef 50
said "lower --num-query-vectors or --search-limit"
expect 0 stoker vectordb run --dry-run --data-dir d
# a truth of one vector less, then a header, then codes that do not fit
jq '.truth_vectors = 3999' d/vectordb/stoker-vectordb.json >m
cp d/vectordb/stoker-vectordb.json good
cp m d/vectordb/stoker-vectordb.json
vdb 1 --data-dir d --queries 100
holds '.points[0].recall_ok == false and ([.notes[].id] | index("truth"))'
cp good d/vectordb/stoker-vectordb.json
printf '\7' | dd of=d/vectordb/segment_0001_disk.index bs=1 seek=40 conv=notrunc \
	status=none
vdb 4 --data-dir d --queries 100
said "nodes per sector"
# the file's own vectors
cat >make.py <<'PY'
import numpy as np
r = np.random.default_rng(1)
for name, n in ("base", 1000), ("query", 30):
    x = r.normal(size=(n, 24)).astype("<f4")
    with open(name + ".fbin", "wb") as f:
        np.array(x.shape, "<u4").tofile(f)
        x.tofile(f)
PY
$python make.py
expect 0 stoker vectordb datagen --quiet --data-dir f --level built \
	--vectors base.fbin --query-vectors query.fbin --segments 1 --truth-k 10
vdb 0 --data-dir f --queries 30 --search-ef 200
holds '.num_vectors == 1000 and .dimension == 24 and .points[0].recall > 0.95'
cat >check.py <<'PY'
import numpy as np
b = np.fromfile("base.fbin", "<f4")[2:].reshape(1000, 24)
q = np.fromfile("query.fbin", "<f4")[2:].reshape(30, 24)
t = np.fromfile("f/vectordb/ground_truth.bin", "<u4")[2:302].reshape(30, 10)
d = ((q[:, None] - b[None]) ** 2).sum(2)
assert (np.argsort(d, 1)[:, :10] == t).all()
PY
expect 0 $python check.py
# what the files have is not asked for otherwise, nor what a replay has not
for other in "--dimension 32:vectors of base.fbin have 24" \
	"--num-vectors 1001:base.fbin has 1000" \
	"--distribution clustered:are as they are"; do
	# shellcheck disable=SC2086
	expect 2 stoker vectordb datagen --quiet --data-dir g --level built \
		--vectors base.fbin --query-vectors query.fbin ${other%%:*}
	said "${other#*:}"
done
for other in "--pq-chunks 8" "--distribution clustered" \
	"--query-vectors query.fbin"; do
	# shellcheck disable=SC2086
	expect 2 stoker vectordb datagen --quiet --data-dir g $other
	said "go with --level built"
done
expect 2 stoker vectordb datagen --quiet --data-dir g --level built \
	--query-vectors query.fbin
said "--query-vectors goes with --vectors"
[ ! -e g ] || fail "something was written"
truncate -s 1000 base.fbin
expect 4 stoker vectordb datagen --quiet --data-dir g --level built \
	--vectors base.fbin --query-vectors query.fbin
said "is no .fbin file"
expect 2 stoker vectordb datagen --quiet --data-dir g --level built \
	--vectors query.fbin
expect 0 stoker vectordb datagen --quiet --data-dir c --level built \
	--distribution clustered --num-vectors 2000 --dimension 32 --pq-chunks 16
vdb 0 --data-dir c --queries 500 --search-ef 100 --recall-target 0.97
# more than any memory
expect 3 stoker vectordb datagen --quiet --data-dir g --level built \
	--num-vectors 1000000000 --segments 1
said "or a replayed index"
no_leftovers
