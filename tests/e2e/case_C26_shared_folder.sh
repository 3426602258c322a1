# "The shared folder" is two local ones: found before any I/O, by content, and
# the host that misses it is named: mlcommons/storage#619, #566, #772.
. "$TESTS/e2e/lib"
hosts_apart
datagen d $tiny
cp -a d other
mkdir results
job() { # CODE OPTION...
	local code=$1
	shift
	expect "$code" mpirun --allow-run-as-root --oversubscribe -n 3 ./rank \
		training run --data-dir d $tiny -p train.epochs=1 --quiet --json \
		-p train.computation_time=5ms "$@"
}
hidden() { find d other results -name '.stoker-*'; }
BIND='' job [01] --results-dir results
holds '[.notes[] | select(.id == "results-dir" or .id == "shared-check")] == []'
BIND=other:d job 3 --results-dir results
said "d/unet3d is not the same folder on every host: 1 of 3 hosts miss what rank 0 wrote there: $(hostname) (rank 1)"
[ "$(grep -c "^stoker: .*not the same folder" last.err)" = 1 ] || fail "told twice"
[ -z "$(hidden)" ] || fail "a token was left: $(hidden)"
# results are rank 0's own business, but it is said
mkdir elsewhere
BIND=elsewhere:results job [01] --results-dir results
holds '[.notes[] | select(.id == "results-dir") | .text] | length == 1 and
	(.[0] | contains("(rank 1): another folder"))'
# the same folder through a bind mount is the same: device numbers do not count
BIND=d:d job [01]
# a folder that may not be written is judged by its time stamp
mkdir ro
touch -d 2020-01-01 other/unet3d
mount --bind d ro && mount -o remount,bind,ro ro || skip "cannot mount"
trap 'umount ro' EXIT
sed -i 's/data-dir d/data-dir ro/' rank
job() {
	local code=$1
	shift
	expect "$code" mpirun --allow-run-as-root --oversubscribe -n 2 ./rank \
		training run --data-dir ro $tiny -p train.epochs=1 --quiet \
		--json -p train.computation_time=5ms "$@"
}
BIND='' job [01]
holds '[.notes[] | select(.id == "shared-check")] | length == 1'
BIND=other:ro job 3
said "miss what rank 0 sees there"
