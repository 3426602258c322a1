# Results on the file system of the data, or where they cannot be written, are
# told before anything is read or written, by every workload:
# mlcommons/storage#772, #779.
. "$TESTS/e2e/lib"
mkdir c k v
expect 0 stoker vectordb datagen --quiet --data-dir v --num-vectors 2000 \
	--dimension 64 --segments 1
ckpt="checkpointing run --checkpoint-folder c --scale 1/20000 --gap 0s
	--num-checkpoints-write 1 --num-checkpoints-read 0 --in-process"
kv="kvcache run --cache-dir k --option 1 --duration 100ms --num-users 1
	--delay 0s --inter-option-delay 0s --trials 1"
vdb="vectordb run --data-dir v --queries 20"
warned() { # WHAT COMMAND...
	local what=$1
	shift
	expect 0 stoker "$@" --json --quiet --results-dir new/r
	[ "$(head -n 1 last.err)" = "stoker: warning: $what and results are on the same file system, not CLOSED; put --results-dir on another" ] ||
		fail "first line: $(head -n 3 last.err)"
	holds '[.notes[] | select(.id == "not-closed") | .text] |
		any(contains("same file system"))'
	[ -z "$(find new -name '.stoker-*')" ] || fail "the probe was left"
	rm -r new
}
# shellcheck disable=SC2086
{
	warned checkpoints $ckpt
	warned cache $kv
	warned index $vdb
}
# in CLOSED the rules' names are on it
# shellcheck disable=SC2086
{
	expect 0 stoker $ckpt --results-dir . --dry-run
	said "not CLOSED: 4.4.2 checkpointFilesystemCheck: data and results are on the same file system"
	expect 0 stoker $kv --results-dir . --dry-run
	said "not CLOSED: 6.4.1 kvcachePosixCacheDir: data and results are on the same file system"
	expect 0 stoker $vdb --results-dir . --dry-run
	said "not CLOSED: 5.4.2 vdbFilesystemCheck: data and results are on the same file system"
}
# a folder that is none: nothing was written to the drive before that was found
rm -rf c k && mkdir c k
echo >file
for dir in file file/x; do
	# shellcheck disable=SC2086
	for command in "$ckpt" "$kv" "$vdb"; do
		expect 4 stoker $command --json --quiet --results-dir $dir
		said "before the first run"
		said "Not a directory"
		holds '.status == "failed"'
	done
	[ -z "$(find c k -type f)" ] || fail "written: $(find c k -type f)"
done
# on a modelled drive there is nothing to share
expect 0 stoker checkpointing run --drive constant:90GB/s --quiet \
	--results-dir m
unsaid "same file system"
