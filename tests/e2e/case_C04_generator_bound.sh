# A save that waits for its content says nothing of the drive, and says so.
# mlcommons/storage#364, #330, #689
. "$TESTS/e2e/lib"
ckpt() { # OPTION...
	expect 0 stoker checkpointing run --checkpoint-folder "$folder" \
		--scale 1/512 --num-processes 2 --num-checkpoints-write 1 \
		--num-checkpoints-read 0 --gap 0.05s --quiet --json "$@"
}
# memory is never what a save waits for
folder=$(mktemp -d /dev/shm/stoker-e2e.XXXXXX) || skip "no /dev/shm"
trap 'rm -rf "$folder"' EXIT
ckpt --limit-content 100MB/s
holds '[.notes[] | select(.id == "generator-bound").text] | length == 1
	and (.[0] | contains("not the drive"))'
# 100 MB/s are 0.0931 GiB/s; each rank has made its own
holds '.save.content_gib_per_second <= 0.0932
	and .save.content_gib_per_second > 0.05
	and .save.content_percentage > 50
	and .save.total_gib_per_second <= 2 * 0.0932'
# all bytes are the same at any speed
ckpt --limit-content 100GB/s
holds '[.notes[].id] | index("not-closed")'
expect '[01]' stoker checkpointing run --checkpoint-folder "$folder" --scale 1/512 \
	--num-processes 2 --num-checkpoints-write 0 --num-checkpoints-read 1 \
	--gap 0.05s --quiet --json --verify
holds '[.ranks[].ops[] | .verified_bytes == .bytes] | all'
