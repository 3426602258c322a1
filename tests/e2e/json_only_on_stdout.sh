# With --json, stdout is one document whatever happens: axboe/fio#731.
. "$TESTS/e2e/lib"
one() { # CODE STATUS COMMAND...
	local code=$1 status=$2
	shift 2
	expect "$code" "$@"
	holds '.status == $s and .exit_code == $c' --arg s "$status" \
		--argjson c "$code"
}
one 0 finished stoker training datagen --data-dir d $tiny --json
one 0 finished stoker training datagen --data-dir d $tiny --json
for ranks in 1 2; do
	run="stoker training run --data-dir d $tiny --json -n $ranks"
	one 0 finished $run -p train.computation_time=50ms
	one 1 finished $run --limit-read 5MB/s -p train.epochs=1 \
		-p train.computation_time=5ms
	cp d/unet3d/train/img_00_of_56.npz kept
	echo broken >d/unet3d/train/img_00_of_56.npz
	one 4 failed $run
	holds '.error | contains("img_00_of_56.npz")'
	rm d/unet3d/train/img_00_of_56.npz
	one 4 failed $run
	mv kept d/unet3d/train/img_00_of_56.npz
done
expect 0 stoker training datasize --json
holds .num_files_train
expect 0 stoker training profiles --json
holds 'length > 5'
