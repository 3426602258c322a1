# The benchmark's result files of a vector-database run, key by key; what is ours
# comes on top. Names as in statistics.json, config.json, recall_stats.json,
# result_verdict.json and summary.json of vector_database, MLPerf Storage v3.0.
. "$TESTS/e2e/lib"
expect 0 stoker vectordb datagen --quiet --data-dir d --level built \
	--num-vectors 600 --dimension 24 --max-degree 16 --segments 1 \
	--pq-chunks 8 --num-query-vectors 20 --truth-k 10
expect 0 stoker vectordb run --quiet --data-dir d --queries 60 --search-ef 50 \
	--batch-size 2 -n 2 --results-dir r --systemname s
leaf=$(echo r/whatif/local/results/s/vector_database/emulated/DISKANN/run/*)
# FILE KEY...: these dotted keys are there
has() {
	local file=$1
	shift
	for key; do
		jq -e --arg k "$key" 'getpath($k | split(".")[:-1]) | objects
			| has($k | split(".")[-1])' "$leaf/$file" >/dev/null ||
			fail "$file has no $key: $(cat "$leaf/$file")"
	done
}
latencies() { # WHAT
	for q in min max mean median p95 p99 p999 p9999; do
		echo "${q}_$1_ms"
	done
}
has config.json timestamp processes batch_size report_count vector_dim host \
	port collection_name runtime_seconds total_queries search_limit \
	search_ef gt_collection num_query_vectors no_create_flat seed data_path \
	recall_k query_mode query_noise recall_epsilon metric_type index_type \
	search_params.metric_type search_params.params.search_list
recall="recall_at_k recall_at_k_exact recall_epsilon num_queries_evaluated k
	min_recall max_recall mean_recall median_recall p5_recall p95_recall
	p99_recall per_query_recall recall_by_query"
target="applicable confidence data_path fstype mountpoint source
	network_mounts_detected reason"
# shellcheck disable=SC2046
for file in statistics.json summary.json; do
	has $file total_queries total_time_seconds throughput_qps batch_count \
		successful_batches failed_batches recall $(latencies latency) \
		$(latencies batch_time) disk_io.applicable disk_io.status \
		disk_io.scope
	for key in $target; do
		has $file "disk_io.storage_target.$key"
	done
	# the folder may lie on no drive that the kernel counts
	if jq -e .disk_io.applicable "$leaf/$file" >/dev/null; then
		has $file disk_io.total_bytes_read \
			disk_io.total_bytes_read_per_sec \
			disk_io.total_bytes_written \
			disk_io.total_bytes_written_per_sec \
			disk_io.total_read_formatted \
			disk_io.total_write_formatted disk_io.devices
		jq -e '.disk_io.devices | length == 1 and (.[] | keys == [
			"bytes_read", "bytes_written", "read_formatted",
			"write_formatted"])' "$leaf/$file" >/dev/null ||
			fail "devices: $(jq .disk_io "$leaf/$file")"
	fi
done
# shellcheck disable=SC2086
has recall_stats.json $recall
for key in $recall; do
	has statistics.json "recall.$key"
done
has result_verdict.json result valid num_queries_evaluated flat_setup.ok \
	flat_setup.coverage flat_setup.total_vectors flat_setup.copied_vectors \
	flat_setup.had_recoverable_error flat_setup.reason flat_setup.reused \
	recall_summary.recall_at_k recall_summary.mean_recall \
	recall_summary.min_recall recall_summary.max_recall \
	recall_summary.num_queries_evaluated
# what the checker looks for in the summary
has summary.json num_vectors dimension index_type database.database
# one run in all of them
cp "$leaf/statistics.json" last.out
holds '.total_queries == 60 and .batch_count == 30
	and .successful_batches == 30 and .failed_batches == 0
	and (.recall.per_query_recall | length) == 20
	and (.recall.recall_by_query | length) == 20
	and (.recall.recall_by_query["7"] == .recall.per_query_recall[7])
	and .recall.mean_recall == (.recall.per_query_recall | add / 20)
	and (.throughput_qps * .total_time_seconds / 60 - 1 | fabs) < 1e-9
	and .min_latency_ms <= .median_latency_ms
	and .median_latency_ms <= .p95_latency_ms
	and .p95_latency_ms <= .p99_latency_ms
	and .p99_latency_ms <= .p999_latency_ms
	and .p9999_latency_ms <= .max_latency_ms
	and (.min_batch_time_ms / .min_latency_ms - 2 | fabs) < 1e-9'
jq -S '.recall |= .mean_recall' last.out >a
jq -S . "$leaf/summary.json" >b
cmp -s a b || fail "the summary differs: $(diff a b)"
jq -S .recall last.out >a
jq -S . "$leaf/recall_stats.json" >b
cmp -s a b || fail "recall_stats.json differs: $(diff a b)"
for p in 0 1; do
	head -1 "$leaf/milvus_benchmark_p$p.csv" >head
	echo "process_id,batch_id,timestamp,batch_size,batch_time_seconds,$(:
		)avg_query_time_seconds,success" | cmp -s - head ||
		fail "CSV: $(cat head)"
done
cp "$leaf"/*_metadata.json last.out
holds '.benchmark_type == "vector_database" and .model == "emulated_DISKANN"
	and .command == "run" and .parameters.index_type == "DISKANN"
	and .parameters.num_vectors == 600 and .parameters.dimension == 24
	and (.args | type) == "object" and (.run_datetime | length) > 0'
no_leftovers
