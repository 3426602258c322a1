# stoker report of checkpointing, vector-database and KV cache runs: figures are
# those of their files, in every order of words; several side by side; a results
# directory of all families tells what it found.
. "$TESTS/e2e/lib"
table='def table(t): [.sections[].items[] | select(.table == t)][0];'
run 0 --drive constant:14.5GB/s,80us -n 2 --odirect --results-dir all \
	-p dataset.num_files_train=280 -p train.epochs=1
expect 0 stoker vectordb run --quiet --drive d7-ps1010 --profile mlps-1m \
	--sweep 1,4 --runtime 0.5s --results-dir all
expect 0 stoker kvcache run --quiet --drive d7-ps1010 --results-dir all \
	--duration 20s
mkdir ckpt
expect "[01]" stoker checkpointing run --quiet --checkpoint-folder ckpt \
	--model llama3-8b --scale 1/8192 --gap 0.1s --num-checkpoints-write 2 \
	--num-checkpoints-read 1 --results-dir all

leaves() { # FAMILY: the folders of its runs
	find all -path "*/$1/*" -name run.json -printf '%h\n'
}

# all families: the verdict first, then what was found
expect 0 stoker report --format json --compare -- all
cp last.out report.json
holds '.answer | startswith("PASS: AU ")'
holds '[.sections[0].items[].text | split(":")[0]] | . == ["PASS",
	"Vectors", "KV cache", "Emulated"] or (map(select(
	test("Checkpoints|LOADS INVALID"))) | length == 1)'
holds "$table table(\"In the folders that were given\").rows | map(.[1]) ==
	[\"1 run of 1 campaign\", 1, 2, 1, 0, 0]"

# checkpoints: strict figures, notes and the passport are of run.json
leaf=$(leaves checkpointing)
jq -e '.schema == "stoker-run" and .emulated and .family == "checkpointing"' \
	"$leaf/run.json" >/dev/null || fail "run.json: $(cat "$leaf/run.json")"
holds "$table table(\"Strict (until the slowest rank has ended)\").rows |
	.[0][1] == $(jq .checkpointing.save.slowest_mean_seconds "$leaf/run.json")
	and .[1][6] == $(jq .checkpointing.load.cached_percentage "$leaf/run.json")"
jq -r '.notes[].text' "$leaf/run.json" >notes
while read -r note; do
	holds '[.sections[].items[].text] | index($n) != null' --arg n "$note"
done <notes
passport=$(jq -r '.drive.file_system // empty' "$leaf/run.json")
expect 0 stoker report "$leaf" --format md
grep -q "^### Drive passport" last.out || fail "no passport"
! grep -q "no drive passport" last.out || [ -z "$passport" ] ||
	fail "the passport is not shown"

# vectors: of statistics.json and config.json
expect 0 stoker report all --format json
cp last.out report.json
for leaf in $(leaves vector_database); do
	read -r clients qps p999 reads kib <<-END
		$(jq -r -s '.[0] as $s | .[1] as $c | [$c.processes * $c.outstanding,
			$s.throughput_qps, $s.p999_latency_ms,
			$s.read_model.reads / $s.total_queries,
			$s.read_model.reads * $s.read_model.read_bytes
				/ $s.total_queries / 1024] | join(" ")' \
			"$leaf/statistics.json" "$leaf/config.json")
	END
	holds "[.sections[] | select(.title == \"Queries\").items[] |
		select(.table == \"Runs\").rows[] | select(.[1] == $clients)][0]
		| .[3] == $qps and .[8] == $p999 and
		.[9] == \"not applicable\""
	holds "$table [table(\"What a query reads, and what the drive moves\")
		.rows[] | select(.[1] == $clients)][0] |
		(.[3] - $reads | fabs) < 1e-6 and (.[4] - $kib | fabs) < 1e-6"
done
# a curve of two points, and its knee: the larger of QPS over mean latency
holds '[.sections[].items[] | select(.chart == "Client curve: queries a second")
	.series[] | select(.name == "QPS").x] == [[1, 4]]'
knee=$(jq -r '[.sections[].items[] | select(.table == "Runs").rows[] |
	select(length == 11)] | max_by(.[3] / .[4]) | .[1]' report.json)
holds "[.sections[].items[].text // \"\" | select(test(\"$knee clients?: the \" +
	\"knee\"))] | length >= 1"

# KV cache: three options, each with its trials and their mean
leaf=$(leaves kv_cache)
for option in 1 2 3; do
	holds "[.sections[].items[] | select((.table // \"\") |
		startswith(\"Options and trials\")).rows[] |
		select(.[0] == $option and .[1] == \"mean\")][0] |
		.[2] == $(jq ".options.\"$option\".aggregated_avg_throughput_tokens_per_sec" \
		"$leaf/summary.json") and
		(.[6] * 1000 - $(jq ".options.\"$option\".aggregated_p95_latency_ms" \
		"$leaf/summary.json") | fabs) < 1e-6"
	holds "[.sections[].items[] | select((.table // \"\") |
		startswith(\"Options and trials\")).rows[] |
		select(.[0] == $option and .[1] != \"mean\")][0] |
		.[11] == $(jq ".kv_cache.options[$option - 1].trials[0].requests" \
		"$leaf/run.json")"
done
holds "[.sections[].items[] | select((.table // \"\") |
	startswith(\"Options: what ran\")).rows[] | .[8]] == [\"no\", \"no\", \"no\"]"

# two of each side by side, in every view
expect 0 stoker vectordb run --quiet --drive d5-p5336 --profile mlps-1m \
	--runtime 0.5s --results-dir other
expect 0 stoker kvcache run --quiet --drive d5-p5336 --option 1 \
	--duration 20s --results-dir other
expect 0 stoker checkpointing run --quiet --drive d5-p5336 --results-dir other
expect 0 stoker report --compare all other -o both.html
$python "$TESTS/fixtures/check_report.py" both.html >/dev/null ||
	fail "not a whole page"
for name in "Checkpoints" "Vectors" "KV cache"; do
	grep -q "<caption>$name side by side" both.html ||
		fail "$name are not side by side"
done
expect 0 stoker report --format csv --compare all other
grep -q '"KV cache side by side","d5-p5336"' last.out || fail "csv: no KV cache"
expect 0 stoker report other --format md
grep -q '^## Vectors: mlps-1m, d5-p5336' last.out || fail "no vectors"

# the benchmark's own files have no run.json, and a damaged one is named
mkdir foreign
cp -r "$leaf" foreign/kv_cache
rm foreign/kv_cache/run.json
expect 0 stoker report --format md foreign/kv_cache
said "trials are not told one by one"
said "no drive passport"
echo '{"schema": "stoker-run"' >foreign/kv_cache/run.json
expect 0 stoker report --format md foreign
said "run.json"
expect 2 stoker report --format md -- --compare
said "No such file or directory"
