# Eight ranks at 1/64, real files under real mpirun, both ways to move bytes:
# all bytes come back; the files are those of the benchmark.
. "$TESTS/e2e/lib"
quiet="--quiet --json --gap 0.05s"
small="--scale 1/64 --num-checkpoints-write 1 --num-checkpoints-read 1"
ckpt() { # CODE OPTION...
	local code=$1
	shift
	# shellcheck disable=SC2086
	expect "$code" stoker checkpointing run $quiet "$@"
}
mkdir d
for io in direct reference; do
	# what was just written through the page cache is still there: exit 1
	code=0
	[ $io = direct ] || code=[01]
	# shellcheck disable=SC2086
	ckpt $code --checkpoint-folder d --model llama3-8b --io $io --verify $small
	# 2007565312 and 12045637632 bytes a rank, by 64
	holds '.status == "finished" and .num_processes == 8 and .scaled
		and .checkpoint_bytes == 8 * (31368208 + 188213088)
		and .save.bytes == .checkpoint_bytes
		and .load.bytes == .checkpoint_bytes
		and ([.ranks[].ops[] | select(.op == "load").verified_bytes] | add)
			== .checkpoint_bytes
		and .save.save_checkpoint_io_mean_GB_per_second > 0
		and .io == $io' --arg io $io
	step=d/llama3-8b/global_epoch1_step1
	[ "$(ls $step | wc -l)" = 16 ] || fail "files: $(ls $step)"
	[ "$(stat -c %s $step/zero_pp_rank_7_mp_rank_0_optim_states.pt)" = \
		188213088 ] || fail "size: $(ls -l $step)"
	[ $io = direct ] || continue
	holds '.load.valid and .load.cached_percentage < 1
		and .load.device_bytes >= .load.bytes'
	rm -r d/llama3-8b
done
rm -r d/llama3-8b
# split invocations; a neighbour's files; content follows the seed
small="--scale 1/4096 --num-processes 4"
# shellcheck disable=SC2086
ckpt 0 --checkpoint-folder d --o-direct $small --num-checkpoints-write 3 \
	--num-checkpoints-read 0 --seed 5 --engine uring --write-size 128KiB \
	--write-depth 4
holds '(has("load") | not) and .save.checkpoints == 3'
# shellcheck disable=SC2086
ckpt 0 --checkpoint-folder d --o-direct $small --num-checkpoints-write 0 \
	--num-checkpoints-read 3 --seed 5 --verify --rotate-ranks \
	--read-size 64KiB --read-depth 8
holds '(has("save") | not) and .load.checkpoints == 3 and .rotate == 1
	and ([.ranks[0].ops[].checkpoint] == [1, 2, 3])
	and ([.ranks[].ops[] | .verified_bytes == .bytes] | all)'
# shellcheck disable=SC2086
ckpt 4 --checkpoint-folder d --o-direct $small --num-checkpoints-write 0 \
	--num-checkpoints-read 1 --seed 6 --verify --in-process
holds '.error | contains("differs from what was saved at offset 0")'
# one flipped byte, found by whoever reads it
f=d/llama3-8b/global_epoch1_step2/zero_pp_rank_3_mp_rank_0_optim_states.pt
printf 'X' | dd of=$f bs=1 seek=1234567 conv=notrunc status=none
# shellcheck disable=SC2086
ckpt 4 --checkpoint-folder d --o-direct $small --num-checkpoints-write 0 \
	--num-checkpoints-read 3 --seed 5 --verify --hosts localhost:4 --npernode 4
holds '.error | contains("offset 1234567") and contains("rank_3_mp_rank_0")'
# fewer there than asked for: told before anybody waits
# shellcheck disable=SC2086
ckpt 2 --checkpoint-folder d --o-direct $small --num-checkpoints-write 0 \
	--num-checkpoints-read 4
said "checkpoint 4 is not whole"
# --keep: the oldest go
rm -r d/llama3-8b
# shellcheck disable=SC2086
ckpt 0 --checkpoint-folder d --o-direct $small --num-checkpoints-write 4 \
	--num-checkpoints-read 2 --keep 2 --verify --in-process
[ "$(find d -name '*.pt' | wc -l)" = 16 ] || fail "kept: $(find d)"
holds '[.ranks[0].ops[].checkpoint] == [1, 2, 3, 4, 3, 4]'
no_leftovers
