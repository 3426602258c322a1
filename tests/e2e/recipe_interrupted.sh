# A recipe that is interrupted or killed goes on where it was; its campaign of
# runs goes on by the gap rule, and where that forbids it, it says so.
. "$TESTS/e2e/lib"
mkdir data
recipe() { # COMPUTATION_TIME
	cat >r.json <<-END
		{"recipe": 1, "name": "r", "description": "of a test",
		 "variables": {"results_dir": {"kind": "new_folder", "help": "r"},
			"data_dir": {"kind": "folder", "help": "d"}},
		 "steps": [
		{"name": "datagen", "command": ["training", "datagen", "--scale",
			"1/32", "-p", "dataset.num_files_train=56",
			"--data-dir", "\${data_dir}"]},
		{"name": "runs", "command": ["training", "run", "--scale", "1/32",
			"-p", "dataset.num_files_train=56", "--odirect",
			"-p", "train.epochs=1", "-p", "train.computation_time=$1",
			"--warmup", "1", "--runs", "2",
			"--data-dir", "\${data_dir}",
			"--results-dir", "\${results_dir}"],
		 "resume": ["--resume"],
		 "accept": {"exit": [0, 1], "figures": [
			{"path": "status", "equals": "finished"}]}},
		{"name": "end", "command": ["history", "--results-dir",
			"\${results_dir}"]}]}
	END
}
set="--set data_dir=data --set results_dir=results"
log=results/recipe-r/audit.jsonl
leaves() { ls -d results/whatif/*/results/*/*/*/run/2* 2>/dev/null; }
finished() { [ "$(leaves | wc -l)" -ge "$1" ]; }
begun() { grep -q '"start".*"step": "runs"' $log 2>/dev/null; }
interrupt() { # SIGNAL CONDITION...
	local sig=$1
	shift
	"$STOKER" recipe run r.json $set >last.out 2>last.err &
	pid=$!
	wait_for 60 "$@"
	sleep 0.3
	kill -"$sig" $pid
	wait $pid
	code=$?
}
for time in 0.8 3; do # longer where this machine is busy
	rm -rf results
	recipe $time
	interrupt INT finished 1
	[ $code = 130 ] || fail "exit code $code: $(tail -n 5 last.err)"
	grep -q '^INTERRUPTED: recipe r, 1 of 3 steps' last.out || fail "$(cat last.out)"
	grep -q 'the same command goes on there' last.err || fail "no remedy"
	had=$(leaves | wc -l)
	"$STOKER" recipe run r.json $set >last.out 2>last.err
	code=$?
	grep -q 'the next run would start' last.err || break
done
no_leftovers
[ $code = 0 ] || fail "exit code $code: $(tail -n 5 last.err)"
[ "$had" -le 2 ] || fail "it was not interrupted in its runs"
said "1  datagen              accepted before"
finished 3 && ! finished 4 || fail "not just three runs: $(leaves)"
jq -se 'map(select(.event == "finish").status) == ["interrupted", "accepted"]
	and (map(select(.event == "start" and .step == "runs").argv |
		any(. == "--resume")) == [false, true])' $log >/dev/null ||
	fail "the log: $(cat $log)"
expect 0 stoker history --results-dir results --json
holds '.campaigns | length == 1 and .[0].runs == 3'

# killed: no word of an end, and no child that goes on alone
rm -rf results
recipe 0.3
beside() { # while it works nobody else may
	begun || return 1
	expect 2 stoker recipe run r.json $set
	said "another \`recipe run\` works with"
}
interrupt KILL beside
no_leftovers
jq -se 'last | .event == "start" and .step == "runs"' $log >/dev/null ||
	fail "the log: $(tail -n 1 $log)"
rm -rf results/whatif # as if no run had ended
expect 0 stoker recipe run r.json $set
said "left no finished run: it begins anew"

# too late for the rules: said, and nothing begun until it is asked for
rm -rf results
recipe 0.1
interrupt INT finished 1
finished 3 && skip "all runs were over before the signal"
sleep 4
expect 2 stoker recipe run r.json $set
said "Rules 2.1.18"
said "--from runs begins the step anew"
expect 0 stoker recipe run r.json $set --from runs
