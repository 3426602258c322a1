# recipe run: the shipped smoke campaign, its log, and what is refused.
. "$TESTS/e2e/lib"
expect 0 stoker recipe list
said "smoke"
said "closed-single-drive"
expect 0 stoker recipe list --json
holds 'map(select(.name == "smoke" and .steps >= 6)) | length == 1'
expect 0 stoker recipe show closed-single-drive
said "campaign.reference == \"PASS\""
expect 0 stoker recipe show closed-single-drive --json
jq . last.out >closed.json
expect 2 stoker recipe show smok
said "no configuration 'recipes/smok.json'; known: closed-single-drive, smoke"
mkdir data mine
set="--set data_dir=data --set results_dir=results"
# what is wrong is said before anything is made
expect 2 stoker recipe run smoke --set results_dir=results
said "recipe smoke needs --set data_dir=..."
expect 2 stoker recipe run smoke $set --set data_dirr=x
said "did you mean data_dir?"
expect 2 stoker recipe run smoke --set data_dir=nowhere --set results_dir=results
said "--set data_dir=nowhere: No such file or directory; make the folder first"
expect 2 stoker recipe run smoke $set --set accelerators=0
said "--set accelerators"
expect 2 stoker recipe run smoke $set --from trainig
said "did you mean training?"
expect 2 stoker recipe run smoke $set --from training
said 'step "drive" before it is not accepted'
expect 0 stoker recipe run smoke $set --dry-run
said "would run 7 of 9 steps"
said "--data-dir $PWD/data"
expect 0 stoker recipe run smoke $set --dry-run --json
holds '[.steps[].state] | unique == ["left out", "not run"]'
rm -rf results
expect 0 stoker recipe run closed.json --dry-run $set --set system_file=closed.json \
	--set org=me --set systemname=box --set accelerators=2 \
	--set memory_gib=100 --set files=7000
said "num_files_train <= 7000"
[ ! -e results ] || fail "a dry run wrote something"

expect 0 stoker recipe run smoke $set --json
holds '.status == "finished" and .exit_code == 0 and
	[.steps[].state] == ["accepted", "accepted", "accepted", "accepted",
		"accepted", "accepted", "left out", "left out", "accepted"]'
log=results/recipe-smoke/audit.jsonl
jq -se 'map(.event) == ["begin"] + [range(7) | "start", "end"] + ["finish"]
	and (map(select(.event == "end")) | all(.accepted and .exit_code < 2
		and .end_ns > .start_ns and .argv[0] == "stoker"))
	and .[0].variables.accelerator == "a100"
	and (map(.program_sha256 // empty) | unique | length) == 1' $log \
	>/dev/null || fail "the log: $(cat $log)"
sum=$(sha256sum <"$STOKER")
grep -q "\"program_sha256\": \"${sum%% *}\"" $log || fail "hash of the program"
[ ! -f "$TESTS/../configs/recipes/smoke.json" ] || {
	sum=$(sha256sum <"$TESTS/../configs/recipes/smoke.json")
	grep -q "\"recipe_sha256\": \"${sum%% *}\"" $log || fail "hash of the recipe"
}
# the outputs that were kept are those of the log
jq -r 'select(.event == "end") | .stdout, .stderr | "\(.sha256)  \(.file)"' \
	$log >sums
(cd results/recipe-smoke/steps && sha256sum --quiet -c) <sums ||
	fail "the kept outputs are not those of the log"
grep -q '<html' results/report.html || fail "no report"
[ "$(ls -d results/whatif/*/results/*/training/unet3d/run/2* | wc -l)" = 6 ] ||
	fail "not six runs"

# again: all is there; a step asked for runs, and those behind it
expect 0 stoker recipe run smoke $set
[ "$(head -n 1 last.out)" = "ACCEPTED: recipe smoke, 7 of 7 steps, 2 left out" ] ||
	fail "first line: $(head -n 1 last.out)"
[ "$(grep -c "accepted before" last.out)" = 7 ] || fail "something ran again"
expect 0 stoker recipe run smoke $set --from checkpoint-read --json
holds '[.steps[].state][4:6] == ["accepted before", "accepted"]'
expect 2 stoker recipe run smoke $set --set accelerators=2
said 'accelerators is "2", and was "1"'
said "nothing was started"
# the recipe of another day
mkdir -p conf/recipes
stoker recipe show smoke --json >conf/recipes/smoke.json
expect 2 stoker recipe run smoke --config-dir conf $set --json
holds '.error | contains("the recipe has changed") and
	contains("--from drive")'
# another program: the log says so
sed -i 's/"program_sha256": "[0-9a-f]\{8\}/"program_sha256": "00000000/' $log
expect 2 stoker recipe run smoke $set
said "the program has changed"

recipe() { # STEPS: as mine.json
	cat >mine.json <<-END
		{"recipe": 1, "name": "mine", "description": "of a test",
		 "variables": {"results_dir": {"kind": "new_folder", "help": "r"}},
		 "steps": [$1]}
	END
}
run='["training", "run", "--drive", "null", "-p", "dataset.num_files_train=3500"]'
ok='{"name": "ok", "command": ["version"]}'
# what a step must yield, and does not
recipe "$ok, {\"name\": \"run\", \"command\": $run, \"accept\": {\"exit\": [0, 1],
	\"figures\": [{\"path\": \"campaign.runs_wanted\", \"at_least\": 5}]}}, $ok"
expect 2 stoker recipe run mine.json --set results_dir=mine
said 'step "ok" is there twice'
sed -i 's/, {"name": "ok", "command": \["version"\]}\]/]/' mine.json
expect 1 stoker recipe run mine.json --set results_dir=mine
said "NOT ACCEPTED: recipe mine, 1 of 2 steps"
said "NOT campaign.runs_wanted >= 5, found 1"
jq -se 'last.status == "failed" and (map(select(.step == "run"))[1] |
	.accepted == false and .figures[0].found == 1)' \
	mine/recipe-mine/audit.jsonl >/dev/null || fail "the log of a failure"
# a line that a crash cut off is passed over, and does not swallow others
printf '{"event": "en' >>mine/recipe-mine/audit.jsonl
expect 1 stoker recipe run mine.json --set results_dir=mine
said "1 line(s) of"
said "accepted before"
# the exit code of a step that could not do its work
recipe '{"name": "a", "command": ["training", "run", "--data-dir", "nowhere"]}'
expect 2 stoker recipe run mine.json --set results_dir=other
said "exit code 2, which is not accepted"
# commands and options that this program does not have
recipe '{"name": "a", "command": ["brew", "tea"]}'
expect 2 stoker recipe run mine.json --set results_dir=none
said 'step "a": this stoker has no command "brew tea"'
recipe '{"name": "a", "command": ["training", "run", "--runz", "5"]}'
expect 2 stoker recipe run mine.json --set results_dir=none
said "training run has no option --runz (did you mean --runs?)"
[ ! -e none ] || fail "a recipe that cannot run made something"
