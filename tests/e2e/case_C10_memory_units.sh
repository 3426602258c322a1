# --client-host-memory-in-gb is in GiB when bare: mlcommons/storage#207.
. "$TESTS/e2e/lib"
bytes() {
	expect 0 stoker training datasize --json --client-host-memory-in-gb "$1"
	holds ".host_memory_bytes == $2"
}
bytes 256 274877906944
bytes 256GiB 274877906944
bytes 256GB 256000000000
expect 0 stoker training datasize --client-host-memory-in-gb 256
said "1 host x 256 GiB"
expect 2 stoker training datasize --client-host-memory-in-gb 256XB
said "--client-host-memory-in-gb"
