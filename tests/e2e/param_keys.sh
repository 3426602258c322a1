# --help-params lists every key of --param; each is taken; CLOSED's word is the
# edition's.
. "$TESTS/e2e/lib"
for command in datasize datagen run; do
	expect 0 stoker training $command --help-params
	[ "$(grep -c . last.out)" -ge 13 ] || fail "keys: $(cat last.out)"
done
grep -qE '^reader.odirect +true or false +allowed' last.out || fail "odirect"
grep -qE '^reader.batch_size +1 to 1000000 +no ' last.out || fail "batch"
sed 1d last.out | while read -r key range; do
	case $range in
	only*) value=1 ;;
	[0-9]*) value=2 ;;
	size*) value=64KiB ;;
	time*) value=10ms ;;
	true*) value=yes ;;
	npz*) value=npz ;;
	*) fail "$key: what is $range?" ;;
	esac
	# the default deviation is that of samples of 140 MB
	expect 0 stoker training datasize \
		-p dataset.record_length_bytes_stdev=0 -p "$key=$value"
	expect 2 stoker training datasize -p "$key=x"
	said "$key"
done || exit 1
expect 2 stoker training datasize -p reader.read_threads=257
said "reader.read_threads"
expect 2 stoker training datasize -p reader.read_thread=2
said "did you mean reader.read_threads?"
expect 2 stoker training datasize -p reader.computation_threads=2
said "the rules of v3.0 know this key, but it steers nothing here"
# another edition may think otherwise
mkdir -p conf/editions
jq '.training.closed_params += ["train.epochs"]' \
	"$TESTS/../configs/editions/v3.0.json" >conf/editions/v3.0.json
expect 0 stoker training run --config-dir conf --help-params
grep -qE '^train.epochs .* allowed ' last.out || fail "edition"
# a misspelt key of a configuration file
mkdir -p conf/accelerators
echo '{"name": "x1", "memory_gb": 1, "workloads": {"unet3d": {"batchsize": 7}}}' \
	>conf/accelerators/x1.json
expect 2 stoker training datasize --config-dir conf -g x1
said "unknown key 'batchsize' (did you mean 'batch_size'?)"
