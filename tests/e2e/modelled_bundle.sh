# A full-size campaign on a modelled drive, from sizing to the bundle: no error
# and no warning in either severity, and everything says that it is modelled.
. "$TESTS/e2e/lib"
# 4 x b200, so that one host has the 4 accelerators of Rules 3.3.3: 500 steps x
# batch 7 x 4 = 14000 files. 32 GiB of memory, of which a checkpoint of 104.7 GiB
# is more than 3 times (Rules 4.3.1), and 5 x 32 GiB are fewer files than 14000.
name="2x d7-ps1010"
mkdir results
modelled() { # CODE FAMILY COMMAND OPTION...
	local code=$1 family=$2 command=$3
	shift 3
	expect "$code" stoker "$family" "$command" --drive "$name" \
		--results-dir results --orgname me --systemname here "$@"
}
memory="--client-host-memory-in-gb 32"
files="-p dataset.num_files_train=14000"
# shellcheck disable=SC2086
{
	modelled 0 training datasize --num-accelerators 4 $memory
	said "14000 files"
	said "room: $name has 14.0 TiB free, enough" # 2 x 7.68 TB
	said "--drive '$name'"
	expect 2 stoker training datagen --drive "$name" --overwrite
	said "--drive and --overwrite exclude each other"
	# 140000 files of 146.6 MB are 20.5 TB, two drives have 15.4
	expect 2 stoker training datagen --drive "$name" --json \
		-p dataset.num_files_train=140000
	said "the data set of 140000 files takes"
	modelled 0 training datagen $files
	said "modelled: nothing was written"
	modelled 0 training run $files -n 4 $memory --warmup 1 --runs 5 --quiet
	said "PASS: 5 of 5 runs at AU >= 90 %"
	expect 2 stoker checkpointing run --checkpoint-folder x $memory
	said "--client-host-memory-in-gb goes with --drive"
	modelled 0 checkpointing run --model llama3-8b --quiet \
		--accelerator-type b200 $memory
}
# what only people know of a system; the drive's rates as its maker has them
cat >system.yaml <<'Y'
system_under_test:
  solution:
    submission_name: here
    friendly_description: two modelled drives in a modelled client
    architecture:
      storage_location: local
      benchmark_API: file
      product_API: block
      client_footprint: open_source
      client_installation: in_box
    capabilities:
      multi_host: false
      simultaneous_write: true
      simultaneous_read: true
      remap_time_in_seconds: 0
    usable_capacity_tib: 13.9
    availability: RDI
  deployment: onprem
  total_rack_units: 0
  clients:
  - friendly_description: modelled client
    quantity: 1
    chassis:
      model_name: none
      rack_units: 1
      cpu_model: none
      cpu_qty: 1
      cpu_cores: 1
      memory_capacity: 32
      power:
        min_psus_active: 1
        psus_configured:
        - unit_count: 1
          inlet_voltage: 230
          nameplate_power_watts: 1
          efficiency: Unrated
    drives:
    - unit_count: 2
      vendor_name: Solidigm
      model_name: D7-PS1010 (modelled)
      interface: nvme
      media_type: TLC
      capacity_in_GB: 7680
      performance:
        seq_read_MBps: 14500
        seq_write_MBps: 9300
        random_read_IOPS: 3100000
        random_write_IOPS: 400000
    operating_system:
      name: none
      version: '0'
Y
expect 0 stoker bundle create --results-dir results --org acme \
	--systemname box --system-file system.yaml made
said "made: an EMULATED bundle of 9 result folders (not an MLPerf result)"
said "PASS: 0 errors, 0 warnings"
for severity in v30 head; do
	expect 0 stoker bundle check made --severity $severity --json
	holds '.errors == 0 and .warnings == 0 and .leaves == 9'
done
# nor have reviewers a finding: what rank 0's time makes of a checkpoint is more
# than the drives are rated at, until the last rank had ended it is not
expect 0 stoker bundle check made --strict --json
holds '[.findings[] | select(.outcome == "FAIL")] == []'
# six runs, one after the other, and no file of one is that of another
system=made/closed/emulated-acme/results/emulated-box
runs=$(find $system/training/unet3d/run -name summary.json | sort)
[ "$(wc -l <<<"$runs")" = 6 ] || fail "runs: $runs"
# shellcheck disable=SC2086
jq -es '([.[1:], .[:-1]] | transpose | all(.[0].start == .[1].end))
	and all(.num_files_train == 14000 and .host_memory_GB == [32])' \
	$runs >/dev/null || fail "$(jq -c '[.start, .end]' $runs)"
# shellcheck disable=SC2086
[ "$(md5sum $runs | cut -d ' ' -f 1 | sort -u | wc -l)" = 6 ] ||
	fail "runs are copies of each other"
# no faster than what two drives are rated at, 2 x 14.5 GB/s
# shellcheck disable=SC2086
jq -es 'all(.metric.train_io_mean_MB_per_second * 1048576 < 2 * 14.5e9)' \
	$runs >/dev/null || fail "faster than its drives"
# every leaf says what it is, and where data would be
find $system -name '*_metadata.json' >metadata
[ "$(wc -l <metadata)" = 9 ] || fail "metadata: $(cat metadata)"
# shellcheck disable=SC2046
jq -es --arg n "$name" 'all(.emulated and .drive == $n
	and (.args.data_dir // .args.checkpoint_folder) == "model:" + $n
	and .verification != "CLOSED" and .verification != "OPEN"
	or .command == "datasize")' $(cat metadata) >/dev/null ||
	fail "metadata does not say that it is modelled"
find $system -name fs_separation.json >separation
[ "$(wc -l <separation)" = 8 ] || fail "separation: $(cat separation)"
# shellcheck disable=SC2046
jq -es 'all(.method == "modelled" and .same_filesystem == false)' \
	$(cat separation) >/dev/null || fail "separation"
grep -q "nothing is generated" $system/training/unet3d/datagen/*/dlio.log ||
	fail "datagen does not say that it generated nothing"
# a second campaign begins when the first has ended, though only now is it run
last=$(jq -r .end "$(tail -n 1 <<<"$runs")")
# shellcheck disable=SC2086
modelled "[01]" training run -p dataset.num_files_train=56 -n 4 --quiet
newest=$(find results -path '*run/2*' -name summary.json | sort | tail -n 1)
jq -e --arg last "$last" '.start >= $last' "$newest" >/dev/null ||
	fail "$newest began before the runs that are there had ended"
