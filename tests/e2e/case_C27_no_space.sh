# No room: refused before anything is written: axboe/fio#731.
. "$TESTS/e2e/lib"
set="--param dataset.num_files_train=32 --param dataset.record_length_bytes=4MiB
	--param dataset.record_length_bytes_stdev=0"
mkdir small
mount -t tmpfs -o size=64m tmpfs small 2>/dev/null || skip "cannot mount a tmpfs"
trap 'umount small' EXIT
expect 4 stoker training datagen --json --data-dir small $set
holds '.status == "failed" and .exit_code == 4 and (has("files_written") | not)'
said "no room for the data set: small/unet3d needs"
said "nothing was written"
[ -z "$(ls -A small)" ] || fail "something was written: $(find small)"
expect 4 stoker training datagen --data-dir small $set --dry-run
# out of inodes on the way: the file in work goes, the rest stays
mount -o remount,size=512m,nr_inodes=20 small
expect 4 stoker training datagen --json --data-dir small $set --num-processes 2
holds '.status == "failed" and (.error | contains("no space"))'
said "0 inodes free"
no_leftovers
! ls small/unet3d/train/*.part 2>/dev/null || fail "half a file was left"
mount -o remount,size=512m,nr_inodes=200 small
expect 0 stoker training datagen --json --data-dir small $set --num-processes 2
holds '.files == 32 and .files_written < 32'
