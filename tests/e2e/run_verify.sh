# --verify finds a flipped byte wherever it is.
. "$TESTS/e2e/lib"
set="--param dataset.num_files_train=14 --param dataset.record_length_bytes=300000
	--param dataset.record_length_bytes_stdev=100000"
datagen d $set
file=d/unet3d/train/img_05_of_14.npz
size=$(stat -c %s $file)
cp $file good
for at in 14 162 163 150000 $((size - 459)) $((size - 150)) $((size - 1)); do
	$python - $file $at <<'END'
import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(int(sys.argv[2]))
    b = f.read(1)
    f.seek(-1, 1)
    f.write(bytes([b[0] ^ 1]))
END
	for mode in --odirect --buffered; do
		run 4 --data-dir d $set --verify $mode --param train.epochs=1
		holds '.status == "failed"'
		said "$file differs from what was generated at byte $at"
	done
	cp good $file
done
# without it the bytes are only counted, as the reference does
printf '\1\2\3' | dd of=$file bs=1 seek=1000 conv=notrunc status=none
run [01] --data-dir d $set
cp good $file
run [01] --data-dir d $set --verify
holds '.runs[0].ranks[0].samples_verified == 70'
run 2 --drive null $set --verify
said "a modelled drive holds no content"
