# HDF5 sets: written by stoker, read by h5py; written by h5py, read by stoker.
. "$TESTS/e2e/lib"
$python -c 'import h5py, numpy' || skip "no h5py for $python"
set="--param dataset.num_files_train=14 --param dataset.record_length_bytes=300000
	--param dataset.record_length_bytes_stdev=100000
	--param dataset.format=hdf5 --computation-time 1ms"
datagen d $set --num-processes 2
train=d/unet3d/train
all=$(cat $train/*.hdf5 | wc -c)
look() { # FOLDER SAMPLES: what h5py sees there
	$python - "$1" "$2" <<'END'
import sys, glob, json, h5py, numpy as np
spf = int(sys.argv[2])
files = sorted(glob.glob(sys.argv[1] + "/train/*.hdf5"))
assert files
for p in files:
    raw = open(p, "rb").read()
    with h5py.File(p, "r") as f:
        r, l = f["records"], f["labels"]
        at = r.id.get_offset()
        assert r.chunks is None and r.dtype == np.uint8, r
        assert r.ndim == 3 and r.shape[0] == spf, r.shape
        assert at % 4096 == 0, at
        assert l.dtype == np.int64 and l.shape == (spf,) and not l[:].any()
        x = r[...]
        assert x.tobytes() == raw[at:at + x.size]
        assert at + x.size + 8 * spf == len(raw)
        assert np.bincount(x.ravel(), minlength=256).min() > 0
m = json.load(open(sys.argv[1] + "/stoker-manifest.json"))
assert m["layout"]["format"] == "hdf5" and "file_crc32" not in m
END
	[ $? = 0 ] || fail "h5py"
}
look d/unet3d 1
for how in --buffered --odirect; do
	run [01] --data-dir d $set --verify $how --num-accelerators 2 \
		--param train.epochs=1
	holds '[.runs[].ranks[].epochs[].bytes_asked] | add == $b' \
		--argjson b $all
	holds '[.runs[].ranks[].samples_verified] | add == 14'
done
said "dataset.format"
# flipped: in the head, the payload and the labels
file=$train/img_05_of_14.hdf5
size=$(stat -c %s $file)
cp $file good
for at in 24 4095 4096 100000 $((size - 8)) $((size - 1)); do
	$python - $file $at <<'END'
import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(int(sys.argv[2]))
    b = f.read(1)
    f.seek(-1, 1)
    f.write(bytes([b[0] ^ 1]))
END
	run 4 --data-dir d $set --verify --odirect --param train.epochs=1
	said "$file differs from what was generated at byte $at"
	cp good $file
done
# resumed: what is damaged at its start or short is made again
printf x | dd of=$file bs=1 seek=30 conv=notrunc status=none
truncate -s 5000 $train/img_06_of_14.hdf5
datagen d $set --num-processes 2 --json
holds '.files_written == 2'
# several samples in a file: each costs its own bytes
many="--param dataset.num_files_train=6 --param dataset.num_samples_per_file=4
	--param dataset.record_length_bytes=40000 --param dataset.format=hdf5
	--param dataset.record_length_bytes_stdev=0
	--param reader.batch_size=3 --param train.epochs=2
	--computation-time 1ms"
datagen m $many
look m/unet3d 4
run [01] --data-dir m $many --buffered --verify
holds '[.runs[].ranks[].epochs[].bytes_asked] == [$b, $b]' \
	--argjson b $((24 * 200 * 200))
run [01] --data-dir m $many --odirect --verify
run [01] --drive constant:1GB/s,0us $many
holds '[.runs[].ranks[].epochs[].bytes_asked] == [$b, $b]' \
	--argjson b $((24 * 200 * 200))
# another tool's files, and what is refused
mkdir -p f/unet3d/train
foreign() { # ARGUMENTS of create_dataset
	$python - "$1" <<'END'
import sys, h5py, numpy as np
for i in range(4):
    with h5py.File(f"f/unet3d/train/img_{i}_of_4.hdf5", "w") as f:
        eval("f.create_dataset(" + sys.argv[1] + ")")
        f.create_dataset("labels", data=[0])
END
	run "$2" --data-dir f --param dataset.num_files_train=4 --odirect \
		--param dataset.format=hdf5 --param reader.batch_size=2 \
		--param train.epochs=1 --computation-time 1ms
	[ -z "${3:-}" ] || said "$3"
}
foreign '"records", data=np.ones((1, 90, 80), np.uint8)' [01]
foreign '"records", data=np.ones((1, 90, 80), np.uint8), chunks=(1, 9, 8)' 4 \
	"is not contiguous"
foreign '"records", data=np.ones((1, 90, 80), np.float32)' 4 "is not of bytes"
foreign '"records", data=np.ones((2, 90, 80), np.uint8)' 4 \
	"does not hold dataset.num_samples_per_file"
foreign '"record", data=np.ones((1, 90, 80), np.uint8)' 4 \
	'has no dataset "records"'
cp good f/unet3d/train/img_0_of_4.hdf5
truncate -s 50000 f/unet3d/train/img_0_of_4.hdf5
run 4 --data-dir f --param dataset.num_files_train=4 \
	--param dataset.format=hdf5 --param reader.batch_size=2
said "img_0_of_4.hdf5: cannot open it as an HDF5 file"
cp good f/unet3d/train/img_0_of_4.hdf5
printf 'no file of that kind' >f/unet3d/train/img_2_of_4.hdf5
run 4 --data-dir f --param dataset.num_files_train=4 \
	--param dataset.format=hdf5 --param reader.batch_size=2
said "img_2_of_4.hdf5 does not start as an HDF5 file does"
