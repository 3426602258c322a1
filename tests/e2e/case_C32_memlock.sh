# Buffers that cannot be locked are used unregistered, with one notice that
# names the limit: microsoft/DiskANN#456.
. "$TESTS/e2e/lib"
limited() { # COMMAND...: without CAP_IPC_LOCK, 64 KiB of locked memory
	if [ "$(id -u)" = 0 ]; then
		set -- setpriv --bounding-set -ipc_lock --inh-caps -ipc_lock "$@"
	fi
	(ulimit -l 64 && "$@")
}
limited true 2>/dev/null || skip "cannot do without CAP_IPC_LOCK"
datagen d $scaled
for ranks in 1 2; do
	expect [01] limited "$STOKER" training run --data-dir d --scale 1/64 \
		--quiet --json --odirect --engine uring -n $ranks
	holds '[.notes[] | select(.id == "registered-buffers") | .text]
		| length == 1 and (.[0] | contains("ulimit -l is too low"))'
	holds '.status == "finished" and .config.engine == "uring"'
done
expect 0 limited "$STOKER" training datagen --quiet --data-dir e $scaled
