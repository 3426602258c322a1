# Names, folders, shapes and checksums, with 1, 2 and 3 processes: numpy's own
# generator tells the sizes, zipfile and numpy read the files.
. "$TESTS/e2e/lib"
$python -c 'import numpy' || skip "no numpy for $python"
for p in 1 2 3; do
	folders=$((p == 2 ? 3 : 0))
	datagen "set$p" --num-processes $p --param dataset.num_files_train=10 \
		--param dataset.num_subfolders_train=$folders \
		--param dataset.record_length_bytes=40000 \
		--param dataset.record_length_bytes_stdev=20000
	[ -d "set$p/unet3d/valid" ] && [ -d "set$p/unet3d/test" ] ||
		fail "valid/ and test/ are missing"
	$python - "set$p/unet3d" $p $folders <<'END' || fail "$p processes"
import math, os, sys, zipfile
import numpy as np
folder, P, S, N, rl, stdev = *sys.argv[1:2], *map(int, sys.argv[2:]), 10, 40000, 20000
drawn = [np.random.RandomState(10 + r).normal(
    int(math.sqrt(rl)), stdev / 2 / math.sqrt(rl), 2 * N) for r in range(P)]
for i in range(N):
    sub = f"{i % S}/" if S > 1 else ""
    path = f"{folder}/train/{sub}img_{i:02d}_of_10.npz"
    z = np.load(path)
    want = tuple(max(int(v), 1) for v in drawn[i % P][2 * i:2 * i + 2]) + (1,)
    assert z.files == ["x", "y"], z.files
    assert z["x"].shape == want and z["x"].dtype == np.uint8, (path, want)
    assert z["y"].shape == (1,) and z["y"].dtype == np.int64
    assert z["y"][0] == 0
    assert zipfile.ZipFile(path).testzip() is None
    assert os.path.getsize(path) == z["x"].nbytes + 458
found = sum(len(f) for _, _, f in os.walk(f"{folder}/train"))
assert found == N, found
END
done
$python -m zipfile -t set1/unet3d/train/img_00_of_10.npz >last.out ||
	fail "python -m zipfile -t"
# a data-dir that ends in the model's name is the data folder itself
datagen named/unet3d --param dataset.num_files_train=1 \
	-p dataset.record_length_bytes=4096 -p dataset.record_length_bytes_stdev=0
[ -f named/unet3d/train/img_0_of_1.npz ] || fail "named/unet3d"
