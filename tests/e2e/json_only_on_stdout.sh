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
# every command that has --json, whatever is wrong and wherever it stands
stoker --help | sed -n 's/^  stoker \(.\{23\}\) .*/\1/p' >commands
[ "$(wc -l <commands)" -gt 20 ] || fail "$(cat commands)"
while read -r noun verb; do
	# shellcheck disable=SC2086
	stoker $noun $verb --help | grep -q -- " --json " || continue
	echo "$noun $verb" >>with
	# shellcheck disable=SC2086
	one 2 failed stoker $noun $verb --bogus --json
	# shellcheck disable=SC2086
	one 2 failed stoker $noun $verb --json --bogus
done <commands
[ "$(wc -l <with)" -gt 20 ] || fail "$(cat with)"
one 2 failed stoker training datasize --json --model nope
one 2 failed stoker history --json --results-dir nowhere
one 2 failed stoker rules explain --json 9.9
for command in "drive list" "training profiles" "recipe list"; do
	# shellcheck disable=SC2086
	one 2 failed stoker $command --json --config-dir nowhere
done
one 2 failed stoker drive show --json nope
