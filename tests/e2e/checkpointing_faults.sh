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
wait $pid 2>/dev/null
find d -name '*.pt' -size +0 -printf '%s %p\n' | while read -r size name; do
	[ "$size" = $model ] || [ "$size" = $optimizer ] ||
		fail "looks complete: $name has $size bytes"
done || exit 1
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
