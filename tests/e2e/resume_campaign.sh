# --resume goes on with an interrupted campaign where the rules allow it.
. "$TESTS/e2e/lib"
datagen d --scale 1/32 --param dataset.num_files_train=56
opts="--data-dir d --scale 1/32 -n 2 --odirect --runs 2 --warmup 1
	-p train.epochs=1 --results-dir results"
leaves() { ls -d results/*/*/*/*/*/*/*/2* 2>/dev/null; }
two() { [ "$(leaves | wc -l)" = 2 ]; }
interrupt() { # OPTION...: Ctrl-C in the third of three runs
	rm -rf results
	"$STOKER" training run --quiet $opts "$@" >last.out 2>last.err &
	pid=$!
	wait_for 40 two
	sleep 0.3
	kill -INT $pid
	wait $pid
	[ $? = 130 ] || fail "not interrupted: $(tail -n 3 last.err)"
}
# On a busy machine the ranks may take too long to end and to start again for
# the gap rule; then once more, with longer runs.
for time in 1.5 6; do
	interrupt -p train.computation_time=$time
	"$STOKER" training run --quiet --json $opts \
		-p train.computation_time=$time --resume >last.out 2>last.err
	code=$?
	grep -q 'the next run would start' last.err || break
done
[[ $code == [01] ]] || fail "exit code $code: $(tail -n 3 last.err)"
opts="$opts -p train.computation_time=$time"
holds '[.runs[].index] == [0, 1, 2] and .status == "finished"
	and [.runs[].warmup] == [true, false, false]
	and all(.runs[]; .status == "finished" and .metrics.epochs == 1
		and (.metrics.au_pct | length) == 1)
	and [.runs[].start_ns] == ([.runs[].start_ns] | sort)
	and ([.notes[].text | select(contains("2.1.18"))] | length) == 0'
[ "$(leaves | wc -l)" = 3 ] || fail "leaves: $(leaves)"
expect 0 stoker history --results-dir results --json
holds '([.runs[].campaign] | unique) == [1] and (.runs | length) == 3
	and .campaigns[0].runs_wanted == 2 and .campaigns[0].runs == 3'
# complete: nothing to go on with
before=$(leaves)
expect 2 stoker training run $opts --resume
said "cannot continue the campaign: all 3 runs are there"
said "nothing was started"
[ "$(leaves)" = "$before" ] || fail "something was started"
