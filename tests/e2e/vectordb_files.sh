# Index files on a real drive: written in parts by ranks, read with O_DIRECT,
# every byte as written, as many bytes as the kernel counts; the benchmark's
# result files.
. "$TESTS/e2e/lib"
small="--profile mlps-1m --num-vectors 20000 --segments 4"
gen() { # CODE OPTION...
	local code=$1
	shift
	# shellcheck disable=SC2086
	expect "$code" stoker vectordb datagen --quiet --data-dir d $small "$@"
}
vdb() { # CODE OPTION...
	local code=$1
	shift
	expect "$code" stoker vectordb run --quiet --json --data-dir d \
		--profile mlps-1m "$@"
}
mkdir d
vdb 2
said "stoker vectordb datagen"
gen 0 --dry-run
[ -z "$(ls d)" ] || fail "a dry run wrote: $(find d)"
gen 0 --json -n 2 --hosts localhost:2 --npernode 2 --engine uring
holds '.written_bytes == .index_bytes
	and .index_bytes == 20000 * 8192 + 4 * 4096'
[ "$(stat -c %s d/vectordb/segment_0003_disk.index)" = $((5000 * 8192 + 4096)) ] ||
	fail "size: $(ls -l d/vectordb)"
# header: 9 x 1 words, 5000 nodes, 1536 dimensions, 6404 bytes, 0 a sector
words=$(od -An -v -tu8 -N 80 -w8 d/vectordb/segment_0001_disk.index |
	tr -s ' \n' ' ')
case $words in
" 4294967305 5000 1536 "*" 6404 0 0 0 0 $((5000 * 8192 + 4096)) ") ;;
*) fail "header: $words" ;;
esac
gen 0
said "complete already"
gen 2 --max-degree 32
said "holds another index (max_degree 64, not 32)"
# interrupted: what is whole stays, the rest is written
rm d/vectordb/segment_0002_disk.index
jq '.complete = false' d/vectordb/stoker-vectordb.json >m
cp m d/vectordb/stoker-vectordb.json
vdb 2 --queries 5
said "not complete"
gen 0 --in-process --json
holds '.written_bytes == 5000 * 8192 + 4096'
vdb 0 --queries 200 --verify --software-time 0
holds '.points[0] | .queries == 200 and .verified_bytes == .read_bytes
	and (.reads_per_query / 191.4 - 1 | fabs) < 0.01
	and .process_read_bytes == .read_bytes'
# without a page cache the kernel also reads pages of the program again
vdb 0 --queries 200 --verify --software-time 0 --drop-caches
holds '.points[0] | .verified_bytes == .read_bytes
	and .process_read_bytes >= .read_bytes
	and .process_read_bytes < .read_bytes + 4 * 1048576'
# the kernel's counters: never less than what was read, and no more where nobody
# else uses the drive meanwhile, which may take a few tries
if jq -e '.points[0].device' last.out >/dev/null; then
	for try in 1 2 3 4; do
		holds '.points[0] | .device.read_bytes / .read_bytes > 0.99'
		jq -e '[.notes[].id] | index("other-traffic") | not' last.out \
			>/dev/null && break
		[ $try = 4 ] || vdb 0 --queries 60 --verify --software-time 0
	done
	if jq -e '[.notes[].id] | index("other-traffic") | not' last.out \
		>/dev/null; then
		holds '.points[0] | .device.read_bytes / .read_bytes < 1.01
			or .device.read_bytes - .read_bytes < 1e6'
	fi
fi
# other ways to read the same: two ranks, a pool of threads, both schedules
vdb 0 --num-query-processes 2 --queries 60 --in-process --engine pread --verify \
	--schedule pipelined
holds '.points[0].queries == 60 and .engine == "pread"'
vdb 0 -n 2 --queries 60 --verify --hosts localhost:2 --npernode 2 --clock real
holds '.points[0].queries == 60 and .points[0].clients == 2'
# another seed of queries, other reads; files of another seed are another index
vdb 0 --queries 20 --verify --seed 7
gen 2 --seed 7
said "seed 42, not 7"
# a byte that is not as written, a node that is none, a file that is cut
cp d/vectordb/segment_0001_disk.index keep
dd if=/dev/zero of=d/vectordb/segment_0001_disk.index bs=4096 seek=1 \
	count=9000 conv=notrunc status=none
vdb 4 --queries 20
said "is not what datagen wrote"
vdb 4 --queries 20 --verify
said "differs from what was written at offset"
truncate -s 8192000 d/vectordb/segment_0001_disk.index
vdb '[34]' --queries 20
said "segment_0001_disk.index"
cp keep d/vectordb/segment_0001_disk.index
# result files
expect 0 stoker vectordb run --quiet --data-dir d --profile mlps-1m \
	--queries 30 --runs 2 --results-dir r --systemname sys --orgname org
leaves=(r/whatif/org/results/sys/vector_database/emulated/DISKANN/run/*)
[ ${#leaves[@]} = 2 ] || fail "runs: ${leaves[*]}"
leaf=${leaves[1]}
for f in config.json statistics.json recall_stats.json result_verdict.json \
	milvus_benchmark_p0.csv vector_database_run.stdout.log; do
	[ -s "$leaf/$f" ] || fail "no $f: $(find r)"
done
[ "$(wc -l <"$leaf/milvus_benchmark_p0.csv")" = 31 ] || fail "rows of the CSV"
cp "$leaf/summary.json" last.out
holds '.total_queries == 30 and .num_vectors == 20000 and .dimension == 1536
	and .database.database == "emulated" and .recall == null
	and .index_type == "DISKANN" and .throughput_qps > 0
	and ([.mean_latency_ms, .p95_latency_ms, .p99_latency_ms,
		.p999_latency_ms] | all(. > 0))
	and .read_model.segments == 4 and .disk_io.scope == "host"'
cp "$leaf/config.json" last.out
holds '.search_params.params.search_list == 200 and .processes == 1
	and .total_queries == 30 and .runtime_seconds == null'
cp "$leaf/result_verdict.json" last.out
holds '.valid == false and .result == "NOT EVALUATED"'
expect 0 stoker history --results-dir r
unsaid "left out"
gen 0 --overwrite --max-degree 32
no_leftovers
