# Interrupted half-way: what is finished stays, the same command continues.
. "$TESTS/e2e/lib"
for p in 1 2; do
	set="--scale 1/8 --num-processes $p --param dataset.num_files_train=112"
	train=set$p/unet3d/train
	"$STOKER" training datagen --data-dir set$p $set >first.out 2>first.err &
	pid=$!
	some_files() { [ "$(ls $train/*.npz 2>/dev/null | wc -l)" -ge 3 ]; }
	wait_for 20 some_files
	kill -INT $pid
	wait $pid
	code=$?
	[ $code = 130 ] || fail "exit code $code after SIGINT: $(cat first.err)"
	grep -qF "the same command continues" first.err || fail "not told"
	no_leftovers
	! ls $train/*.part 2>/dev/null || fail ".part files left"
	kept=$(ls $train/*.npz | wc -l)
	[ "$kept" -lt 112 ] || fail "it was too fast to interrupt"
	stat -c '%n %Y %s %i' $train/*.npz >before
	# a run on it says that it is not complete
	expect 2 stoker training run --scale 1/8 --data-dir set$p
	said "is not complete"
	expect 0 stoker training datagen --json --data-dir set$p $set
	holds ".files == 112 and .files_written == 112 - $kept"
	stat -c '%n %Y %s %i' $train/*.npz >after
	[ "$(ls $train | wc -l)" = 112 ] || fail "not complete after all"
	! grep -vxFf after before || fail "finished files were written again"
	# nothing is lost of the checksums either
	run [01] --scale 1/8 --data-dir set$p --verify --odirect \
		--param train.epochs=1 --limit-read 100GB/s
	holds '.runs[0].ranks[0].samples_verified == 112'
	rm -r set$p
done
