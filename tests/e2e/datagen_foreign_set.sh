# What another set left in a folder is neither mixed with nor lost.
. "$TESTS/e2e/lib"
flat="-p dataset.record_length_bytes_stdev=0"
set="-p dataset.record_length_bytes=16384 $flat"
mkdir -p d/unet3d/train
echo precious >d/unet3d/train/img_0_of_4.npz
expect 2 stoker training datagen --data-dir d $set -p dataset.num_files_train=4
said "another tool's data set"
[ "$(cat d/unet3d/train/img_0_of_4.npz)" = precious ] || fail "it is gone"
[ "$(find d -type f | wc -l)" = 1 ] || fail "files were added"
expect 0 stoker training datagen --data-dir d $set -p dataset.num_files_train=4 \
	--overwrite
[ "$(ls d/unet3d/train | wc -l)" = 4 ] || fail "not overwritten"
# now it is ours: other parameters are refused and named
other() {
	expect 2 stoker training datagen --data-dir d "$@"
	said "d/unet3d holds another data set"
}
other $set -p dataset.num_files_train=5
other $flat -p dataset.record_length_bytes=20000 -p dataset.num_files_train=4
other $set -p dataset.num_files_train=4 --seed 2
other $set -p dataset.num_files_train=4 --content reference
[ "$(ls d/unet3d/train | wc -l)" = 4 ] || fail "it was changed"
expect 0 stoker training datagen --data-dir d $set -p dataset.num_files_train=5 \
	--overwrite
[ "$(ls d/unet3d/train | wc -l)" = 5 ] || fail "old files stayed"
# a run that asks for another set than the one there
expect 2 stoker training run --data-dir d $set -p dataset.num_files_train=4 \
	-p reader.batch_size=1
said "holds 5 files of 16384 bytes"
