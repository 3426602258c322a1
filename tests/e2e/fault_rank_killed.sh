# One of four ranks is killed: the job ends soon, names it, keeps what there is
# and leaves nothing behind, whichever rank it was and wherever rank 0 is.
. "$TESTS/e2e/lib"
datagen d --scale 1/32 --param dataset.num_files_train=56
# New since the start, and no living process has it: other jobs may run.
nothing_left() {
	local f
	for f in $(find /dev/shm /tmp -maxdepth 1 -newer d \
		\( -name 'vader_segment*' -o -name 'stoker-??????' \)); do
		[ -d "$f" ] || grep -qsF "$f" /proc/[0-9]*/maps ||
			[ ! -e "$f" ] || return 1
		[ ! -d "$f" ] || return 1
	done
}
ranks() { # pids, in order of rank
	for p in $(leftovers); do
		tr '\0' '\n' <"/proc/$p/environ" |
			sed -n "s/^OMPI_COMM_WORLD_RANK=\(.*\)/\1 $p/p"
	done | sort -n | sed 's/.* //'
}
leaves() { ls -d results/*/*/*/*/*/*/*/2* 2>/dev/null; }
one() { [ -n "$(leaves)" ]; }
for how in "0" "2" "3 --engine pread" "3 --no-futex" "2 cut"; do
	set -- $how
	victim=$1
	shift
	unset STOKER_RANKS_PER_HOST
	[ "$*" = cut ] && export STOKER_RANKS_PER_HOST=2 && shift
	rm -rf results
	"$STOKER" training run --data-dir d --scale 1/32 -n 4 --odirect "$@" \
		--runs 50 -p train.epochs=1 -p train.computation_time=100ms \
		--json --quiet --results-dir results >last.out 2>last.err &
	pid=$!
	wait_for 30 one
	sleep 0.5
	dead=$(ranks | sed -n "$((victim + 1))p")
	SECONDS=0
	kill -KILL "$dead"
	wait $pid
	code=$?
	[ $code = 3 ] || fail "exit code $code: $(tail -n 5 last.err)"
	[ $SECONDS -lt 10 ] || fail "took $SECONDS s to notice"
	who="rank $victim (host $(hostname), pid $dead) died, last phase: "
	said "stoker: $who"
	[ "$(grep -c "^stoker: $who" last.err)" = 1 ] || fail "told twice"
	holds '.status == "failed" and .exit_code == 3
		and (.error | startswith($who))' --arg who "$who"
	# rank 0 has the record; without it the parent says what the others said
	[ $victim = 0 ] || holds '[.runs[].status] | .[0] == "finished" and
		all(. == "finished" or . == "failed")'
	no_leftovers
	for leaf in $(leaves); do
		jq -e . "$leaf"/*.json >/dev/null || fail "$leaf"
	done
	[ -z "$(find results -name '*.partial' -o -name '*.tmp')" ] ||
		fail "partial results left"
	wait_for 5 nothing_left
done
# while a data set is written: finished files stay, half ones go
unset STOKER_RANKS_PER_HOST
"$STOKER" training datagen --data-dir e --scale 1/8 --num-processes 4 --json \
	--param dataset.num_files_train=560 >last.out 2>last.err &
pid=$!
some() { ls e/unet3d/train/*.npz >/dev/null 2>&1; }
wait_for 30 some
kill -KILL "$(ranks | sed -n 2p)"
wait $pid
code=$?
[ $code = 3 ] || fail "exit code $code: $(tail -n 5 last.err)"
said "rank 1 (host"
said "died, last phase: writing the data set"
holds '.status == "failed"'
no_leftovers
