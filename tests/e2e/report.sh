# stoker report: one file of runs, checkpoints and sizing in four formats, with
# the figures of the records; what is not there is named, names stay text.
. "$TESTS/e2e/lib"
check=$TESTS/fixtures/check_report.py
run 0 --drive constant:14.5GB/s,80us -n 2 --odirect --results-dir r \
	-p dataset.num_files_train=280 -p train.epochs=2
run 1 --drive constant:9GB/s,80us -n 2 --odirect --results-dir slow \
	-p dataset.num_files_train=280 -p train.epochs=2
expect 0 stoker checkpointing run --quiet --drive constant:9.3GB/s,80us \
	--model llama3-8b --results-dir c --num-checkpoints-write 2 \
	--num-checkpoints-read 2
expect 0 stoker size --drive d7-ps1010,d5-p5336 --accelerator-type b200 --json
cp last.out size.json
leaf=$(ls -d r/whatif/local/results/*/training/unet3d/run/2*)

# the verdict first, then where it is
expect 0 stoker report r slow c size.json --compare --out all.html
head -n 1 last.out | grep -q '^PASS: AU 9[0-9.]* %.*constant:14.5GB/s' ||
	fail "first line: $(head -n 1 last.out)"
said "FAIL: AU"
said "Sizing: unet3d at >= 90 %"
said "not an MLPerf result"
said "written: all.html"
$python "$check" all.html >count || fail "not a whole page"
if command -v gnuplot >/dev/null; then
	# 2 side by side, 5 of each campaign, 1 of sizes, 1 of checkpoints
	[ "$(cut -d' ' -f1 count)" = 14 ] || fail "charts: $(cat count)"
	grep -q 'rgb(' all.html && fail "a colour that does not follow the theme"
else
	grep -q "gnuplot is not installed" all.html || fail "charts not missed"
fi
! grep -q '://' all.html || fail "an address: $(grep -m1 '://' all.html)"

# figures are those of the record
expect 0 stoker report r c size.json --format json
cp last.out report.json
holds '.answer | startswith("PASS: AU ")'
table='def table(t): [.sections[].items[] | select(.table == t)][0];'
series='def series(c; n): [.sections[].items[] | select(.chart == c)][0]
	.series[] | select(.name == n);'
au=$(jq '.runs[0].metrics.au_mean_pct' "$leaf/record.json")
holds "$table table(\"Runs\").rows[0][1] == $au"
$python - "$leaf/record.json" >want <<'END'
import json, math, sys
run = json.load(open(sys.argv[1]))["runs"][0]
epochs = [k["epochs"][0] for k in run["ranks"]]
took = (max(e["block_end_ns"] for e in epochs)
        - min(e["block_ns"] for e in epochs))
print(sum(e["bytes_asked"] for e in epochs) / took)
ms = sorted((p + b) / 1e6 for k in run["ranks"] for e in k["epochs"]
            for p, b in zip(e["proc_ns"][1:], e["barrier_ns"][1:]))
print(len(ms))
print(ms[math.ceil(0.5 * len(ms)) - 1])
END
{ read -r asked && read -r steps && read -r p50; } <want
holds "$table table(\"Bytes asked for, and moved by the device, per epoch\")
	.rows[0] | (.[4] - $asked | fabs) < 1e-9 and .[4] == .[5]"
holds "$table table(\"Step times in ms, without the first of each epoch\")
	.rows[0] | .[1] == $steps and (.[4] - $p50 | fabs) < 1e-9"
holds "$table (table(\"I/O latency in us\").rows[0][1]) ==
	$(jq '.runs[0].requests.latency_ns.count' "$leaf/record.json")"
holds "$series series(\"I/O latency: share of requests that took no longer\";
	\"run 1 ($(basename "$leaf"))\") | .y[-1] == 100 and (.x | length) > 1"
holds "$table table(\"Time of each accelerator\").rows | length == 3 and
	all(.[]; .[1] + .[2] + .[3] + .[4] - 100 | fabs < 0.001)"
# Young: sqrt(2 x save x time between failures); 8 accelerators, 50000 h each
save=$(jq .metric.save_checkpoint_duration_mean_seconds \
	c/whatif/local/results/*/checkpointing/*/2*/summary.json)
holds "$table table(\"Plan\").rows[0] | .[0] == \"young\" and
	(.[1] - (2 * $save * 50000 * 3600 / 8 | sqrt) | fabs) < 1e-6"
holds "$table table(\"Times of each checkpoint\").rows | length == 4"
holds "$table table(\"How many each drive feeds\") |
	.columns[1] == \"b200\" and (.rows | length) == 2 and
	(.rows[0][1] | startswith(\"$(jq '.entries[0].max_accelerators' \
		size.json) (limit: \"))"
# what a record does not keep is not passed
holds "$table table(\"Rule findings\").rows[] | select(.[0] == \"3.6.2\") |
	.[2] == \"NOT EVALUATED\""
holds "$table [table(\"Rule findings\").rows[] | select(.[0] == \"S-03\") |
	.[2]] == [\"FAIL\"]"

# the other views
expect 0 stoker report r --format md
said "**PASS: AU"
said "| run | AU % |"
expect 0 stoker report r --format csv
$python - "$au" <<'END' || fail "csv"
import csv, sys
rows = list(csv.DictReader(open("last.out", newline="")))
assert [float(r["value"]) for r in rows if r["table"] == "Runs"
        and r["column"] == "AU %"] == [float(sys.argv[1])]
END
expect 0 stoker report "$leaf"
$python "$check" last.out >/dev/null || fail "stdout is not a whole page"
grep -q "no sizing matrix" last.out || fail "what is missing is not named"

# names are text, whatever they are
mkdir -p evil/a
jq '.config.drive = "<script>alert(1)</script>"
	| .notes += [{"id": "x", "text": "\"><img src=x onerror=alert(1)>"}]
	| .config.model = "`touch owned` $(touch owned)"' \
	"$leaf/record.json" >evil/a/record.json
jq '.entries[0].drive = "`touch owned`\"; system \"touch owned\""' size.json \
	>evil.json
expect 0 stoker report evil evil.json -o evil.html
$python "$check" evil.html >/dev/null || fail "a name became markup"
grep -q '&lt;img src=x' evil.html || fail "a note is missing"
[ ! -e owned ] || fail "a name was run"

# what is not there, and what cannot be read
mkdir -p part/x foreign/x bad/x bad/y
jq '.step_times = false | del(.runs[].ranks[].epochs[]
	| (.load_ns, .proc_ns, .compute_ns, .barrier_ns))' \
	"$leaf/record.json" >part/x/record.json
expect 0 stoker report part --format md
said "no step times"
said "no latency curve"
cp "$leaf/summary.json" foreign/x
expect 0 stoker report foreign --format md
said "no time breakdown: only the benchmark's summary.json is there"
said "no drive passport"
cp "$leaf/record.json" bad/x
echo '{' >bad/y/record.json
expect 0 stoker report bad --format json
grep -q 'bad/y is left out: ' last.err || fail "not told: $(cat last.err)"
holds 'any(.sections[].items[]; .text // "" | startswith("bad/y is left out"))'
PATH=/nowhere "$STOKER" report r -o plain.html 2>last.err >last.out ||
	fail "no report without gnuplot"
said "charts are missing: gnuplot is not installed"
$python "$check" plain.html | grep -q '^0 ' || fail "charts without gnuplot"
expect 0 stoker report r --config-dir . --format md
expect 2 stoker report
said "report needs the folder of a run"
expect 2 stoker report nowhere
mkdir empty
expect 2 stoker report empty
said "no finished run in it"
expect 2 stoker report r --format pdf
said "must be html, md, csv or json"
expect 2 stoker report report.json
said "not a document of stoker size --json"
expect 4 stoker report r --out nowhere/x.html
