# Cosine and inner product of vectors of all lengths: exact answers as numpy has
# them, the files that Knowhere and Microsoft add, recall; bytes as vectors.
. "$TESTS/e2e/lib"
gen() { # CODE FOLDER OPTION...
	local code=$1 to=$2
	shift 2
	expect "$code" stoker vectordb datagen --quiet --data-dir "$to" \
		--level built "$@"
}
find_all() { # FOLDER RECALL OPTION...
	local from=$1 least=$2
	shift 2
	expect 0 stoker vectordb run --quiet --json --data-dir "$from" \
		--queries 40 --search-ef 150 --recall-target "$least" "$@"
}
cat >make.py <<'PY'
import numpy as np
r = np.random.default_rng(1)
def write(name, x, kind="<f4"):
    with open(name, "wb") as f:
        np.array(x.shape, "<u4").tofile(f)
        x.astype(kind).tofile(f)
lengths = r.uniform(0.2, 4, size=(1200, 1))
write("base.fbin", r.normal(size=(1200, 24)) * lengths)
write("query.fbin", r.normal(size=(40, 24)))
write("base.u8bin", r.integers(0, 256, (1200, 24)), "u1")
write("query.u8bin", r.integers(0, 256, (40, 24)), "u1")
write("base.i8bin", r.integers(-128, 128, (1200, 24)), "i1")
write("query.i8bin", r.integers(-128, 128, (40, 24)), "i1")
write("bytes.bin", r.integers(0, 256, (1200, 24)), "u1")
PY
$python make.py
cat >check.py <<'PY'
import sys
import numpy as np
folder, metric, end, kind = sys.argv[1:]
def read(name):
    x = np.fromfile(name + end, kind, offset=8).astype("<f8")
    return x.reshape(-1, 24)
b, q = read("base"), read("query")
t = np.fromfile(folder + "/vectordb/ground_truth.bin", "<u4")[2:402]
d = np.fromfile(folder + "/vectordb/ground_truth.bin", "<f4")[402:]
qx = q @ b.T
lengths = np.linalg.norm(b, axis=1)
want = {"l2": ((q[:, None] - b[None]) ** 2).sum(2), "ip": -qx,
    "cosine": 1 - qx / np.linalg.norm(q, axis=1)[:, None] / lengths}[metric]
assert (np.argsort(want, 1, kind="stable")[:, :10] == t.reshape(40, 10)).all()
assert np.allclose(np.sort(want, 1)[:, :10], d.reshape(40, 10), rtol=1e-4,
    atol=1e-4)
# what lies on the disk: raw vectors, or divided by M and one number longer
f = np.fromfile(folder + "/vectordb/segment_0000_disk.index", "<f4")
dim = 25 if metric == "ip" else 24
per_sector = int(np.fromfile(folder + "/vectordb/segment_0000_disk.index",
    "<u8", 6)[5])
node = int(np.fromfile(folder + "/vectordb/segment_0000_disk.index",
    "<u8", 5)[4]) // 4
x = f[1024:].reshape(-1, 1024)[:, :per_sector * node].reshape(-1, node)[:, :dim]
n = len(b) // 2
if metric == "ip":
    m = lengths[:n].max()
    last = np.sqrt(np.maximum(0, 1 - (lengths[:n] / m) ** 2))[:, None]
    assert np.allclose(x[:n], np.hstack([b[:n] / m, last]), atol=1e-3)
else:
    assert (x[:n] == b[:n].astype("<f4")).all()
norms = folder + "/vectordb/segment_0000_disk.index_max_base_norm.bin"
if metric == "cosine":
    assert (np.fromfile(norms, "<u4", 2) == (n, 1)).all()
    assert np.allclose(np.fromfile(norms, "<f4", offset=8), lengths[:n])
elif metric == "ip":
    assert np.allclose(np.fromfile(norms, "<f4", offset=8), [m])
PY
for metric in l2 cosine ip; do
	gen 0 $metric --metric $metric --vectors base.fbin --query-vectors \
		query.fbin --segments 2 --truth-k 10 --pq-chunks 12
	expect 0 $python check.py $metric $metric .fbin '<f4'
	find_all $metric 0.97
	holds '.points[0].recall_queries == 40'
done
# other queries of the same number are another index
head -c -4 query.fbin >other.fbin
printf '\0\0\0\0' >>other.fbin
gen 2 l2 --vectors base.fbin --query-vectors other.fbin --segments 2 \
	--truth-k 10 --pq-chunks 12
said "holds another index (query_vectors_sha256"
# which are three different questions
for metric in cosine ip; do
	cmp -s l2/vectordb/ground_truth.bin $metric/vectordb/ground_truth.bin &&
		fail "l2 and $metric have the same answers"
done
find_all cosine 0.97 --cache-nodes 60 --node-cache breadth-first --schedule pipelined -n 2
expect 0 stoker vectordb run --quiet --data-dir ip --queries 40 \
	--results-dir r --systemname s
cp r/whatif/local/results/s/vector_database/emulated/DISKANN/run/*/config.json last.out
holds '.metric_type == "IP" and .search_params.metric_type == "IP"'
for kind in u8bin,u1 i8bin,i1; do
	end=${kind%,*}
	gen 0 $end --vectors base.$end --query-vectors query.$end --segments 2 \
		--truth-k 10 --pq-chunks 12
	expect 0 $python check.py $end l2 .$end ${kind#*,}
	find_all $end 0.97
done
gen 2 x --vectors bytes.bin --query-vectors query.u8bin
said "name it .u8bin or .i8bin"
# generated ones of lengths 0.5 to 1.5, and Knowhere's two passes
small="--num-vectors 2000 --dimension 32 --pq-chunks 16 --segments 2
	--num-query-vectors 40 --truth-k 10"
for metric in l2 cosine ip; do
	# shellcheck disable=SC2086
	gen 0 g$metric $small --metric $metric --norm-spread 50 --build knowhere
	find_all g$metric 0.97
done
# shellcheck disable=SC2086
gen 2 gip $small --norm-spread 50 --build knowhere
said "holds another index (metric IP, not L2)"
# shellcheck disable=SC2086
gen 2 gl2 $small --norm-spread 50
said "holds another index (build knowhere, not microsoft)"
rm gip/vectordb/segment_0001_disk.index_max_base_norm.bin
expect 4 stoker vectordb run --quiet --data-dir gip --queries 40
said "segment_0001_disk.index_max_base_norm.bin"
gen 2 x --metric hamming
gen 2 x --build faiss
gen 2 x --norm-spread 10 --vectors base.fbin --query-vectors query.fbin
expect 2 stoker vectordb datagen --data-dir x --metric ip
said "go with --level built"
# a vector or a query without a direction: the file is named, nothing written
cat >zero.py <<'PY'
import numpy as np
x = np.random.default_rng(1).normal(size=(500, 8)).astype("<f4")
for name, n, zero in ("some", 500, None), ("hole", 500, 300), ("holeq", 20, 3):
    y = x[:n].copy()
    if zero is not None:
        y[zero] = 0
    with open(name + ".fbin", "wb") as f:
        np.array(y.shape, "<u4").tofile(f)
        y.tofile(f)
PY
$python zero.py
zero() { # METRIC VECTORS QUERIES
	gen 4 zero --metric "$1" --vectors "$2" --query-vectors "$3" \
		--num-query-vectors 20 --segments 1 --max-degree 8 --pq-chunks 4
	[ ! -e zero ] || fail "written: $(ls zero)"
}
for metric in cosine ip; do
	zero $metric some.fbin holeq.fbin
	said "holeq.fbin"
	said "query 3 is all zeroes"
done
zero cosine hole.fbin some.fbin
said "--vectors hole.fbin: vector 300 is all zeroes"
# queries that lost theirs since
gen 0 lost --metric cosine --vectors some.fbin --query-vectors some.fbin \
	--num-query-vectors 20 --segments 1 --max-degree 8 --pq-chunks 4 \
	--truth-k 10
dd if=/dev/zero of=lost/vectordb/queries.fbin bs=1 seek=$((8 + 3 * 32)) count=32 \
	conv=notrunc status=none
expect 4 stoker vectordb run --quiet --data-dir lost --queries 20
said "lost/vectordb/queries.fbin: query 3 is all zeroes"
# lengths whose distances no float holds: the file and its row, nothing written
cat >long.py <<'PY'
import numpy as np
r = np.random.default_rng(1)
for name, n, long in ("far", 500, 7), ("near", 20, None), ("farq", 20, 3):
    x = r.normal(size=(n, 8)).astype("<f4")
    if long is not None:
        x[long] *= 1.5e19 / np.linalg.norm(x[long])
    with open(name + ".fbin", "wb") as f:
        np.array(x.shape, "<u4").tofile(f)
        x.tofile(f)
PY
$python long.py
long() { # VECTORS QUERIES
	expect 2 stoker vectordb datagen --quiet --data-dir long --level built \
		--vectors "$1" --query-vectors "$2" --num-query-vectors 20 \
		--segments 1 --max-degree 8 --pq-chunks 8
	[ ! -e long ] || fail "written: $(ls long)"
}
long far.fbin near.fbin
said "far.fbin: row 7 is longer than 4.6e+18"
long near.fbin farq.fbin
said "farq.fbin: row 3 is longer than"
no_leftovers
