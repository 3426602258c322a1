# A report that the file system did not take is not success: axboe/fio#731.
. "$TESTS/e2e/lib"
for command in "training datasize" "training profiles --json" "--help" \
	"training run --drive null -p dataset.num_files_train=70 --quiet" \
	"training run --drive null -p dataset.num_files_train=70 --json"; do
	expect 4 bash -c '"$STOKER" "$@" >/dev/full' - $command
	said "cannot write to standard output: No space left on device"
done
