# KV cache runs on a modelled drive: figures, files, refusals.
. "$TESTS/e2e/lib"
expect 0 stoker kvcache run --drive d7-ps1010 --json --quiet --results-dir r \
	--systemname s --orgname o
# published means of three trials: 871, 1194 and 360 tok/s; within 8 %
holds 'def near(a; b): (a / b - 1 | fabs) < 0.08;
	[.options[].mean.reported_tokens_per_wall_second] as $t |
	near($t[0]; 871) and near($t[1]; 1194) and near($t[2]; 360)'
holds '[.options[].bound_by | split(":")[0]] == ["slots", "demotion", "slots"]'
# 16 slots, most of the time of 200 workers is spent waiting for them
holds '.options[0].mean.worker_time_share.slot > 0.7'
holds '.options[0].trials | length == 1'
leaf=$(echo r/whatif/o/results/s/kv_cache/llama3.1-8b/run/2*)
jq -e '.schema_version == "1.0" and (.partial_failure | not) and
	(.options | keys) == ["1", "2", "3"] and
	(.options["1"].aggregated_avg_throughput_tokens_per_sec |
		. > 800 and . < 940) and
	(.options["1"].aggregated_p95_latency_ms > 0)' \
	"$leaf/summary.json" >/dev/null || fail "summary.json"
rank=$(echo "$leaf"/option_1/trial_0/rank_0/kvcache_results_*.json)
# totals are the sums of what stands beside them; elapsed is 300 s
jq -e '.summary.total_requests == (.storage_latencies | length) and
	.requests_completed == (.end_to_end_latencies | length) and
	(.summary.elapsed_time - 300 | fabs) < 0.001 and
	((.storage_latencies | add) - .summary.total_storage_io_time | fabs)
		< 0.01 and .seed == 42 and
	.summary.qos_metrics.interactive.sla.met == false and
	(.summary.cache_stats.cache_hit_rate | . > 0.87 and . < 0.95)' \
	"$rank" >/dev/null || fail "rank file"
# demotions have latencies, and their bytes are counted: mlcommons/storage#421
jq -e '.stoker.moves > 1000 and .stoker.move_p95_ms > 0 and
	.summary.cache_stats.tier_storage_kv_bytes_written_gb > 900' \
	"$leaf"/option_2/trial_0/rank_0/*.json >/dev/null || fail "demotions"
# the logs are where the metadata says; what each option has of its own is null
meta=$(echo "$leaf"/kv_cache_*_metadata.json)
for log in $(jq -r '.command_output_files[] | .stdout, .stderr' "$meta"); do
	[ -e "$leaf/$log" ] || fail "no $log in $leaf"
done
jq -e '.args | .num_users == null and .max_concurrent_allocs == null and
	.rag_num_docs == null and .seed == 42' "$meta" >/dev/null ||
	fail "args of $meta"
# drives differ, tokens a GiB do not: 60.0 and 25.3 +-4 %
for drive in d5-p5336 constant:10GB/s,80us; do
	expect 0 stoker kvcache run --drive $drive --option 1,3 --json --quiet
	holds '.options | (.[0].mean.tokens_per_gib_read / 60 - 1 | fabs) < 0.04
		and (.[1].mean.tokens_per_gib_read / 25.3 - 1 | fabs) < 0.04'
done
# OPEN switches: each runs, and is told to be not CLOSED
short="--drive d7-ps1010 --option 1 --duration 20 --quiet"
for o in --disable-multi-turn --disable-prefix-caching --closed-loop \
	"--generation-mode fast" "--gpu-mem-gb 8" "--cpu-mem-gb 4" \
	"--max-concurrent-allocs 4" "--storage-capacity-gb 500" "--seed 7" \
	"--num-users 30 --trials 2"; do
	# shellcheck disable=SC2086
	expect 0 stoker kvcache run $short $o
	said "not CLOSED: "
done
expect 0 stoker kvcache run $short --disable-multi-turn --json
holds '.options[0].trials[0].ranks[0].multi_turn_hits == 0'
expect 0 stoker kvcache run $short --disable-prefix-caching --json
holds '.options[0].trials[0].ranks[0].prefix_hits == 0'
# the reference's leak ends in a storage tier that is wiped
expect 0 stoker kvcache run --drive d7-ps1010 --option 2 --reference-bugs \
	--storage-capacity-gb 1000 --json --quiet
holds '.options[0].trials[0].ranks[0].entries_deleted > 0'
expect 0 stoker kvcache run --drive d7-ps1010 --option 2 \
	--storage-capacity-gb 2000 --json --quiet
holds '.options[0].trials[0].ranks[0].entries_deleted == 0'
# direct I/O: no copies of the host, no page cache
expect 0 stoker kvcache run --drive d7-ps1010 --option 2 --io direct --json \
	--request-depth 8 --request-size 4MiB --host-copy-rate 20GB/s --quiet
holds '.options[0].mean.reported_tokens_per_wall_second > 1300'
# retrieval: 5 chunks of a document by a tenth of the requests
# shellcheck disable=SC2086
expect 0 stoker kvcache run $short --enable-rag --rag-num-docs 4 --json \
	--num-users 20 --max-concurrent-allocs 0 --results-dir rag \
	--systemname s --orgname o
holds '.options[0].trials[0].ranks[0] |
	.requests_abandoned as $abandoned | .rag_documents == 4 and
	.rag_chunks_written >= 4 * 8 and .rag_chunks_written <= 4 * 24 and
	.rag_retrievals > 0 and .rag_questions > 0 and
	(5 * .rag_retrievals - .rag_chunk_reads |
		. >= 0 and . <= 5 * $abandoned) and
	(.prefill_writes - .requests - .rag_chunks_written |
		. >= 0 and . <= $abandoned)'
rank=$(echo rag/whatif/o/results/s/kv_cache/*/run/*/option_1/trial_0/rank_0/*)
jq -e '.stoker.rag.documents == 4' "$rank" >/dev/null ||
	fail "rank file without retrieval"
expect 2 stoker kvcache run --drive d7-ps1010 --rag-num-docs 4
said "goes with --enable-rag"
expect 2 stoker kvcache run --drive d7-ps1010 --enable-rag \
	--burst-trace-path trace.csv
said "is about users"
expect 2 stoker kvcache run --drive d7-ps1010 --enable-rag --division closed
said "6.6.1 kvcacheClosedImmutable: changed: --enable-rag"
mkdir kvcache
jq 'del(.rag) | .name = "mine"' "$TESTS/../configs/kvcache/v3.0.json" \
	>kvcache/mine.json
# shellcheck disable=SC2086
expect 0 stoker kvcache run $short --config-dir . --workload mine
expect 2 stoker kvcache run --drive d7-ps1010 --config-dir . --workload mine \
	--enable-rag
said 'has no "rag"'
# the time that tokens take, of each request: 2 ms each
# shellcheck disable=SC2086
expect 0 stoker kvcache run $short --generation-mode fast --results-dir gen \
	--systemname s --orgname o
rank=$(echo gen/whatif/o/results/s/kv_cache/*/run/*/option_1/trial_0/rank_0/*)
jq -e '(.generation_latencies | length) == .requests_completed and
	((.generation_latencies | add) - 0.002 * .total_tokens_generated | fabs)
		< 0.001 and .summary.generation_latency_ms.p95 > 0' "$rank" \
	>/dev/null || fail "generation latencies"
# recorded requests: 90 in 9 s, one of them prefill only
{
	echo "Timestamp,Model,Request tokens,Response tokens,Total tokens"
	for i in $(seq 90); do
		echo "$((100 + i / 10)),ChatGPT,$((i == 90 ? 12000 : 400)),64,464"
	done
} >trace.csv
# shellcheck disable=SC2086
expect 0 stoker kvcache run $short --burst-trace-path trace.csv --json
holds '.options[0].trials[0].ranks[0] | .requests == 90 and
	.requests_offered == 90 and .prefill_only_requests == 1 and
	.tokens == 90 * 64 and .decode_reads == 89 * 3 and
	.multi_turn_hits == 0'
# at a tenth of the speed only rows of the first 2 s come within 20 s
# shellcheck disable=SC2086
expect 0 stoker kvcache run $short --burst-trace-path trace.csv --json \
	--trace-speedup 0.1
holds '.options[0].trials[0].ranks[0].requests_offered | . >= 19 and . <= 29'
sed -i '5s/400/many/' trace.csv
expect 2 stoker kvcache run --drive d7-ps1010 --burst-trace-path trace.csv
said 'trace.csv: line 5: "Request tokens" must be a number'
expect 2 stoker kvcache run --drive d7-ps1010 --trace-speedup fast
expect 2 stoker kvcache run --drive d7-ps1010 --division closed
said "6.3.2.1 kvcacheClosedSequenceLocks: seed 42, 1 trials, 90 s"
expect 2 stoker kvcache run --drive d7-ps1010 --division closed --trials 3 \
	--option 1,2
said "6.3.1.1 kvcacheFixedWorkloadPerOption: option 3 is missing"
expect 2 stoker kvcache run --drive d7-ps1010 --division closed --trials 3 \
	--cpu-mem-gb 32
said "option 1: cpu_mem_gb 32, not 0"
expect 0 stoker kvcache run --drive d7-ps1010 --division closed --trials 3 \
	--dry-run
said "not CLOSED: S-03 realDrive: the drive is modelled"
expect 0 stoker kvcache run --drive d7-ps1010 --division open --seed 7 --dry-run
expect 2 stoker kvcache run --drive d7-ps1010 --option 4
said "from 1 to 3"
expect 2 stoker kvcache run --drive d7-ps1010 --option 1,1
expect 2 stoker kvcache run --drive d7-ps1010 --verify
expect 2 stoker kvcache run --drive d7-ps1010 --request-depth 4
expect 2 stoker kvcache run --drive d7-ps1010 --generation-mode slow
expect 2 stoker kvcache run
said "either --cache-dir DIR"
expect 2 stoker kvcache run --drive constant:1GB/s,80us --cache-dir .
expect 0 stoker kvcache run --drive d7-ps1010 --dry-run
said "option 3  llama3.1-70b-instruct, 70 users"
