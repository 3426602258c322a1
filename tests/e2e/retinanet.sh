# Retinanet end to end: jpeg files of 568 x 568 random bytes, two ranks, both
# ways of reading, every byte compared; O_DIRECT is not CLOSED for it.
. "$TESTS/e2e/lib"
set="--model retinanet --param dataset.num_files_train=160
	--computation-time 1ms"
datagen d $set --num-processes 2
train=d/retinanet/train
[ "$(find $train -name '*.jpeg' -size 322624c | wc -l)" = 160 ] ||
	fail "not 160 files of 568^2 bytes"
[ -f $train/img_000_of_160.jpeg ] && [ -f $train/img_159_of_160.jpeg ] ||
	fail "names"
expect 0 jq -e '.total_bytes == 160 * 322624 and .file_crc32 == null
	and .layout.format == "jpeg"' d/retinanet/stoker-manifest.json
for how in --buffered "--odirect --engine pread" \
	"--odirect --queue-depth 1 --param reader.transfer_size=64KiB"; do
	# 80 files a rank, batches of 24: three steps
	run [01] --data-dir d $set --num-accelerators 2 --verify $how \
		--param train.epochs=2
	holds '.runs[0].ranks | length == 2'
	holds '[.runs[].ranks[].epochs[].samples_read] | add == 2 * 2 * 3 * 24'
	holds '[.runs[].ranks[].epochs[].bytes_asked] | add ==
		2 * 2 * 3 * 24 * 322624'
	holds '[.runs[].ranks[].samples_verified] | add == 288'
done
said "reader.odirect is true on retinanet"
run 2 --data-dir d --model retinanet --param dataset.num_files_train=160 \
	--odirect --division closed
said "odirectModel: reader.odirect is true on retinanet"
# whatever lies there is read, since nothing is decoded; --verify finds it
file=$train/img_007_of_160.jpeg
printf '\1\2\3' | dd of=$file bs=1 seek=322600 conv=notrunc status=none
set="$set --param train.epochs=1"
run [01] --data-dir d $set
run 4 --data-dir d $set --verify --odirect
said "$file differs from what was generated at byte 32260"
# a file of another length or content at its start is made again
printf '\1\2\3' | dd of=$file bs=1 seek=0 conv=notrunc status=none
truncate -s 100 $train/img_008_of_160.jpeg
run 4 --data-dir d $set
datagen d $set --num-processes 2 --json
holds '.files_written == 2'
run [01] --data-dir d $set --num-accelerators 2 --verify
# the other accelerators, and the jpeg and npz rows of flux and dlrm
for what in "retinanet mi355 32" "retinanet h100 16" "retinanet a100 16" \
	"flux h100 8" "flux a100 8" "dlrm h100 8" "dlrm a100 8"; do
	set -- $what
	small="--model $1 --accelerator-type $2 --param dataset.num_files_train=64
		--param reader.batch_size=$3 --computation-time 1ms"
	datagen $2 $small
	run [01] --data-dir $2 $small --verify --param train.epochs=1
	holds '[.runs[].ranks[].epochs[].samples_read] | add == 64'
done
