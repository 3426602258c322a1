# Files and folders that are not what they should be: said of the right object,
# before anything runs where that can be.
. "$TESTS/e2e/lib"
datagen d $tiny
train=d/unet3d/train
small="--data-dir d $tiny -p train.epochs=1 -p train.computation_time=5ms"
# a folder, a FIFO, nothing in place of a file: no O_DIRECT is blamed
for ranks in 1 2; do
	mv $train/img_20_of_56.npz kept
	mkdir $train/img_20_of_56.npz
	run 4 $small --odirect -n $ranks
	said "$train/img_20_of_56.npz is a folder, not a file of samples"
	holds '.status == "failed" and .exit_code == 4'
	rmdir $train/img_20_of_56.npz
	mkfifo $train/img_20_of_56.npz
	run 4 $small -n $ranks
	said "$train/img_20_of_56.npz is a special file"
	rm $train/img_20_of_56.npz
	run 4 $small -n $ranks
	said "$train/img_20_of_56.npz: No such file or directory; is the data set"
	mv kept $train/img_20_of_56.npz
done
# what datagen finds so, it mends or refuses
mv $train/img_20_of_56.npz kept
mkdir $train/img_20_of_56.npz
expect 4 stoker training datagen --data-dir d $tiny --json
said "img_20_of_56.npz: Is a directory"
holds '.status == "failed"'
[ -z "$(find d -name '*.part')" ] || fail "half a file was left"
rmdir $train/img_20_of_56.npz
mv kept $train/img_20_of_56.npz
datagen d $tiny
# in place of the data folder: a file, nothing
echo >file
run 2 --data-dir file $tiny
said "--data-dir file is a file, not a folder"
holds '.status == "failed" and .exit_code == 2'
run 2 --data-dir file/x $tiny
run 2 --data-dir nowhere $tiny
said "--data-dir nowhere: no such folder"
for dir in file file/x; do
	expect 2 stoker training datagen --data-dir $dir $tiny --json
	said "a part of it is a file, not a folder"
	holds '.status == "failed"'
done
# during a run: cut short, removed (large files, so that there is the time)
datagen e --scale 1/32 -p dataset.num_files_train=28
big="--data-dir e --scale 1/32 --odirect --limit-read 60MB/s --quiet --json
	-p train.computation_time=20ms"
victims() { ls e/unet3d/train/*.npz; }
# until samples are being read, which a busy machine is late with
reading() {
	local i n=0
	for i in $(seq 200); do
		[ -n "$(find /proc/[0-9]*/fd -lname "$PWD/e/unet3d/train/*.npz" \
			2>/dev/null | head -n 1)" ] && n=$((n + 1)) || n=0
		[ $n = 3 ] && return
		sleep 0.1
	done
}
for how in "cut" "remove" "cut -n 2" "remove -n 2" "cut --engine pread"; do
	set -- $how
	what=$1
	shift
	cp -r e kept
	"$STOKER" training run $big "$@" >last.out 2>last.err &
	pid=$!
	reading
	for f in $(victims); do
		[ $what = cut ] && truncate -s 1M "$f" || rm "$f"
	done
	wait $pid
	code=$?
	[ $code = 4 ] || fail "exit code $code: $(tail -n 3 last.err)"
	if [ $what = cut ]; then
		said "was it changed during the run?"
		grep -qE "short read of|img_.*.npz has 1048576 bytes and should have" \
			last.err || fail "what was changed? $(cat last.err)"
	else
		said "(is the data set complete"
	fi
	holds '.status == "failed" and [.runs[].status] == ["failed"]'
	no_leftovers
	rm -r e
	mv kept e
done
# holes: reads of them never reach the device
for f in $train/img_0*.npz; do
	fallocate --punch-hole -o 8192 -l 32768 "$f" || skip "no holes here"
done
run [01] $small
holds '[.notes[] | select(.id == "holes") | .text] | length == 1 and
	(.[0] | test("[0-9]+ of 16 sampled files have holes: reads of holes do not reach the device"))'
run [01] --data-dir e --scale 1/32 -p train.epochs=1 -p train.computation_time=5ms
holds '[.notes[] | select(.id == "holes")] == []'
# not for us to read
[ "$(id -u)" = 0 ] || exit 0
chmod 755 .
cp "$STOKER" stoker
nobody="setpriv --reuid 65534 --regid 65534 --clear-groups ./stoker"
$nobody version >last.out 2>&1 || exit 0
chmod 700 d/unet3d
expect 3 $nobody training run $small --json
said "d/unet3d may not be read by uid 65534 (EACCES)"
holds '.status == "failed" and .exit_code == 3'
chmod 755 d/unet3d
chmod 600 $train/img_00_of_56.npz
expect 3 $nobody training run $small --json
said "cannot open $train/img_00_of_56.npz: Permission denied"
