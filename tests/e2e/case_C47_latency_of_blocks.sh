# Latencies are of whole blocks of hundreds of MiB, and the report says so:
# mlcommons/storage#266.
. "$TESTS/e2e/lib"
expect 0 stoker kvcache run --drive d7-ps1010 --option 1 --duration 60 --quiet
grep -qE "latency is per KV block, mean size [0-9]{3} MiB read" last.out ||
	fail "$(cat last.out)"
