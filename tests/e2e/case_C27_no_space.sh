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
# somebody else takes the room on the way: the file in work goes, what is
# finished stays, and the same command goes on when there is room again
mount -o remount,size=600m,nr_inodes=400 small || exit 0
set="--param dataset.num_files_train=70 --param dataset.record_length_bytes=8MiB
	--param dataset.record_length_bytes_stdev=0"
for how in "" "--buffered" "--num-processes 2"; do
	rm -rf small/*
	"$STOKER" training datagen --json --data-dir small $set $how \
		>last.out 2>last.err &
	pid=$!
	some() { ls small/unet3d/train/*.npz >/dev/null 2>&1; }
	wait_for 20 some
	for mib in 400 200 100 50 20 10 5 2 1; do
		fallocate -l ${mib}M small/fill$mib 2>/dev/null
	done
	wait $pid
	code=$?
	[ $code = 4 ] || fail "exit code $code: $(cat last.err)"
	said "no space for small/unet3d/train/img_"
	said ".npz.part: needs 8.00 MiB, small/unet3d has "
	holds '.status == "failed" and .exit_code == 4'
	[ -z "$(find small -name '*.part' -o -name '*.tmp')" ] || fail "halves left"
	no_leftovers
	rm small/fill*
	expect 0 stoker training datagen --json --data-dir small $set $how
	holds '.files == 70 and .files_written < 70 and .files_written > 0'
done
