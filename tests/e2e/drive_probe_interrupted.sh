# Ctrl-C, SIGTERM and even SIGKILL leave nothing of a probe behind.
. "$TESTS/e2e/lib"
mkdir data
dd if=/dev/zero of=data/direct bs=4096 count=1 oflag=direct 2>/dev/null ||
	skip "this file system has no O_DIRECT"
rm data/direct
works() { # PID: has it its file?
	# shellcheck disable=SC2010
	ls -l "/proc/$1/fd" 2>/dev/null | grep -q stoker-probe
}
for signal in INT TERM KILL; do
	stoker=$STOKER
	"$stoker" drive probe --data-dir data --size 64MiB --seconds 60 \
		--out p.json --json >last.out 2>last.err &
	pid=$!
	wait_for 20 works $pid
	sleep 0.3
	kill -$signal $pid
	wait $pid
	code=$?
	[ $signal = KILL ] || [ $code = 130 ] || fail "$signal: exit code $code"
	[ $signal = KILL ] || holds '.status == "interrupted"'
	[ -z "$(ls -A data)" ] || fail "$signal left: $(ls -A data)"
	[ ! -e p.json ] || fail "$signal: a profile"
done
no_leftovers
