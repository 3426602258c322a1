# How many accelerators a real folder feeds, where --limit-read makes it a
# drive of a known rate: files of 512^2 + 458 bytes, 7 of them each 50 ms, are
# d = 36.76 MB/s; at 92 MB/s two get all they want (92 / 2 d = 125 %), a third
# makes it 92 / 3 d = 83.4 %. At 30 MB/s not even one is fed (81.6 %).
. "$TESTS/e2e/lib"
shape="-p dataset.record_length_bytes=262144 -p dataset.record_length_bytes_stdev=0
	-p train.computation_time=50ms"
size() { # CODE OPTION...
	local code=$1
	shift
	# shellcheck disable=SC2086
	expect "$code" stoker size --quiet $shape "$@"
}
# the cost first, and nothing else
size 0 --data-dir d --max-accelerators 3 --dry-run
said 'makes a data set of 896 files' # 4 x 7 x (24 + 2 x 4 steps)
[ ! -e d ] || fail "a dry run wrote"
# a set is made where there is none, and stays
size 0 --data-dir d --max-accelerators 3 --quick --limit-read 92MB/s \
	--in-process
grep -qE '^this drive feeds 2 b200 at >= 90 % steady AU \([0-9.]+ %\); a third would get [78][0-9]\.' \
	last.out || fail "$(cat last.out)"
said 'by the rules 2 x b200 need'
[ "$(ls d/unet3d/train | wc -l)" = 896 ] || fail "files"
# with MPI, one rank an accelerator, and confirmed by five whole runs
size 0 --data-dir d --limit-read 92MB/s -p train.epochs=1 --json \
	--client-host-memory-in-gb 1
# (a host that is busy meanwhile may not confirm the second, or any; the curve
# need not fall then)
holds '.entries[0] | .limit != "" and (.at_least | not) and
	.max_accelerators <= 2 and (.max_accelerators == 0 or
	(.confirmed.passes and .au_percent >= 90))'
no_leftovers
# two folders: an answer each; what cannot feed one says so
size 0 --data-dir d --data-dir d/unet3d --limit-read 30MB/s --quick \
	--in-process --engine pread --no-drop-caches --allow-fallback --csv
[ "$(grep -c '^d.*,b200,,0,' last.out)" = 2 ] || fail "$(cat last.out)"
# the data set ends the search
size 0 --data-dir d --quick --in-process -p train.computation_time=100ms \
	--max-accelerators 1
said 'feeds 1 b200 or more'
size 2 --data-dir d -p reader.read_threads=128
said 'use fewer readers'
# Ctrl-C ends it within seconds, with nothing left running
# shellcheck disable=SC2086
"$STOKER" size --quiet $shape --data-dir d --limit-read 92MB/s --npernode 8 \
	--hosts localhost:8 >out2 2>err2 &
sleep 4
kill -INT $!
wait $!
[ $? = 130 ] || fail "exit code after Ctrl-C: $(cat out2 err2)"
grep -q interrupted err2 || fail "$(cat err2)"
no_leftovers
