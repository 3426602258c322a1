# Modelled drives: the published submissions within 5 %, thousands of ranks in
# seconds, the same from run to run.
. "$TESTS/e2e/lib"
ckpt() { # CODE OPTION...
	local code=$1
	shift
	expect "$code" stoker checkpointing run --quiet --json "$@"
}
# Saves at the rated write of Solidigm D7-PS1010, 9.3 GB/s, and D5-P5336, 3.3
# GB/s: published 12.124 and 34.039 s.
ckpt 0 --drive constant:9.3GB/s,80us
holds '.virtual_time and .save.checkpoints == 10 and .load.checkpoints == 10
	and (.checkpoint_size_GB - 104.70452117919922 | fabs) < 1e-12
	and (.save.save_checkpoint_duration_mean_seconds / 12.124 - 1 | fabs) < 0.05
	and (.save.save_checkpoint_io_mean_GB_per_second / 8.637 - 1 | fabs) < 0.05'
cp last.out first
ckpt 0 --drive constant:9.3GB/s,80us
cmp -s first last.out || fail "two simulations differ"
ckpt 0 --drive constant:3.3GB/s,80us --num-checkpoints-read 0
holds '(.save.save_checkpoint_duration_mean_seconds / 34.039 - 1 | fabs) < 0.05'
# profiles of these drives: published loads 8.060 and 21.023 s
while read -r drive save load; do
	ckpt 0 --drive $drive
	holds "(.save.save_checkpoint_duration_mean_seconds / $save - 1 | fabs) < 0.05
		and (.load.load_checkpoint_duration_mean_seconds / $load - 1 | fabs) < 0.05"
done <<END
d7-ps1010 12.124 8.060
d5-p5336 34.039 21.023
END
# a model has a capacity, too: 10 x 5.6825 TB on 7.68 TB each
ckpt 2 --model llama3-405b --drive d7-ps1010
said 'take "8x d7-ps1010"'
ckpt 0 --model llama3-405b --drive "8x d7-ps1010" # ten saves and loads
# slowest rank and rank 0 are not the same: 405b's ranks differ in weight
for m in llama3-405b:512 llama3-1t:1024; do
	ckpt 0 --model ${m%:*} --drive constant:93GB/s,80us
	holds '.num_processes == $n and .save.checkpoints == 10
		and .save.bytes == 10 * .checkpoint_bytes' \
		--argjson n "${m#*:}"
done
ckpt 0 --drive null --clock virtual --model llama3-70b
ckpt 2 --drive constant:1GB/s --division closed
said "the rules of v3.0 refuse --division closed:"
said "4.3.4 checkpointAggregateAcceleratorMemory: no accelerator is declared"
ckpt 2 --drive constant:1GB/s --division closed --accelerator-type b200 -n 7
said "4.6.1 checkpointClosedMpiProcesses: 7 processes, 8 needed"
said "4.3.5 checkpointSubsetRunValidation: subset of llama3-8b on 7 accelerators"
# 8 ranks on two hosts are 4 on each, more than 4 are asked for
ckpt 2 --drive constant:1GB/s --division closed --accelerator-type b200 \
	--hosts a,b
said "4.6.2 checkpointClosedAcceleratorsPerHost: 8 accelerators on 2 hosts"
ckpt 2 --drive constant:1GB/s --division closed --accelerator-type b200 \
	--num-checkpoints-write 9
said "4.7.1 checkpointCacheFlushValidation: 9 saves and 9 loads"
# OPEN: any multiple of tensor x pipeline parallelism, 8 x 1 of 70b
ckpt 2 --drive constant:90GB/s --division open --accelerator-type b200 \
	--model llama3-70b -n 12 --checkpoint-mode subset
said "4.6.4 checkpointOpenSubmissionScaling: 12 processes, a multiple of 8"
ckpt 0 --drive constant:90GB/s --division closed --accelerator-type b200 \
	--client-host-memory-in-gb 32
holds '[.notes[].text | select(startswith("not CLOSED: "))] ==
	["not CLOSED: S-03 realDrive: the drive is modelled"]'
ckpt 2 --drive constant:1GB/s --verify
said "a modelled drive has none"
ckpt 2 --drive constant:1GB/s --num-checkpoints-write 3 --num-checkpoints-read 4
said "cannot load 4 checkpoints of 3"
expect 0 stoker checkpointing run --dry-run --drive constant:1GB/s
said "10 x 105 GiB"
# slower or faster, what is not CLOSED is told
ckpt 0 --drive constant:9.3GB/s --gap 1s --num-checkpoints-read 0
holds '[.notes[].text] | any(contains("--gap 1s, not 5 s"))'
# the folder of results is the benchmark's
expect 0 stoker checkpointing run --drive constant:9.3GB/s,80us --quiet \
	--results-dir r --systemname sys --orgname org
leaf=$(echo r/whatif/org/results/sys/checkpointing/llama3-8b/*)
for f in checkpointing_run.stdout.log checkpointing_run.stderr.log \
	summary.json 0_output.json 7_output.json 7_per_epoch_stats.json dlio.log \
	dlio_config/config.yaml dlio_config/hydra.yaml dlio_config/overrides.yaml; do
	[ -s "$leaf/$f" ] || fail "no $f: $(find r)"
done
expect 0 stoker history --results-dir r
unsaid "left out"
cp "$leaf/summary.json" last.out
holds 'keys_unsorted == ["start", "num_accelerators", "num_hosts", "hostname",
	"metric", "num_files_train", "num_files_eval", "num_samples_per_file",
	"host_cpu_count", "host_processor_name", "potential_caching",
	"host_cpuinfo", "host_meminfo", "host_memory_GB",
	"data_size_per_host_GB", "epochs", "end"]
	and (.metric | keys_unsorted) == [
	"save_checkpoint_io_mean_GB_per_second",
	"save_checkpoint_io_stdev_GB_per_second",
	"save_checkpoint_duration_mean_seconds",
	"save_checkpoint_duration_stdev_seconds",
	"load_checkpoint_io_mean_GB_per_second",
	"load_checkpoint_io_stdev_GB_per_second",
	"load_checkpoint_duration_mean_seconds",
	"load_checkpoint_duration_stdev_seconds", "checkpoint_size_GB"]
	and .epochs == 0 and .num_files_train == 8
	and .data_size_per_host_GB == 0.00048828125'
cp "$leaf/3_per_epoch_stats.json" last.out
holds '(.["1"] | keys_unsorted) == (["start"] + [range(1; 11) | "save_ckpt\(.)"]
	+ [range(1; 11) | "load_ckpt\(.)"] + ["end"])
	and (.["1"].save_ckpt3 | keys_unsorted)
		== ["start", "end", "duration", "throughput"]
	and (.["1"].save_ckpt3.duration | type) == "number"'
cp "$leaf"/checkpointing_*_metadata.json last.out
holds '.benchmark_type == "checkpointing" and .accelerator == null
	and .parameters.checkpoint.fsync and .parameters.model.name == "llama_8b"
	and .args.num_processes == 8 and .args.num_checkpoints_write == 10
	and .args.checkpoint_subset == false'
# what the ranks stand for: 8 x 80 GiB hold 104.7 GiB, eight of 1 do not
mkdir -p own/accelerators
echo '{"name": "tiny", "memory_gb": 1, "workloads": {}}' >own/accelerators/tiny.json
ckpt 0 --drive constant:90GB/s --accelerator-type h100
unsaid "4.3.4"
ckpt 0 --drive constant:90GB/s --accelerator-type tiny --config-dir own
said "4.3.4"
ckpt 2 --drive constant:90GB/s --accelerator-type h1000
said h100
