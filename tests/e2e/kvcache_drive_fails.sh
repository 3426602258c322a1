# A drive that is full or broken: named with file, reason and remedy, exit code
# 4, one JSON document, and no file is left; both ways to move bytes.
. "$TESTS/e2e/lib"
"$TOOLS/deny" sync true || skip "no seccomp filters here"
mkdir -p kvmodels
echo '{"name": "two", "layers": 2, "hidden_size": 4096,
	"num_attention_heads": 32, "num_kv_heads": 8}' >kvmodels/two.json
small="--config-dir . --model two --option 1 --num-users 12 --duration 60
	--delay 0 --trials 1 --storage-capacity-gb 0.5 --quiet --json"
nothing_left() {
	[ -z "$(ls -d "$1"/rank_* 2>/dev/null)" ] || fail "left: $(ls "$1"/*)"
	[ ! -e r ] || [ -z "$(find r -name summary.json)" ] ||
		jq -e .partial_failure "$(find r -name summary.json)" \
			>/dev/null || fail "a result that looks whole"
	rm -rf r
}
for io in reference direct; do
	for how in "room:No space left on device" "sync:Input/output error" \
		"read:Input/output error"; do
		# a results folder is tried with an fsync before anything runs
		results="--results-dir r"
		[ "${how%%:*}" != sync ] || results=
		# entries of 8 MiB and more have writes and reads behind 1 MiB
		# shellcheck disable=SC2086
		expect 4 "$TOOLS/deny" ${how%%:*} "$STOKER" kvcache run $small \
			--cache-dir c --io $io --engine pread $results
		said "${how#*:}"
		said "c/rank_0/conv_user_00"
		[ "${how%%:*}" != room ] ||
			said "--storage-capacity-gb keeps the cache smaller"
		holds '.status == "failed" and .exit_code == 4 and
			(.error | contains("c/rank_0/"))'
		nothing_left c
	done
done
# a small file system that something else fills during the run, of one rank
# and of two under mpirun
mkdir full
mount -t tmpfs -o size=300m tmpfs full 2>/dev/null || exit 0
trap 'umount full' EXIT
some() { ls full/c/rank_*/*.npy >/dev/null 2>&1; }
for io in reference direct "reference --num-processes 2"; do
	# shellcheck disable=SC2086
	"$STOKER" kvcache run ${small/0.5/0.1} --cache-dir full/c --io $io \
		--results-dir r >last.out 2>last.err &
	pid=$!
	wait_for 20 some
	head -c 300M /dev/zero >full/other 2>/dev/null
	wait $pid
	code=$?
	[ $code = 3 ] && grep -q "direct I/O" last.err && continue
	[ $code = 4 ] || fail "exit code $code: $(cat last.err)"
	grep -qi "no space" last.err || fail "$(cat last.err)"
	said "--storage-capacity-gb keeps the cache smaller"
	nothing_left full/c
	rm full/other
done
