# Files that numpy wrote are read, by both of its writers (the later one puts
# 0xFFFFFFFF into the 32-bit sizes); what is no npz or is compressed is not.
. "$TESTS/e2e/lib"
$python -c 'import numpy' || skip "no numpy for $python"
small="--param dataset.num_files_train=8 --param reader.batch_size=2
	--param dataset.record_length_bytes=40000 --param train.epochs=2"
train=d/unet3d/train
mkdir -p $train
$python - $train <<'END'
import sys, numpy as np
r = np.random.default_rng(1)
for i in range(8):
    np.savez(f"{sys.argv[1]}/img_{i}_of_8.npz", y=np.zeros(1, np.int64),
             x=r.integers(0, 256, (200, 200 + i, 1), np.uint8))
END
for how in --odirect --buffered "--in-process --num-accelerators 2 --engine pread"; do
	run [01] --data-dir d $small $how
	holds '[.runs[].ranks[].epochs[].samples_read] | add == 16'
	holds '[.runs[].ranks[].epochs[].bytes_asked] | add == $b' --argjson b \
		$((2 * $(cat $train/* | wc -c)))
done
cp "$TESTS/fixtures/numpy_py312.npz" $train/img_0_of_8.npz
run [01] --data-dir d $small --odirect
refused() { # FILE TEXT: in place of file 0
	cp "$1" $train/img_0_of_8.npz
	run 4 --data-dir d $small
	holds '.status == "failed" and .exit_code == 4'
	said "$train/img_0_of_8.npz"
	said "$2"
}
refused "$TESTS/fixtures/numpy_deflate.npz" "method 8"
echo "this is a text, not an archive" >text
refused text "is"
cp text $train/img_3_of_8.npz # not only the first file is looked at
cp $train/img_1_of_8.npz $train/img_0_of_8.npz
run 4 --data-dir d $small
said "$train/img_3_of_8.npz"
cp $train/img_1_of_8.npz $train/img_3_of_8.npz
head -c 20000 $train/img_1_of_8.npz >cut
refused cut ""
: >empty
refused empty "is empty"
$python -c 'import numpy; numpy.savez("other.npz", z=numpy.zeros(9))'
refused other.npz 'no array "x"'
# a missing file is named, with the likely reason
rm $train/img_0_of_8.npz
run 4 --data-dir d $small
said "img_0_of_8.npz"
said "is the data set complete"
# a set of another tool has no manifest to verify against
run 2 --data-dir d $small --verify
said "--verify needs the manifest"
