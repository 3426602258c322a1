# A drive as its profile says: published rows of MLPerf Storage v3.0 and v1.0,
# stripes, what the host costs, parts left out, and what cannot be.
. "$TESTS/e2e/lib"
au() { # CODE DRIVE TYPE ACCELERATORS FILTER ARG...
	local code=$1 drive=$2 type=$3 n=$4 filter=$5
	shift 5
	run $code --drive "$drive" --accelerator $type -n $n \
		-p train.epochs=1 "$@"
	holds ".runs[0].metrics.au_mean_pct | $filter"
}
v3="--odirect -p dataset.num_files_train=14000"
v1="--host-model v1.0 -p reader.read_threads=24 -p dataset.num_files_train=17500"
# published AU, within a point: 98.4 % of two, 97.7 % of one; one more fails
au 0 d7-ps1010 b200 2 '. > 97.4 and . < 99.4' $v3
holds '[.notes[].id] | index("drive-model") and index("host-model")'
holds '.config.engine == "model" and .config.host_model == "v3.0"'
au 1 d7-ps1010 b200 3 '. < 80' $v3
au 0 d5-p5336 b200 1 '. > 96.7 and . < 98.7' $v3
au 0 micron-9400 h100 2 '. > 95.2 and . < 97.2' $v1
au 1 micron-9400 h100 3 '. < 70' $v1
# 24 x 7.0 GB/s: 24 b200 take 152 GB/s; of 34, which take 215, 78 % are fed
au 0 "24x d5-p5336" b200 24 '. > 96' $v3
au 1 "24x d5-p5336" b200 34 '. < 90' $v3
# a host that costs nothing: all but barriers
au 0 d7-ps1010 b200 2 '. > 99.9' --host-model none $v3
# the link left out: nothing bounds three
au 0 d7-ps1010 b200 3 '. > 97' --without link $v3
# the profile may be a file
cat >slow.json <<'END'
{"name": "slow", "capacity_gb": 1000, "sequential_read_gb_per_s": 1,
 "sequential_write_gb_per_s": 1, "random_read_kiops": 100,
 "random_write_kiops": 10, "read_latency_us": 100, "write_latency_us": 20}
END
# 1 GB/s of the 6.335 GB/s that a b200 takes
au 1 ./slow.json b200 1 '. > 15 and . < 16.6' $v3
expect 2 stoker training run --drive d7-ps1011
said d7-ps1010
said "constant:RATE"
expect 2 stoker training run --drive d7-ps1010 --without magic
said interference
expect 2 stoker training run --drive d7-ps1010 --host-model v9
said v1.0
expect 2 stoker training run --drive constant:1GB/s --host-model v3.0
said "drive profile"
expect 2 stoker training run --data-dir . --host-model v3.0
said "--drive"
sed -i 's/1000,/-1,/' slow.json
expect 2 stoker training run --drive ./slow.json
said capacity_gb
# published checkpoints of llama3-8b, GiB/s saved and loaded: 8.637 and 13.000
# on one drive, 3.076 and 4.984 on the other
ckpt() { # DRIVE SAVED LOADED
	expect 0 stoker checkpointing run --drive $1 --model llama3-8b --quiet \
		--num-checkpoints-write 2 --num-checkpoints-read 2 --json
	holds '(.save.save_checkpoint_io_mean_GB_per_second / $s - 1 | fabs) < 0.03
		and (.load.load_checkpoint_io_mean_GB_per_second / $l - 1 | fabs) < 0.06' \
		--argjson s $2 --argjson l $3
}
ckpt d7-ps1010 8.637 13.000
ckpt d5-p5336 3.076 4.984
