# A results folder that cannot take results is found before the first run, not
# after hours of them: mlcommons/storage#772, #779.
. "$TESTS/e2e/lib"
datagen d $tiny
small="--data-dir d $tiny -p train.epochs=1 -p train.computation_time=5ms --json"
# on the file system of the data: warned of at once, and the run goes on
for ranks in 1 2; do
	expect [01] stoker training run $small --results-dir new/r -n $ranks
	said "stoker: warning: data and results are on the same file system"
	[ "$(grep -c "^stoker: warning" last.err)" = 1 ] || fail "not once"
	[ "$(grep -n "^stoker: warning" last.err | cut -d: -f1)" -lt \
		"$(grep -n "^run 1" last.err | head -n 1 | cut -d: -f1)" ] ||
		fail "not before the run"
	holds '[.notes[] | select(.id == "not-closed") | .text] |
		any(contains("data and results are on the same file system"))'
	[ -z "$(find new -name '.stoker-*')" ] || fail "the probe was left"
	rm -r new
done
echo >file
for dir in file file/x; do
	run 4 $small --results-dir $dir
	said "before the first run"
	said "Not a directory"
	holds '.status == "failed" and .runs == []'
done
[ "$(id -u)" = 0 ] || skip "the rest needs root"
mkdir small
mount -t tmpfs -o size=1m tmpfs small 2>/dev/null || skip "cannot mount a tmpfs"
trap 'umount -l small 2>/dev/null' EXIT
for ranks in 1 2; do
	head -c 1048576 /dev/zero >small/full
	run 4 $small --results-dir small -n $ranks
	said "--results-dir small cannot be written: No space left on device; nothing was run"
	holds '.status == "failed" and .runs == [] and .exit_code == 4'
	no_leftovers
	rm small/full
	run 4 $small --results-dir small -n $ranks --runs 500
	said "--results-dir small has room for"
	run [01] $small --results-dir small -n $ranks
	rm -r small/*
	mount -o remount,ro small
	run 3 $small --results-dir small -n $ranks
	said "--results-dir small cannot be written: Read-only file system"
	holds '.status == "failed" and .exit_code == 3'
	mount -o remount,rw small
done
# full in the middle: the runs that have ended keep theirs, the cause is told
"$STOKER" training run $small --results-dir small --runs 20 --quiet \
	-p train.computation_time=60ms >last.out 2>last.err &
pid=$!
leaves() { ls -d small/*/*/*/*/*/*/*/2* 2>/dev/null; }
one() { [ -n "$(leaves)" ]; }
wait_for 20 one
head -c 2097152 /dev/zero >small/full 2>/dev/null
wait $pid
code=$?
[ $code = 4 ] || fail "exit code $code: $(tail -n 3 last.err)"
said "the run itself finished, but its files could not be written"
said "No space left on device"
holds '.status == "failed" and .runs[0].status == "finished"'
[ -z "$(find small -name '*.partial' -o -name '*.tmp')" ] || fail "halves left"
for leaf in $(leaves); do
	jq -e . "$leaf"/*.json >/dev/null || fail "$leaf is no document"
done
