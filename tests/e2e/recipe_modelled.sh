# The shipped CLOSED campaign whole, on a modelled drive: sizing, data set, six
# runs, checkpoints written and read, bundle, check, report. The training step is
# killed on the way: that is said, and so is why it cannot go on where it was.
. "$TESTS/e2e/lib"
# the system's description: the drive from its profile, the rest from this host
expect 0 stoker system describe --drive "d7-ps1010" --json \
	--client-host-memory-in-gb 32
holds '.system_under_test.clients[0] | .chassis.memory_capacity == 32 and
	.drives == [{"unit_count": 1, "vendor_name": "Solidigm",
	"model_name": "D7-PS1010 7.68 TB (modelled)", "interface": "nvme",
	"media_type": "TLC", "capacity_in_GB": 7680, "performance": {
	"seq_read_MBps": 14500, "seq_write_MBps": 9300,
	"random_read_IOPS": 3100000, "random_write_IOPS": 400000,
	"interface_speed": "PCIe Gen5 x4"}}]'
# 24 x 61.44e12 bytes are 1341.1 TiB
expect 0 stoker system describe --drive "24x d5-p5336" --json
holds '.system_under_test | .clients[0].drives[0].unit_count == 24 and
	(.solution.usable_capacity_tib - 24 * 61.44e12 / 1099511627776
		| fabs) < 0.001'
expect 2 stoker system describe --drive d7-ps1010 --data-dir .
said "exclude each other"
expect 2 stoker system describe --client-host-memory-in-gb 32
said "goes with --drive"
expect 0 stoker system describe --drive d7-ps1010 --client-host-memory-in-gb 32 \
	--config-dir .
cp last.out blank.yaml
# what only people know
sed -e 's/^\( *\)- FILL_IN/\1- data/' -e 's/\(simultaneous_.*\): FILL_IN/\1: true/' \
	-e 's/remap_time_in_seconds: FILL_IN/remap_time_in_seconds: 0/' \
	-e 's/availability: FILL_IN/availability: RDI/' \
	-e 's/deployment: FILL_IN/deployment: onprem/' \
	-e 's/inlet_voltage: FILL_IN/inlet_voltage: 230/' \
	-e 's/efficiency: FILL_IN/efficiency: Unrated/' \
	-e 's/\(rack_units\|min_psus_active\|unit_count\|speed\): FILL_IN/\1: 1/' \
	-e 's/nameplate_power_watts: FILL_IN/nameplate_power_watts: 1/' \
	-e 's/: FILL_IN/: none/' -e '1d' blank.yaml >system.yaml

# 1 x b200: 500 steps x batch 7 = 3500 files, more than 5 x 32 GiB of memory
campaign() { # CODE OPTION...
	local code=$1
	shift
	expect "$code" stoker recipe run "$@" --set drive=d7-ps1010 \
		--set results_dir=results --set org=acme --set systemname=box \
		--set accelerators=1 --set memory_gib=32 --set files=3500 \
		--set system_file=system.yaml closed-single-drive
}
campaign 2 --set data_dir=.
said "needs just one of --set data_dir=..."
campaign 0 --dry-run
said "--drive d7-ps1010 --results-dir $PWD/results"
! grep -v "drive passport" last.out | grep -q -e --data-dir ||
	fail "a real folder beside a model"
campaign 0 --json --dry-run
holds '[.steps[] | select(.state == "left out").name] == ["drive"]'
expect 0 stoker recipe show closed-single-drive
said "with drive set: stoker training run"

runs() { ls -d results/whatif/acme/results/box/training/unet3d/run/2* 2>/dev/null; }
"$STOKER" recipe run closed-single-drive --set drive=d7-ps1010 \
	--set results_dir=results --set org=acme --set systemname=box \
	--set accelerators=1 --set memory_gib=32 --set files=3500 \
	--set system_file=system.yaml >last.out 2>last.err &
recipe=$!
two_runs() { [ "$(runs | wc -l)" -ge 2 ]; }
wait_for 90 two_runs
step=$(pgrep -P $recipe) || fail "no step runs"
kill -KILL $step
wait $recipe
[ $? != 0 ] || fail "a killed step was accepted"
[ "$(head -n 1 last.out)" = "NOT ACCEPTED: recipe closed-single-drive, 3 of 9 steps, 1 left out" ] ||
	fail "first line: $(head -n 1 last.out)"
said "ended by signal 9"
# in virtual time there is no gap to judge: nothing goes on by itself
campaign 2
said "--resume goes with a real clock"
said "--from training begins the step anew"
campaign 0 --from training
[ "$(head -n 1 last.out)" = "ACCEPTED: recipe closed-single-drive, 9 of 9 steps, 1 left out" ] ||
	fail "first line: $(head -n 1 last.out)"
# conditions of each step with the figures found, of those before, too
said 'datasize             accepted before            exit code 0; num_files_train <= 3500, found 3500'
said 'campaign.reference == "PASS", found "PASS"'
said 'verdict == "PASS", found "PASS"; errors == 0, found 0'
jq -se 'map(select(.event == "finish").status) ==
	["failed", "failed", "accepted"] and
	(map(select(.event == "end" and .step == "training").accepted) ==
		[false, false, true])' \
	results/recipe-closed-single-drive/audit.jsonl >/dev/null ||
	fail "the log: $(cat results/recipe-closed-single-drive/audit.jsonl)"

# the read phase begins when the writes have ended, the times of a model too
expect 0 stoker bundle check results/bundle --json --all
holds '.errors == 0 and .leaves == 10 and ([.findings[] |
	select(.id == "4.7.1" or .id == "2.1.18") | .outcome] | unique == ["PASS"])'
grep -q "PASS: 5 of 5 runs" results/report.html || fail "no verdict in the report"
# the bundle holds copies: they are not counted again
expect 0 stoker report --format json results
cp last.out report.json
holds '.answer | startswith("PASS: 5 of 5 runs")'
holds '[.sections[].items[] | select(.table == "In the folders that were given")
	.rows[:2][][1]] == ["6 runs of 1 campaign", 2]'
holds '[.sections[].items[] | select(.table == "Plan")] | length == 1'
# blanks stay refused
expect 2 stoker bundle create --results-dir results --org acme --systemname box \
	--system-file blank.yaml other
said "FILL_IN"
