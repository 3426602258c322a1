# mlcommons/storage#195: how many accelerators a drive feeds, without a sweep
# by hand. An accelerator takes d = 7 x 146.6 MB / t; N pass where the rate is
# at least N x 0.9 x d, with d = 6.335 GB/s for b200 (0.162 s), 3.177 for h100
# (0.323 s), 1.614 for a100 (0.636 s).
. "$TESTS/e2e/lib"
size() { # CODE OPTION...
	local code=$1
	shift
	expect "$code" stoker size --quiet "$@"
}
equal="--param dataset.record_length_bytes_stdev=0"
drives=constant:14GB/s,constant:7GB/s,80us,constant:3.5GB/s
size 0 --drive $drives --accelerator-type b200,h100,a100 $equal --json
#	14 / (0.9 d): 2.46 4.90 9.64; 7: 1.23 2.45 4.82; 3.5: 0.61 1.22 2.41
holds '[.entries[].max_accelerators] == [2, 4, 9, 1, 2, 4, 0, 1, 2]'
holds '[.entries[].reference_max_accelerators] == [2, 4, 9, 1, 2, 4, 0, 1, 2]'
holds '[.entries[] | .drive] | unique ==
	["constant:14GB/s", "constant:3.5GB/s", "constant:7GB/s,80us"]'
#	14 / 3 d and 14 / 5 d
holds '.entries[0].next_au_percent | . > 73.5 and . < 73.9'
holds '.entries[1].next_au_percent | . > 87.9 and . < 88.3'
holds '.entries[0] | .au_percent > 99.9 and .margin_percent > 9.9
	and .limit == "drive" and .error_percent == 0 and .monotonic'
holds '.entries[6] | .max_accelerators == 0 and .au_percent == null
	and .next_au_percent < 60'
# the same as text and as a table for a spreadsheet
size 0 --drive $drives --accelerator-type b200,h100,a100 $equal
head -n 1 last.out | grep -qF 'constant:14GB/s feeds 2 b200, 4 h100, 9 a100;' ||
	fail "first line: $(head -n 1 last.out)"
[ "$(grep -c ' drive$' last.out)" = 9 ] || fail "not nine rows"
size 0 --drive $drives --accelerator-type b200,h100,a100 $equal --csv
$python -c '
import csv, sys
rows = list(csv.DictReader(open("last.out")))
assert [int(r["max_accelerators"]) for r in rows] == [2,4,9,1,2,4,0,1,2], rows
assert rows[3]["drive"] == "constant:7GB/s,80us" and rows[6]["au_percent"] == ""
' || fail "csv"
# one question is answered by one sentence
size 0 --drive constant:19GB/s $equal
head -n 1 last.out | grep -qE '^constant:19GB/s feeds 3 b200 at >= 90 % steady AU \((99|100)\.[0-9]+ %\); a fourth would get (74.9|75.0)' ||
	fail "$(head -n 1 last.out)"
size 0 --drive constant:3.5GB/s $equal
head -n 1 last.out | grep -qF 'cannot feed one b200' || fail "$(cat last.out)"
# 3 x 0.9 x d = 17.103 GB/s: on both sides of the edge
size 0 --drive constant:17.15GB/s,constant:17.05GB/s $equal --json
holds '[.entries[].max_accelerators] == [3, 2]'
# sweeps, the cap and the campaign behind it
size 0 --drive constant:14GB/s,20ms --queue-depth 1 --buffered \
	--sweep reader.read_threads=1,8 --json
holds '.entries[0].swept == "reader.read_threads=1" and
	.entries[0].max_accelerators < .entries[1].max_accelerators'
size 0 --drive constant:14GB/s --sweep dataset.num_files_train=1400,14000 --json
holds '[.entries[].max_accelerators] == [2, 2]'
size 0 --drive null --max-accelerators 5 --odirect --json
holds '.entries[0] | .max_accelerators == 5 and .at_least'
size 0 --drive constant:14GB/s --confirm -p train.epochs=2
said 'campaign of five runs at N = 2: PASS'
# what is wrong is said before the search
size 2 --drive nosuch:14GB/s
size 2
said '--data-dir'
size 2 --drive null --data-dir .
size 2 --drive null --json --csv
size 2 --drive null, --json
holds '.exit_code == 2'
size 2 --drive null --sweep reader.read_threads
size 2 --drive null --sweep reader.read_thread=1
said 'read_threads'
# a checkpoint is saved meanwhile: AU dips for as long as that takes; on a
# drive that has enough for both it does not
expect 0 stoker size --quiet --json --drive d7-ps1010 \
	--with checkpoint:llama3-8b/10min
holds '.entries[0].with | .accelerators == 2 and .ranks == 8
	and .period_seconds == 600 and .dip_au_percent < .au_percent - 5
	and .dip_seconds >= .save_seconds - 1
	and .save_seconds > .save_alone_seconds'
expect 0 stoker size --quiet --drive constant:100GB/s --max-accelerators 1 \
	--with checkpoint:llama3-8b/1min
said "AU stays at"
for bad in x checkpoint: checkpoint:llama3-8b checkpoint:/1s \
	checkpoint:llama3-8b/0 checkpoint:llama9/1min; do
	expect 2 stoker size --quiet --drive constant:100GB/s --with "$bad"
done
expect 2 stoker size --quiet --drive constant:10GB/s --max-accelerators 1 \
	--with checkpoint:llama3-8b/10s
said "longer than its period"
expect 2 stoker size --quiet --data-dir . --with checkpoint:llama3-8b/10min
said "drive probe"
