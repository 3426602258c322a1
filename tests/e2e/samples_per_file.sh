# Several samples in a file: numpy sees them as the last dimension; the steps
# count samples; a file costs what the reference's readers pay for it.
. "$TESTS/e2e/lib"
$python -c 'import numpy' || skip "no numpy for $python"
set="--param dataset.num_files_train=10 --param dataset.num_samples_per_file=5
	--param dataset.record_length_bytes=40000
	--param dataset.record_length_bytes_stdev=9000"
datagen d $set
train=d/unet3d/train
$python - $train <<'END'
import sys, glob, numpy as np
for p in glob.glob(sys.argv[1] + "/*.npz"):
    with np.load(p) as z: # checks the CRC, too
        x, y = z["x"], z["y"]
    assert x.ndim == 3 and x.shape[2] == 5 and x.dtype == np.uint8, x.shape
    assert y.shape == (5,) and y.dtype == np.int64
END
[ $? = 0 ] || fail "numpy"
all=$(cat $train/*.npz | wc -c)
# 50 samples in batches of 2: 25 steps; both readers have a batch in each file
small="$set --param reader.batch_size=2 --param reader.read_threads=2
	--param train.epochs=2 --computation-time 1ms"
run [01] --data-dir d $small --buffered --verify
holds '[.runs[].ranks[].epochs[].steps] == [25, 25]'
holds '[.runs[].ranks[].epochs[].samples_read] == [50, 50]'
holds '[.runs[].ranks[].epochs[].bytes_asked] == [$b, $b]' \
	--argjson b $((2 * all))
run [01] --data-dir d $small --odirect --verify
holds '[.runs[].ranks[].epochs[].bytes_asked] == [$b, $b]' \
	--argjson b $((5 * all))
# one reader has each file once; a modelled drive costs the same
run [01] --data-dir d $small --buffered --param reader.read_threads=1
holds '[.runs[].ranks[].epochs[].bytes_asked] == [$b, $b]' --argjson b $all
run [01] --drive constant:1GB/s,0us $small --param reader.read_threads=1
holds '[.runs[].ranks[].epochs[].bytes_asked] == [$b, $b]' --argjson b $all
# floor(3 * 5 / 7) = 2 steps for each of three ranks, and one file left out
run [01] --data-dir d $set --num-accelerators 3 --in-process \
	--param reader.batch_size=7 --param train.epochs=1
holds '[.runs[].ranks[].epochs[].steps] == [2, 2, 2]'
# more than can be counted
run 2 --drive null --param dataset.num_files_train=4000000000 \
	--param dataset.num_samples_per_file=100 --param reader.batch_size=1
said "make more than 2^32 steps"
# another number than the set's is not read as if it were
run 2 --data-dir d $small --param dataset.num_samples_per_file=4
said "num_samples_per_file=5"
rm d/unet3d/stoker-manifest.json
run 4 --data-dir d $small --param dataset.num_samples_per_file=4
said "last dimension"
run [01] --data-dir d $small
