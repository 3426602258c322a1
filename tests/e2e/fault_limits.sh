# What the machine withholds: huge pages, open files, address space, the memory
# of a container. Each is named; none is silent.
. "$TESTS/e2e/lib"
datagen d $tiny
small="--data-dir d $tiny -p train.epochs=1 -p train.computation_time=5ms"
# no huge pages: slower, and said so
"$TOOLS/deny" thp true || skip "no PR_SET_THP_DISABLE"
for ranks in 1 2; do
	expect [01] "$TOOLS/deny" thp "$STOKER" training run $small --quiet \
		--json -n $ranks
	holds '[.notes[] | select(.id == "huge-pages") | .text] | length == 1
		and (.[0] | contains("PR_SET_THP_DISABLE"))'
done
# the soft limit of open files is raised; the hard one is named
limited() { # LIMIT COMMAND...
	(ulimit $1 $2 && shift 2 && "$@")
}
expect [01] limited -Sn 64 "$STOKER" training run $small --quiet --json \
	--in-process -n 8 -p reader.batch_size=1 -p reader.read_threads=16
expect 3 limited -n 64 "$STOKER" training run $small --quiet --json \
	--in-process -n 8 -p reader.batch_size=1 -p reader.read_threads=16
said "a process may have 64 files open (ulimit -n, hard limit), the readers of this one need 128 beside"
said "raise ulimit -Hn, or lower reader.read_threads"
holds '.status == "failed" and .exit_code == 3'
# address space (not under AddressSanitizer, which needs terabytes)
if ! grep -qc asan "$STOKER"; then
	expect 3 limited -v 400000 "$STOKER" training run $small --quiet --json \
		-p reader.transfer_size=64MiB -p reader.read_threads=8
	said "(the address space is limited to 391 MiB: ulimit -v)"
	holds '.status == "failed"'
fi
# a container's memory
[ "$(id -u)" = 0 ] || exit 0
cg=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
[ -d $cg ] || { cg=/sys/fs/cgroup limit=memory.max; }
base=$cg$(sed -n 's/^[0-9]*:memory:\(\/.*\)/\1/p; s/^0::\(\/.*\)/\1/p' \
	/proc/self/cgroup | head -n 1)
[ -d "$base" ] || base=$cg
box=${base%/}/stoker-test-$$
mkdir "$box" 2>/dev/null || exit 0
leave() {
	for p in $(cat "$box/cgroup.procs"); do
		echo "$p" >"$base/cgroup.procs"
	done 2>/dev/null
	rmdir "$box"
}
trap leave EXIT
[ -f "$box/$limit" ] && echo 512M >"$box/$limit" || exit 0
contained() {
	(echo $BASHPID >"$box/cgroup.procs" && "$@")
}
contained true 2>/dev/null || exit 0
big="-p reader.transfer_size=64MiB -p reader.read_threads=8 --queue-depth 1"
for ranks in 1 2; do
	expect 3 contained "$STOKER" training run $small --quiet --json $big \
		-n $ranks
	said "I/O buffers would take "
	said "(the container's memory limit of 512 MiB, "
	holds '.status == "failed" and .exit_code == 3'
done
expect [01] contained "$STOKER" training run $small --quiet --json
