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
# what is printed is said in both words: 38.889 samples/s of 146,600,628 bytes
expect 0 stoker training run --quiet --drive null --computation-time 180ms \
	--param dataset.num_files_train=700
grep -E '^1 +100.000 pass .* 38\.889 +5701\.1 +5437\.[01] ' last.out >/dev/null ||
	fail "C10: $(grep samples/s -A1 last.out)"
grep -E 'samples/s +MB/s +MiB/s' last.out >/dev/null || fail "head"
# every option that takes a size, a rate or a time takes suffixes
takes() { # WANTED FILTER OPTION...
	local wanted=$1 filter=$2
	shift 2
	run '[01]' --drive null -p dataset.num_files_train=70 "$@"
	holds "$filter == $wanted"
}
takes 1048576 .config.record_bytes -p dataset.record_length_bytes=1MiB \
	-p dataset.record_length_bytes_stdev=0
takes 2000000 .config.record_bytes -p dataset.record_length_bytes=2MB \
	-p dataset.record_length_bytes_stdev=0
takes 262144 .config.transfer_bytes -p reader.transfer_size=256KiB
takes 8192 .config.transfer_bytes -p reader.transfer_size=8192
takes 162000000 .config.computation_ns --computation-time 0.162
takes 5000000 .config.computation_ns --computation-time 5ms
takes 80000 .config.computation_ns -p train.computation_time=80us
takes 256 .config.host_memory_gib --client-host-memory-in-gb 256
takes 0.5 .config.host_memory_gib --client-host-memory-in-gb 512MiB
datagen d $tiny
run '[01]' --data-dir d --limit-read 800MB/s $tiny
holds '.config.limit_read_bytes_per_s == 800000000'
run '[01]' --data-dir d --limit-read 1GiB/s $tiny
holds '.config.limit_read_bytes_per_s == 1073741824'
