# An index of any size out of one segment that was built: each copy is searched
# for itself, its neighbours are its own, and what the files say agrees with
# numpy; a sector that is not as written is found and named.
. "$TESTS/e2e/lib"
gen() { # CODE OPTION...
	local code=$1
	shift
	expect "$code" stoker vectordb datagen --quiet --json --level copies "$@"
}
vdb() { # CODE OPTION...
	local code=$1
	shift
	expect "$code" stoker vectordb run --quiet --json "$@"
}
small="--num-vectors 3000 --segments 3 --dimension 50 --max-degree 24
	--search-list-size 50 --pq-chunks 8 --num-query-vectors 40 --truth-k 10"
# shellcheck disable=SC2086
gen 0 --data-dir d $small -n 2 --results-dir r --systemname s
holds '.segments == 3 and .status == "finished"'
cat >check.py <<'PY'
import numpy as np, struct, zlib
d, n = 50, 1000
def bins(name, dtype):
    raw = open("d/vectordb/" + name, "rb").read()
    rows, cols = struct.unpack("<2I", raw[:8])
    return np.frombuffer(raw[8:], dtype).reshape(rows, cols)
queries = bins("queries.fbin", "<f4")
all_d, firsts = [], []
for s in range(3):
    p = "segment_%04d" % s
    raw = open("d/vectordb/%s_disk.index" % p, "rb").read()
    node_bytes, per_sector = struct.unpack("<2Q", raw[32:48])
    at = lambda i: 4096 * (1 + i // per_sector) + i % per_sector * node_bytes
    x = np.array([np.frombuffer(raw, "<f4", d, at(i)) for i in range(n)])
    links = [np.frombuffer(raw, "<u4", struct.unpack_from(
        "<I", raw, at(i) + 4 * d)[0], at(i) + 4 * d + 4) for i in range(n)]
    assert all(len(l) and (l < n).all() and i not in l
        for i, l in enumerate(links))
    # neighbours are near: nearer than other vectors are
    near = np.mean([((x[l] - x[i]) ** 2).sum(1).mean()
        for i, l in enumerate(links)])
    far = np.mean([((x - x[i]) ** 2).sum(1).mean() for i in range(n)])
    assert near < 0.9 * far, (near, far)
    # the codes are those of these vectors, with these pivots
    codes = bins(p + "_pq_compressed.bin", "u1")
    piv = open("d/vectordb/%s_pq_pivots.bin" % p, "rb").read()
    o = struct.unpack("<4Q", piv[8:40])
    pivots = np.frombuffer(piv, "<f4", 256 * d, o[0] + 8).reshape(256, d)
    mean = np.frombuffer(piv, "<f4", d, o[1] + 8)
    starts = np.frombuffer(piv, "<u4", 9, o[2] + 8)
    for c in range(8):
        part = slice(starts[c], starts[c + 1])
        dist = ((x[:, None, part] - mean[part] - pivots[None, :, part]) ** 2
            ).sum(2)
        best = dist.min(1)
        assert np.allclose(dist[np.arange(n), codes[:, c]], best, atol=1e-6)
    # sums, sample, cached nodes
    sums = bins(p + "_disk.index_sums.bin", "<u4")[:, 0]
    for i, v in enumerate(sums):
        o = 4096 * (1 + i)
        assert zlib.crc32(struct.pack("<Q", o) + raw[o:o + 4096]) == v
    ids = bins(p + "_sample_ids.bin", "<u4")[:, 0]
    assert len(set(ids)) == n // 10
    assert (bins(p + "_sample_data.bin", "<f4") == x[ids]).all()
    cached = bins(p + "_cached_nodes.bin", "<u4")[:, 0]
    assert len(set(cached)) == int(.1 * 4 * d * n / (1.2 * (4 * 25 + 4 * d)))
    dq = ((queries[:, None] - x[None]) ** 2).sum(2)
    t = np.fromfile("d/vectordb/%s_ground_truth.bin" % p, "<u4")[2:402]
    assert (np.argsort(dq, 1)[:, :10] + s * n == t.reshape(40, 10)).mean() > .99
    all_d.append(dq)
    firsts.append(x)
t = np.fromfile("d/vectordb/ground_truth.bin", "<u4")[2:402].reshape(40, 10)
assert (np.argsort(np.hstack(all_d), 1)[:, :10] == t).mean() > .99
# no vector is there twice, and every segment contributes
x = np.vstack(firsts)
assert len(np.unique(x, axis=0)) == 3000
assert all(((t // n) == s).mean() > .2 for s in range(3))
PY
expect 0 $python check.py
vdb 0 --data-dir d --queries 40 --search-ef 900 --verify
holds '.level == "copies" and ([.notes[].id] | index("copies"))
	and (.points[0] | .recall >= 0.98 and .segments_known == 3
	and .segment_recall_min >= 0.97 and .verified_bytes == .read_bytes)'
vdb 0 --data-dir d -n 2 --queries 80 --search-ef 15 --start-stagger 0s
holds '.points[0] | .recall > 0.5 and .recall < 1 and .clients == 2
	and .segment_recall_min < .segment_recall_max'
expect 0 stoker vectordb run --quiet --data-dir d --queries 40 --search-ef 60
said "of its own neighbours"
said "node cache     visits"
# all files of results tell which level it was
expect 0 stoker vectordb run --quiet --data-dir d --queries 40 \
	--results-dir r --systemname s
leaf=r/whatif/local/results/s/vector_database/emulated/DISKANN
for f in "$leaf"/{datagen,run}/*/*_metadata.json; do
	cp "$f" last.out
	holds '.parameters.level == "copies"'
done
cp "$leaf"/datagen/*/summary.json last.out
holds '.level == "copies"'
# as if written elsewhere: two sectors that have changed places
f=d/vectordb/segment_0002_disk.index
dd if=$f of=keep bs=4096 skip=3 count=1 status=none
dd if=$f of=$f bs=4096 skip=4 seek=3 count=1 conv=notrunc status=none
dd if=keep of=$f bs=4096 seek=4 conv=notrunc status=none
vdb 4 --data-dir d --queries 40 --search-ef 900 --verify
said "segment_0002_disk.index"
said "sector"
# interrupted before the sums of a segment were there: written again, and like
# before
cp -r d e
rm e/vectordb/segment_0002_disk.index_sums.bin
jq '.complete = false' d/vectordb/stoker-vectordb.json \
	>e/vectordb/stoker-vectordb.json
# shellcheck disable=SC2086
gen 0 --data-dir e $small
dd if=keep of=$f bs=4096 seek=3 conv=notrunc status=none
cmp -s e/vectordb/segment_0002_disk.index $f && fail "sectors are still changed"
rm -r d
mv e d
expect 0 $python check.py
# by cosine, of vectors of different lengths, which copies keep
# shellcheck disable=SC2086
gen 0 --data-dir h $small --metric cosine --norm-spread 20
vdb 0 --data-dir h --queries 40 --search-ef 900 --verify
holds '.points[0] | .recall >= 0.98 and .segment_recall_min >= 0.97'
# what cannot be copied
# shellcheck disable=SC2086
gen 2 --data-dir g $small --metric ip
said "one more that stays"
# shellcheck disable=SC2086
gen 2 --data-dir g $small --num-vectors 3001
said "(3003 would be one)"
# shellcheck disable=SC2086
gen 2 --data-dir g $small --pq-chunks 4
# shellcheck disable=SC2086
gen 2 --data-dir g $small --distribution clustered
said "leaves uniform vectors uniform"
no_leftovers
