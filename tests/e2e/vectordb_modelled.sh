# Vectors on modelled drives: the published runs, the curve over clients with
# P99 at each (zilliztech/VectorDBBench#638: the highest QPS alone is no use),
# open loop, and what cannot be.
. "$TESTS/e2e/lib"
vdb() { # CODE OPTION...
	local code=$1
	shift
	expect "$code" stoker vectordb run --quiet --json "$@"
}
# 41 x 8192 + ...: 10,000,000 nodes of two sectors and 29 headers
expect 0 stoker vectordb datasize --profile mlps-10m --json
holds '.index_bytes == 10000000 * 8192 + 29 * 4096 and .segments == 29
	and .node_bytes == 6404 and .bytes_per_read == 8192
	and .estimate_bytes == 10000000 * 1536 * 4 * 1.3'
expect 0 stoker vectordb datasize --num-vectors 100000 --dimension 128 \
	--max-degree 64 --segments 1 --index-type DISKANN
said "5 in a sector"
expect 2 stoker vectordb datasize --index-type HNSW
said "searched in memory"
expect 2 stoker vectordb datasize --index-type AISAQ
said "expansions, beam_width, cache_share 0"
expect 2 stoker vectordb datasize --index-type BTREE
# no drive here has room for a hundred times the published index
expect 1 stoker vectordb datasize --num-vectors 1000000000 --segments 29 \
	--data-dir .
said "NOT ENOUGH"
said "with a tenth left free"
# D7-PS1010, one client: 141.6 QPS and 1,399 reads published
vdb 0 --drive d7-ps1010 --runtime 2s
holds '.points[0] | (.qps / 141.63 - 1 | fabs) < 0.03
	and (.reads_per_query / 1398.6 - 1 | fabs) < 0.01
	and (.latency_ms.mean / 6.99 - 1 | fabs) < 0.03
	and .recall == null and .read_bytes == .reads * 8192'
cp last.out first
vdb 0 --drive d7-ps1010 --runtime 2s
cmp -s first last.out || fail "two simulations differ"
reads=$(jq '.points[0].reads_per_query' first)
vdb 0 --drive d7-ps1010 --runtime 500ms --cache-share 0
holds '(.points[0].reads_per_query / $reads - 4.9 | fabs) < 0.05' \
	--argjson reads "$reads"
# the curve: QPS and P99 at each number of clients; a goal and its verdict
vdb 0 --drive d7-ps1010 --sweep 1,4,16 --runtime 400ms --latency-goal 10ms
holds '(.points | length) == 3
	and ([.points[].qps] | . == sort) and ([.points[].latency_ms.p99] | . == sort)
	and .knee == 1 and .points[1].latency_ms.p95 < 10
	and .points[2].latency_ms.p95 > 10
	and .qps_within_goal == .points[1].qps'
vdb 1 --drive d7-ps1010 --runtime 100ms --latency-goal 1ms
vdb 0 --drive d7-ps1010 --runtime 300ms --sweep-search-ef 100,200,400
holds '[.points[].search_list] == [100, 200, 400]
	and ([.points[].reads_per_query] | . == sort)'
expect 0 stoker vectordb run --quiet --drive d7-ps1010 --sweep 1,2,4 --runtime 300ms
said "the knee of the curve"
said "recall is not applicable"
# 100 clients of two batches of two
vdb 0 --drive d7-ps1010 -n 50 --outstanding 2 --batch-size 2 --queries 2000 \
	--clock virtual --profile mlps-1m
holds '.points[0] | .queries == 2000 and .batch_size == 2'
# clients begin in turn: 4 of 2 s, the last one 0.75 s behind the first
vdb 0 --drive d7-ps1010 -n 4 --runtime 2s --profile mlps-1m
holds '.points[0] | (.seconds - 2.75 | fabs) < 0.05
	and (.qps / .steady_qps - 2 / 2.75 | fabs) < 0.02'
vdb 0 --drive d7-ps1010 -n 4 --runtime 2s --profile mlps-1m --start-stagger 0s
holds '.points[0] | (.seconds - 2 | fabs) < 0.05
	and (.qps / .steady_qps - 1 | fabs) < 0.02'
vdb 2 --drive d7-ps1010 --start-stagger 2h
# five runs of one point are no curve
expect 0 stoker vectordb run --quiet --drive d7-ps1010 --runs 5 --runtime 300ms
said "5 runs: mean 14"
# a goal is kept when every run keeps it, and what is served is their mean
vdb 0 --drive d7-ps1010 --runs 3 --runtime 300ms --latency-goal 10ms
holds '(.points | length) == 3 and (.qps_within_goal -
	([.points[].qps] | add / 3) | fabs) < 1e-6'
# who cannot serve what arrives keeps no goal, and the note is of its own run
vdb 1 --drive d7-ps1010 --rate 20000 --runtime 1s --latency-goal 100s \
	--profile one-segment --outstanding 64
holds '.qps_within_goal == 0 and .points[0].latency_ms.p95 < 100000'
vdb 0 --drive d7-ps1010 --rate 1000 --runtime 1s --profile one-segment \
	--outstanding 8 --sweep-search-ef 200,4000
holds '[.notes[] | select(.id == "overloaded") | .point] == [1] and
	.points[0].unserved == 0 and .points[1].unserved > 0 and
	([.notes[] | select(.id == "drive-model")] | length) == 1'
expect 0 stoker vectordb run --quiet --drive d7-ps1010 --rate 1000 --runtime 1s \
	--profile one-segment --outstanding 8 --sweep-search-ef 200,4000
said "note: run 2, L 4000: "
# open loop
vdb 0 --drive d7-ps1010 --rate 200 --runtime 3s --num-query-vectors 0
holds '.points[0] | (.qps / 200 - 1 | fabs) < 0.2 and .unserved == 0'
vdb 0 --drive d7-ps1010 --rate 5000 --runtime 400ms
holds '.points[0].unserved > 500
	and ([.notes[].id] | index("overloaded"))'
vdb 0 --drive d7-ps1010 --runtime 300ms --software-time 0 --beam-width 8
holds '.software_ms == 0 and .beam_width == 8'
# pipelined waits less, and says that it is another schedule
slow=$(jq '.points[0].qps' last.out)
vdb 0 --drive d7-ps1010 --runtime 300ms --software-time 0 --beam-width 8 \
	--schedule pipelined
holds '.points[0].qps > $slow and ([.notes[].id] | index("pipelined"))' \
	--argjson slow "$slow"
vdb 2 --drive d7-ps1010 --verify
said "a modelled drive has none"
vdb 2 --drive d7-ps1010 --search-ef 5 --search-limit 10
said "cannot return more than it keeps"
vdb 2 --drive d7-ps1010 --queries 5 --runtime 5s
said "exclude each other"
vdb 2 --drive d7-ps1010 --profile nothing
said "mlps-10m"
vdb 2 --profile mlps-10m
said "needs either --data-dir"
expect 0 stoker vectordb run --dry-run --drive d7-ps1010
said "1399 reads of 8 KiB"
# the rules before a run: no database, and nothing to find
vdb 2 --drive d7-ps1010 --division closed
said '5.6.2 vdbClosedDatabaseBackend: database "emulated"; submit to OPEN'
said "5.3.2 vdbRecallReported: a replayed index finds nothing"
vdb 2 --drive d7-ps1010 --division open
unsaid 5.6.2
said "5.3.2 vdbRecallReported"
expect 0 stoker vectordb run --dry-run --drive d7-ps1010
said 'not CLOSED: 5.6.2 vdbClosedDatabaseBackend: database "emulated"'
# phases without data: sizes are checked, and told in a folder of results
phase="--drive d7-ps1010 --results-dir p --systemname s --orgname o"
# shellcheck disable=SC2086
{
	expect 0 stoker vectordb datasize $phase --division open
	said "room       6.98 TiB free in d7-ps1010: enough"
	expect 0 stoker vectordb datagen $phase --division open
	said "modelled: nothing was written"
	expect 2 stoker vectordb datagen $phase --num-vectors 2000000000
	said "the index takes"
	expect 2 stoker vectordb datagen $phase --overwrite
	expect 2 stoker vectordb datagen $phase --division all
	expect 2 stoker vectordb datagen $phase --data-dir d
	expect 2 stoker vectordb datasize $phase --data-dir d
	expect 2 stoker vectordb datasize $phase --division all
	vdb 2 --drive null --division all
}
leaf=p/open/o/results/s/vector_database/emulated/DISKANN
jq -e '.inserted_vectors == 10000000 and .num_vectors == 10000000 and
	.dimension == 1536 and .index_type == "DISKANN" and .modelled and
	.database.database == "emulated"' $leaf/datagen/*/summary.json \
	>/dev/null || fail "summary of datagen"
jq -e '.command == "datasize" and .parameters.index_bytes == 10000000 * 8192 +
	29 * 4096 and .args.data_dir == "model:d7-ps1010"' \
	$leaf/datasize/*/*_metadata.json >/dev/null || fail "datasize"
# a profile of the user's own, and the seed
mkdir -p c/vectordb
jq '.name = "mine" | .segments = 2 | .expansions = 100' \
	"$TESTS/../configs/vectordb/one-segment.json" >c/vectordb/mine.json
vdb 0 --drive null --config-dir c --profile mine --queries 10 --seed 3
holds '.points[0].reads == 10 * 2 * 100 and .segments == 2'
# queries that never come twice do not come again in the next run either
vdb 0 --drive null --profile mlps-1m --queries 50 --runs 3 --num-query-vectors 0
holds '[.points[].reads] | length == (unique | length)'
cp last.out first
vdb 0 --drive null --profile mlps-1m --queries 50 --runs 3 --num-query-vectors 0
holds '[.points[].reads] == $r' --argjson r "$(jq '[.points[].reads]' first)"
vdb 2 --drive d7-ps1010 --latency-goal 0s
expect 0 stoker vectordb run --quiet --drive null --queries 100 --batch-size 10 \
	--software-time 100ms
said "mean 10.00 ms"
said "software 100 ms a batch"
# sizes that no file has, and that 64 bits do not
expect 2 stoker vectordb datasize --num-vectors 281474976710656 --dimension 131072
said "more than 65536: fewer --num-vectors, or --segments"
expect 2 stoker vectordb datasize --num-vectors 281474976645120 \
	--dimension 131072 --segments 65536
said "more bytes than any drive holds"
expect 2 stoker vectordb datasize --num-vectors 100000000000
said "286103 segments of 2 GiB"
expect 2 stoker vectordb datasize --seed 9007199254740992
# the room's verdict is the document's, too
for json in "" --json; do
	expect 1 stoker vectordb datasize --data-dir . --num-vectors 4000000000 \
		$json
done
holds '.exit_code == 1 and .free_bytes < .index_bytes'
# Milvus's node cache: 0.1 x 4 x 32 / (1.2 x (4 x 17 + 4 x 32)) = 5.44 %
expect 0 stoker vectordb datasize --num-vectors 100000 --dimension 32 \
	--max-degree 16 --json
holds '.node_cache_bytes == 5442 * (4 * 32 + 4 * 17)'
