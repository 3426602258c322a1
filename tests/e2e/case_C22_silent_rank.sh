# A rank that is stopped is told of, by whoever is alive, and never killed:
# mlcommons/storage#185.
. "$TESTS/e2e/lib"
datagen d --scale 1/32 --param dataset.num_files_train=56
export STOKER_WATCHDOG_S=3
limit_s=5
[ -z "${ASAN_OPTIONS:-}" ] || limit_s=12 # the look for leaks takes its time
ranks() { # pids, in order of rank
	for p in $(leftovers); do
		tr '\0' '\n' <"/proc/$p/environ" |
			sed -n "s/^OMPI_COMM_WORLD_RANK=\(.*\)/\1 $p/p"
	done | sort -n | sed 's/.* //'
}
four() { [ "$(ranks | wc -l)" = 4 ]; }
begun() { grep -q "step 1/" last.err; }
begin() { # OPTION...
	"$STOKER" training run --data-dir d --scale 1/32 -n 4 --odirect --json \
		-p train.epochs=1 -p train.computation_time=200ms \
		-p reader.batch_size=1 "$@" >last.out 2>last.err &
	pid=$!
	wait_for 20 four
	wait_for 20 begun
}
for victim in 0 2; do
	begin
	p=$(ranks | sed -n "$((victim + 1))p")
	kill -STOP "$p"
	who="rank $victim (host $(hostname), pid $p) silent for 3 s, last phase: "
	told() { grep -qF "$who" last.err; }
	wait_for 8 told
	grep -qE "last phase: (load|compute|barrier), step [0-9]+ of epoch 1" \
		last.err || fail "no phase"
	[ -d "/proc/$p" ] || fail "it was killed"
	kill -CONT "$p"
	wait $pid
	code=$?
	[[ $code == [01] ]] || fail "exit code $code after it went on"
	holds '.status == "finished" and
		([.notes[] | select(.id == "silent-rank")] | length >= 1)'
	no_leftovers
done
# stopped for good: a SIGTERM to stoker removes all of them
for sig in TERM HUP; do
	begin --runs 3
	kill -STOP "$(ranks | sed -n 3p)"
	sleep 1
	SECONDS=0
	kill -$sig $pid
	wait $pid
	code=$?
	[ $SECONDS -le $limit_s ] || fail "took $SECONDS s to leave"
	[ $code = 130 ] || fail "exit code $code after SIG$sig"
	holds '.status == "interrupted"'
	no_leftovers
done
# Ctrl-C twice: by force
begin --runs 3
kill -STOP "$(ranks | sed -n 2p)"
sleep 0.5
kill -INT $pid
sleep 0.5
SECONDS=0
kill -INT $pid
wait $pid
code=$?
[ $code = 130 ] || fail "exit code $code after two SIGINT"
[ $SECONDS -le $limit_s ] || fail "took $SECONDS s"
holds '.status == "interrupted"'
no_leftovers
