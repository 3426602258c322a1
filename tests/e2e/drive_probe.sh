# A probe of this disk: a profile that loads, and nothing left behind.
. "$TESTS/e2e/lib"
mkdir data
dd if=/dev/zero of=data/direct bs=4096 count=1 oflag=direct 2>/dev/null ||
	skip "this file system has no O_DIRECT"
rm data/direct
probe() { # CODE OPTION...
	local code=$1
	shift
	expect "$code" stoker drive probe --size 64MiB --seconds 0.05 "$@"
}
empty() {
	[ -z "$(ls -A data)" ] || fail "left behind: $(ls -A data)"
}
expect 0 stoker drive probe --data-dir data --dry-run
said "will write 2 GiB into a file of its own in data"
# the file, and fourteen times more by seven points of writes
said "30 GiB in all at most"
empty
SECONDS=0
probe 0 --data-dir data --quiet --out p.json --json
[ $SECONDS -lt 15 ] || fail "took $SECONDS s"
empty
holds '.name == "p" and .probed and .generic == false
	and .sequential_read_gb_per_s > 0 and .sequential_write_gb_per_s > 0
	and .random_read_kiops > 0 and .read_latency_us > 0
	and .capacity_gb > 0 and (.measured | length) >= 12
	and [1, 4, 16, 64, 256] - [.measured[] | select(.op == "read" and
		.bytes == 4096 and .jobs == 1) | .depth] == []
	and ([.measured[] | select(.op == "read" and .bytes == 1048576)
		| .depth] | sort) == [1, 2, 4, 8, 16, 32, 64]
	and (.passport | has("filesystem") and has("devices"))
	and .passport.probe.never_written_bytes == 0
	and .passport.probe.file_bytes == 67108864
	and ([.passport.probe.points[] | select(.buffered)] | length) == 2
	and (.sources.read_latency_us |
		test("^measured by stoker drive probe 20"))'
# every request that a device counted, it counted whole
jq -e '[.passport.probe.points[] | select(.op == "read" and
	.buffered == false and .cached_percent != null)
	| .cached_percent <= 10] | all' p.json >/dev/null || fail "cached"
expect 0 stoker drive show ./p.json
said "measured by stoker drive probe"
expect 0 stoker drive show p.json --json
holds '.name == "p"'
# the text begins with the answer; the plan went to stderr
probe 0 --data-dir data --no-write --name "My Drive" --engine pread \
	--show-serial -o q.json
head -n 1 last.out | grep -q "^this file system (.*) reads .* GiB/s at depth" ||
	fail "first line: $(head -n 1 last.out)"
grep -q "will write 64 MiB" last.err || fail "no plan"
said "engine pread"
unsaid "MiB random write"
jq -e '.name == "my-drive"
	and (.sources.random_write_kiops | test("not measured"))
	and ([.measured[] | select(.op == "write")] | length) == 0' q.json \
	>/dev/null || fail "--no-write"
empty
# refused before a byte is written
probe 2 --data-dir data --write --no-write
probe 2 --data-dir nowhere
said "nowhere is not a folder"
probe 2 --data-dir data --out no/such/p.json
said "no/such"
probe 2
said "--data-dir"
expect 2 stoker drive probe --data-dir data --size 1MiB
expect 2 stoker drive probe --data-dir data --seconds 1us
expect 4 stoker drive probe --data-dir data --size 900TiB --json
holds '.status == "failed" and (.error | test("smaller --size"))'
empty
# a file of the user's: read only, and refused where there is nothing to read
head -c 64MiB /dev/urandom >mine
sum=$(cksum <mine)
expect 0 stoker drive probe --file mine --seconds 0.05 --no-write --json
holds '.passport.probe.bytes_written == 0 and .sequential_read_gb_per_s > 0
	and (.sources.sequential_write_gb_per_s | test("not measured"))'
[ "$(cksum <mine)" = "$sum" ] || fail "the file was changed"
expect 2 stoker drive probe --file mine --write
head -c 1MiB mine >short
expect 2 stoker drive probe --file short --quiet
truncate -s 64MiB sparse
expect 4 stoker drive probe --file sparse --quiet
said "is holes, never written"
if fallocate -l 64MiB reserved 2>/dev/null &&
	filefrag -v reserved 2>/dev/null | grep -q unwritten; then
	expect 4 stoker drive probe --file reserved --quiet --json
	holds '.error | test("100 % of the file .* was never written")'
fi
# memory is told as such
if [ -w /dev/shm ] && mkdir "/dev/shm/stoker-e2e-$$"; then
	probe '[03]' --data-dir "/dev/shm/stoker-e2e-$$" --quiet
	rmdir "/dev/shm/stoker-e2e-$$" || fail "left in memory"
	grep -q "memory, not a drive" last.out ||
		grep -q "direct I/O is refused" last.err || fail "tmpfs"
fi
# a modelled drive: 1 MiB / (1 MiB / 2 GB/s + 100 us) alone, 2 GB/s in all
expect 0 stoker drive probe --drive constant:2GB/s,100us --quiet --json
holds '(.sequential_read_gb_per_s - 2 | fabs) < 0.02
	and (.read_latency_us - 102.048 | fabs) < 1'
expect 2 stoker drive probe --drive null
# the model of a profile gives back the profile's figures
expect 0 stoker drive probe --config-dir . --drive pe321 --seconds 1 --quiet \
	--out back.json
jq -e '(.sequential_read_gb_per_s / 7.5 - 1 | fabs) < 0.05
	and (.random_read_kiops / 1773 - 1 | fabs) < 0.05
	and (.read_latency_us / 66 - 1 | fabs) < 0.05' back.json >/dev/null ||
	fail "pe321: $(jq -c 'del(.measured, .passport, .sources)' back.json)"
