# Ctrl-C in the third run: the runs before it keep their results.
. "$TESTS/e2e/lib"
datagen d --scale 1/32 --param dataset.num_files_train=56
for how in "--num-accelerators 2" "--in-process -n 2" "-n 2 --limit-read 300MB/s"; do
	rm -rf results
	"$STOKER" training run --data-dir d --scale 1/32 $how --odirect --runs 5 \
		--param train.epochs=1 -p train.computation_time=200ms --json \
		--results-dir results >last.out 2>last.err &
	pid=$!
	leaves() { ls -d results/*/*/*/*/*/*/*/2* 2>/dev/null; }
	two() { [ "$(leaves | wc -l)" = 2 ]; }
	wait_for 30 two
	sleep 0.2
	kill -INT $pid
	wait $pid
	code=$?
	[ $code = 130 ] || fail "exit code $code: $(tail -n 3 last.err)"
	holds '.status == "interrupted" and .exit_code == 130
		and [.runs[].status] == ["finished", "finished", "interrupted"]'
	no_leftovers
	[ "$(leaves | wc -l)" = 2 ] || fail "leaves: $(leaves)"
	[ -z "$(find results -name '*.partial' -o -name '*.tmp')" ] ||
		fail "partial results left"
	for leaf in $(leaves); do
		[ "$(ls $leaf | wc -l)" = 14 ] || fail "$leaf: $(ls $leaf)"
		jq -e . $leaf/*.json >/dev/null || fail "$leaf"
	done
done
# the parent killed outright takes its ranks with it
"$STOKER" training run --data-dir d --scale 1/32 -n 2 --runs 50 --quiet \
	-p train.computation_time=100ms >last.out 2>last.err &
pid=$!
three() { [ "$(leftovers | wc -l)" -ge 4 ]; }
wait_for 10 three
exit_file=$(cat /proc/$(leftovers | tail -n 1)/environ | tr '\0' '\n' |
	sed -n 's/^STOKER_EXIT_FILE=//p')
kill -KILL $pid
wait $pid 2>/dev/null
rm -f "$exit_file" # nobody is left who could
gone() { [ -z "$(leftovers)" ]; }
wait_for 10 gone
# interrupted before the ranks are up
"$STOKER" training run --data-dir d --scale 1/32 -n 2 --runs 50 \
	>last.out 2>last.err &
pid=$!
begun() { grep -q "stoker: running mpirun" last.err; }
wait_for 10 begun
kill -INT $pid
wait $pid
code=$?
[ $code = 130 ] || fail "exit code $code when interrupted early"
wait_for 10 gone
