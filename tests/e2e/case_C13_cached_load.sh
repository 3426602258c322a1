# fsync does not evict: a load right after a buffered save comes from memory.
# It is measured, told and marked, and does not pass for the drive's figure.
# argonne-lcf/dlio_benchmark#277
. "$TESTS/e2e/lib"
mkdir d
ckpt() { # CODE OPTION...
	local code=$1
	shift
	expect "$code" stoker checkpointing run --checkpoint-folder d --scale 1/256 \
		--num-processes 2 --num-checkpoints-write 1 \
		--num-checkpoints-read 1 --gap 0.05s --quiet --json "$@"
}
ckpt '[01]'
if jq -e '.load.cached_percentage > 1' last.out >/dev/null; then
	holds '.exit_code == 1 and (.load.valid | not)
		and ([.notes[].id] | index("load-cached"))'
else # a kernel short of memory had dropped it
	holds '.exit_code == 0 and .load.valid'
fi
# clean pages can be dropped
ckpt 0 --drop-caches
holds '.load.valid and .load.cached_percentage < 1'
ckpt 0 --io direct
holds '.load.valid and .load.device_bytes >= .load.bytes'
# memory cannot be made cold
mkdir m
mount -t tmpfs -o size=256m tmpfs m 2>/dev/null || exit 0
trap 'umount m' EXIT
expect '[34]' stoker checkpointing run --checkpoint-folder m --scale 1/1024 \
	--num-processes 2 --num-checkpoints-write 1 --num-checkpoints-read 1 \
	--gap 0.05s --quiet --json --io direct
grep -q -e "load refused: 100.0 %" -e "direct I/O refused" last.err ||
	fail "not refused: $(cat last.err)"
grep -q "direct I/O refused" last.err && exit 0
expect 1 stoker checkpointing run --checkpoint-folder m --scale 1/1024 \
	--num-processes 2 --num-checkpoints-write 1 --num-checkpoints-read 1 \
	--gap 0.05s --quiet --json --io direct --allow-cached --verify
holds '.load.cached_percentage > 99 and (.load.valid | not)'
