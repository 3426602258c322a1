. "$TESTS/e2e/lib"
set="--param dataset.num_files_train=9 --param dataset.record_length_bytes=64KiB
	--param dataset.record_length_bytes_stdev=0"
datagen d $set --engine pread --buffered
stat -c '%n %Y %Z %s %i' d/unet3d/train/* d/unet3d/*.json >before
sleep 0.05
expect 0 stoker training datagen --data-dir d $set
said "complete already: nothing was written"
stat -c '%n %Y %Z %s %i' d/unet3d/train/* d/unet3d/*.json | cmp - before ||
	fail "something was touched"
# one file lost, one cut short: those two are made again, and only those
rm d/unet3d/train/img_3_of_9.npz
truncate -s 100 d/unet3d/train/img_5_of_9.npz
expect 0 stoker training datagen --json --data-dir d $set
holds '.status == "finished" and .files_written == 2 and .scaled == false'
[ "$(stat -c '%n %Y %Z %s %i' d/unet3d/train/* | grep -cxFf - before)" = 7 ] ||
	fail "other files were written again"
run 1 --data-dir d $set --verify --param reader.batch_size=1 \
	--limit-read 5MB/s --computation-time 1us
holds '.runs[0].ranks[0].samples_verified == 45'
