# KV cache runs on this disk, small: both ways to move bytes, numpy opens the
# files, all bytes are as written, the device saw them, nothing is left.
. "$TESTS/e2e/lib"
mkdir -p kvmodels
echo '{"name": "two", "layers": 2, "hidden_size": 4096,
	"num_attention_heads": 32, "num_kv_heads": 8}' >kvmodels/two.json
small="--config-dir . --model two --option 1 --num-users 12 --duration 2
	--delay 0 --trials 1 --storage-capacity-gb 0.5 --quiet"
look() { # header bytes
	$python - "$1" <<'END'
import glob, numpy, os, sys
names = glob.glob("c/rank_*/*.npy")
assert len(names) > 2, names
for name in names:
    a = numpy.load(name, mmap_mode="r")
    # layers, K and V, tokens, KV heads, head dim
    assert a.dtype == numpy.float16 and a.ndim == 5, (a.dtype, a.shape)
    assert a.shape[:2] == (2, 2) and a.shape[3:] == (8, 128), a.shape
    size = int(sys.argv[1]) + a.shape[2] * 8192
    assert os.path.getsize(name) == size, (name, size)
END
}
# reference: 128 bytes of header; direct: 4096, the payload is aligned
for io in reference:128 direct:4096; do
	# shellcheck disable=SC2086
	expect 0 stoker kvcache run $small --cache-dir c --io ${io%:*} \
		--verify --keep-cache --json
	# what comes after a worker has been given up is not compared
	holds '.options[0].trials[0].ranks[0] | .peak_rss_bytes < 7e8 and
		.verified_bytes > 0 and (.requests_abandoned > 0 or
		(.requests > 5 and .verified_bytes >= .file_read_bytes))'
	look "${io#*:}" || fail "numpy on --io ${io%:*}"
done
# documents: chunks of 512 tokens, files of their own. Two users who wait for
# answers of seconds write far less than the tier holds, however fast the
# drive: no chunk has to go
# shellcheck disable=SC2086
expect 0 stoker kvcache run $small --cache-dir c --io direct --enable-rag \
	--rag-num-docs 1 --verify --keep-cache --storage-capacity-gb 1 --json \
	--duration 8 --num-users 2 --closed-loop --generation-mode realistic
holds '.options[0].trials[0].ranks[0] | .rag_documents == 1 and
	(.requests_abandoned > 0 or .verified_bytes >= .file_read_bytes)'
$python - <<'END' || fail "chunks"
import glob, numpy, re
names = glob.glob("c/rank_0/rag_doc_0_chunk_*.npy")
ids = sorted(int(re.search(r"chunk_(\d+)", n)[1]) for n in names)
at = "c/rank_0/rag_doc_0_chunk_%d.npy"
tokens = [numpy.load(at % i, mmap_mode="r").shape[2] for i in ids]
assert len(ids) > 2, ids
assert ids == list(range(len(ids))), ids
assert set(tokens[:-1]) == {512} and 1 <= tokens[-1] <= 512, tokens
assert 512 * ids[-1] + tokens[-1] <= 12000, (ids, tokens)
END
# C43, C12: what the I/O layer sent is what the device got, within 2 %; here
# entries are moved out of memory
# shellcheck disable=SC2086
expect 0 stoker kvcache run $small --cache-dir c --io direct --json \
	--cpu-mem-gb 0.1 --max-concurrent-allocs 4
holds '.options[0].trials[0].ranks[0] | .moves > 0 and
	(.device_read_bytes == 0 or
	 ((.device_read_bytes / .file_read_bytes - 1 | fabs) < 0.02 and
	  (.device_written_bytes / .file_written_bytes - 1 | fabs) < 0.02))'
[ ! -e c/rank_0 ] || fail "left: $(ls c/rank_0)"
# two ranks under mpirun: folders, seeds and files of their own
# shellcheck disable=SC2086
expect 0 stoker kvcache run $small --cache-dir c -n 2 --npernode 2 \
	--hosts localhost --io direct --results-dir r --json --engine uring \
	--keep-cache
holds '[.options[0].trials[0].ranks[] | .rank, .seed] == [0, 42, 1, 43]'
[ -d c/rank_0 ] && [ -d c/rank_1 ] || fail "folders: $(ls c)"
[ "$(ls r/*/*/*/*/*/*/*/*/option_1/trial_0/rank_[01]/*.json | wc -l)" = 2 ] ||
	fail "files of ranks"
# preconditioning writes, then the run begins with an empty folder
# shellcheck disable=SC2086
expect 0 stoker kvcache run $small --cache-dir c --io direct --precondition \
	--storage-capacity-gb 0.2 --in-process --engine pread --clock real
said "kvcache, --io direct"
# two trials, with pauses
# shellcheck disable=SC2086
expect 0 stoker kvcache run $small --option 1,3 --cache-dir c --trials 2 \
	--delay 0.1s --inter-option-delay 0.2s --duration 0.5s --json
holds '[.options[].trials | length] == [2, 2]'
# no room: said before anything is written
expect 2 stoker kvcache run --cache-dir c --delay 0 --storage-capacity-gb 9000TiB
said "free for each"
expect 4 stoker kvcache run --cache-dir /proc/c --delay 0
# interrupted: in order, and nothing is left of it
# shellcheck disable=SC2086
"$STOKER" kvcache run $small --duration 60 --cache-dir c --json \
	>last.out 2>last.err &
pid=$!
some() { ls c/rank_0/*.npy >/dev/null 2>&1; }
wait_for 20 some
kill -INT $pid
wait $pid
code=$?
[ $code = 130 ] || fail "exit code $code"
holds '.status == "interrupted"'
! some || fail "left: $(ls c/rank_0)"
# files that go away or are cut during the run: named, and nothing is left
for how in "rm -f" "truncate -s 5000"; do
	for io in reference direct; do
		# shellcheck disable=SC2086
		"$STOKER" kvcache run $small --duration 60 --cache-dir c \
			--io $io --json >last.out 2>last.err &
		pid=$!
		wait_for 20 some
		sleep 0.3
		$how c/rank_0/*.npy
		wait $pid
		code=$?
		[ $code = 4 ] || fail "exit code $code after $how, $io"
		grep -qE "during the run|was the file cut" last.err ||
			fail "$(cat last.err)"
		! some || fail "left: $(ls c/rank_0)"
	done
done
