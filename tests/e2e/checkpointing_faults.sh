# No room: refused before anything is written. A drive that fills up on the
# way stops every rank with one text. What is killed leaves nothing that looks
# complete.
. "$TESTS/e2e/lib"
small="--scale 1/1024 --num-processes 4 --gap 0.05s --quiet"
# a rank's part: 2007565312 / 1024 and 12045637632 / 1024
model=1960513 optimizer=11763318
mkdir d m
# killed with SIGKILL while it saves
# shellcheck disable=SC2086
"$STOKER" checkpointing run --checkpoint-folder d $small --io direct \
	--num-checkpoints-write 100 --num-checkpoints-read 0 --gap 0s --keep 2 \
	>/dev/null 2>&1 &
pid=$!
wait_for 20 test -d d/llama3-8b/global_epoch1_step3
for p in $(leftovers); do kill -KILL "$p" 2>/dev/null; done
{ wait $pid; } 2>/dev/null
find d -name '*.pt' -size +0 -printf '%s %p\n' | while read -r size name; do
	[ "$size" = $model ] || [ "$size" = $optimizer ] ||
		fail "looks complete: $name has $size bytes"
done || exit 1
rm -rf d/llama3-8b
# interrupted: in order, without half files
# shellcheck disable=SC2086
"$STOKER" checkpointing run --checkpoint-folder d $small --io direct --json \
	--num-checkpoints-write 100 --num-checkpoints-read 0 --gap 0s --keep 2 \
	>int.out 2>/dev/null &
pid=$!
wait_for 20 test -d d/llama3-8b/global_epoch1_step3
kill -INT $pid
wait $pid
code=$?
[ $code = 130 ] || fail "interrupted: exit code $code"
jq -e '.status == "interrupted"' int.out >/dev/null || fail "$(cat int.out)"
[ -z "$(find d -name '*.part')" ] || fail "left: $(find d -name '*.part')"
no_leftovers
rm -rf d/llama3-8b
one="--scale 1/1024 --num-processes 1 --gap 0s --quiet --json --engine pread"
# writes and fsyncs that fail (a filter would take MPI's own files away, too)
if "$TOOLS/deny" room true; then
	for io in reference direct; do
		# shellcheck disable=SC2086
		expect 4 "$TOOLS/deny" room "$STOKER" checkpointing run \
			--checkpoint-folder d $one --io $io \
			--write-size 512KiB
		said "writing d/llama3-8b/global_epoch1_step1/zero_pp_rank_0_mp"
		said "No space left on device"
		# shellcheck disable=SC2086
		expect 4 "$TOOLS/deny" sync "$STOKER" checkpointing run \
			--checkpoint-folder d $one --io $io
		said "syncing d/llama3-8b/global_epoch1_step1/zero_pp_rank_0_mp"
		said "Input/output error"
		[ $io = reference ] || [ -z "$(find d -type f)" ] ||
			fail "left: $(find d -type f)"
		rm -rf d/llama3-8b
	done
fi
# reads that fail in one rank: all leave with its text
# shellcheck disable=SC2086
expect 0 stoker checkpointing run --checkpoint-folder d $small --io direct \
	--num-checkpoints-write 1 --num-checkpoints-read 0
mkdir f
bad=zero_pp_rank_2_mp_rank_0_optim_states.pt
for kind in eio short; do
	[ -c /dev/fuse ] || break
	"$TOOLS/faultfs" d f $kind $bad 2>/dev/null &
	for _ in $(seq 60); do
		mountpoint -q f || { kill -0 $! 2>/dev/null && sleep 0.05; }
	done
	mountpoint -q f || break
	# shellcheck disable=SC2086
	expect 4 stoker checkpointing run --checkpoint-folder f $small --json \
		--num-checkpoints-write 0 --num-checkpoints-read 1
	umount f
	said "reading f/llama3-8b/global_epoch1_step1/$bad"
	holds '.status == "failed"'
	no_leftovers
done
rm -rf d/llama3-8b
mount -t tmpfs -o size=64m tmpfs m 2>/dev/null || skip "cannot mount a tmpfs"
trap 'umount m' EXIT
# shellcheck disable=SC2086
expect 4 stoker checkpointing run --checkpoint-folder m $small \
	--num-checkpoints-write 2 --json
holds '.status == "failed" and .exit_code == 4'
said "no room for the checkpoints: m/llama3-8b needs 105 MiB"
[ -z "$(ls -A m)" ] || fail "something was written: $(find m)"
# out of inodes on the way
mount -o remount,size=512m,nr_inodes=16 m
# shellcheck disable=SC2086
expect 4 stoker checkpointing run --checkpoint-folder m $small \
	--num-checkpoints-write 2 --num-checkpoints-read 0 --json
holds '.status == "failed" and (.error | contains("no space for m/llama3-8b"))'
[ "$(grep -c '^stoker: no space' last.err)" = 1 ] || fail "said: $(cat last.err)"
no_leftovers
