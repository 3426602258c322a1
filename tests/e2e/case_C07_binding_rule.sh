# Which rule binds, and from where on memory does: mlcommons/storage#571.
. "$TESTS/e2e/lib"
size() {
	expect 0 stoker training datasize "$@"
	said "memory takes over above"
}
size --client-host-memory-in-gb 15
said "3500 files"
said "bound by 500 steps"
size --client-host-memory-in-gb 95
said "3500 files"
said "memory takes over above 95.57 GiB"
size --client-host-memory-in-gb 96
said "3516 files"
said "bound by 5x memory"
size --client-host-memory-in-gb 100
said "3663 files"
# the truncation of v2.0 gave 84375, which is below five times the memory
size --num-client-hosts 3 --client-host-memory-in-gb 768 --num-accelerators 3
said "84376 files"
said "3 hosts x 768 GiB"
# without a size, this host's memory counts, and that is said
size
said "measured here"
