# C44 for the KV cache: files of two ranks share no block, and cannot be
# compressed: mlcommons/storage#278, #272.
. "$TESTS/e2e/lib"
mkdir -p kvmodels
echo '{"name": "one", "layers": 1, "hidden_size": 256,
	"num_attention_heads": 8, "num_kv_heads": 2}' >kvmodels/one.json
for io in reference direct; do
	expect 0 stoker kvcache run --config-dir . --model one --option 1 \
		--num-users 6 --duration 2 --delay 0 --trials 1 -n 2 --in-process \
		--cache-dir $io --io $io --storage-capacity-gb 0.2 --keep-cache --quiet
	$python - $io <<'END' || fail "$io: blocks are repeated"
import glob, sys
seen, blocks = set(), 0
names = glob.glob(sys.argv[1] + "/rank_*/*.npy")
assert {n.split("/")[1] for n in names} == {"rank_0", "rank_1"}
for name in names:
    data = open(name, "rb").read()
    # a direct header is 4096 bytes, nearly all of them blanks
    start = 4096 if sys.argv[1] == "direct" else 0
    for at in range(start, len(data) - 511, 512):
        seen.add(data[at:at + 512])
        blocks += 1
assert blocks > 16384 and len(seen) == blocks, (blocks, len(seen))
END
	cat $io/rank_*/*.npy >all.bin
	zstd -q -f -1 all.bin -o all.zst
	[ $(($(stat -c %s all.zst) * 102)) -gt $(($(stat -c %s all.bin) * 100)) ] ||
		fail "compressible: $(stat -c %s all.bin all.zst)"
	rm -rf $io
done
