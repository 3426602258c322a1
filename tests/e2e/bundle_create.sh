# A small campaign on real files becomes a bundle: nothing is invented, what is
# missing is named, and the check finds just what a small campaign must have.
. "$TESTS/e2e/lib"
fill_in() { # what only people know of a system
	sed -e '/simultaneous_/s/FILL_IN/true/' -e '/remap_time/s/FILL_IN/0/' \
		-e '/availability/s/FILL_IN/RDI/' \
		-e '/deployment/s/FILL_IN/onprem/' \
		-e '/efficiency/s/FILL_IN/Gold/' \
		-e '/media_type/s/: .*/: other/' \
		-e '/description\|vendor_name\|model_name\|cpu_model/s/FILL_IN/x/' \
		-e 's/- FILL_IN/- management/' -e 's/FILL_IN/1/' "$1"
}
mkdir data results
campaign="--model unet3d --accelerator-type b200 --results-dir results
	--data-dir data --orgname me --systemname here"
# shellcheck disable=SC2086
{
	expect 0 stoker training datasize $campaign --num-accelerators 1
	expect "[01]" stoker training run --model unet3d --drive null \
		--runs 1 $tiny --results-dir other
	expect 0 stoker training datagen $campaign $tiny
	expect "[01]" stoker training run $campaign $tiny \
		--num-accelerators 1 --computation-time 2ms --buffered \
		--warmup 1 --runs 2
}
expect 0 stoker system describe --data-dir data
grep -q '^# of this host' last.out || fail "no YAML"
cp last.out blank.yaml
fill_in blank.yaml >system.yaml
expect 0 stoker system describe --json
holds '.system_under_test.clients[0].operating_system.name'

bundle="bundle create --results-dir results --org acme --systemname box"
# shellcheck disable=SC2086
{
	expect 2 stoker $bundle made
	said "--system-file FILE"
	expect 2 stoker $bundle --system-file system.yaml made
	said "training unet3d: 3 of 6 runs; make them with: stoker training run"
	[ ! -e made ] || fail "a bundle in spite of missing runs"
	expect "[01]" stoker training run $campaign $tiny \
		--num-accelerators 1 --computation-time 2ms --buffered --runs 3
	expect 2 stoker $bundle --system-file blank.yaml made
	said "still has blanks (FILL_IN)"
	expect 1 stoker $bundle --system-file system.yaml made
	said "made: an EMULATED bundle of 8 result folders (not an MLPerf result)"
	expect 2 stoker $bundle --system-file system.yaml made
	said "made exists"
	expect 1 stoker $bundle --system-file system.yaml --json \
		--source whatif/me/results/here --allow-missing \
		--division open --system-pdf made/closed/*/systems/*.pdf \
		--code-dir "$TESTS/../core" again
	holds '.emulated and .missing == [] and .leaves == 8'
	expect 2 stoker $bundle --system-file system.yaml --source none none
	said "--source none"
}
# that, and that only, is wrong with it: size, records, AU of so small a set
# (and what this host's memory and file systems make of it)
expect 1 stoker bundle check made --json
jq -r '.findings[] | select(.outcome == "FAIL") | .id' last.out | sort -u >ids
grep -qx 3.1.2 ids || fail "3.1.2 is not among: $(cat ids)"
grep -qx EDN-02 ids || fail "EDN-02 is not among: $(cat ids)"
unexpected=$(grep -vxE '3\.1\.2|EDN-02|3\.3\.[123]|3\.4\.2|2\.1\.18' ids)
[ -z "$unexpected" ] || {
	jq '.findings[] | select(.outcome == "FAIL")' last.out | head -60 >&2
	fail "also: $unexpected"
}
# every place says that it is emulated, and none that mlpstorage made it
org=made/closed/emulated-acme
for f in $org/submission.yaml $org/systems/emulated-box.yaml \
	$org/systems/NOTES.md; do
	grep -q EMULATED $f || fail "$f does not say so"
done
find made -name provenance.json >stamps
[ "$(wc -l <stamps)" = 8 ] || fail "stamps: $(cat stamps)"
# shellcheck disable=SC2046
jq -e '.tool.name == "stoker" and .dlio.commit == "unknown" and
	(.notes | startswith("EMULATED"))' $(cat stamps) | sort -u |
	grep -qx true || fail "a stamp does not say so"
jq -e '.emulated' $org/results/*/training/unet3d/run/*/*metadata.json |
	sort -u | grep -qx true || fail "metadata"
jq -e 'length == 1 and (.[0] | length == 54 and ."Public ID" == "" and
	."Training - Accelerator Type" == "b200")' $org/results/results.json \
	>/dev/null || fail "$(cat $org/results/results.json)"
[ "$(wc -l <$org/results/results.csv)" = 2 ] || fail "results.csv"
head -c 5 $org/systems/emulated-box.pdf | grep -q %PDF- || fail "no PDF"
# the files of a run are as they were
run=$(find results/whatif -path '*run/2*' -name summary.json | sort | head -n 1)
cmp "$run" "$org/results/emulated-box/${run#results/whatif/me/results/here/}" ||
	fail "$run was changed"
# a write phase alone is half a result; runs of two configurations are none
# shellcheck disable=SC2086
{
	expect 0 stoker checkpointing run --model llama3-8b \
		--drive constant:6GB/s,80us --num-checkpoints-read 0 \
		--results-dir results --orgname me --systemname here
	expect 2 stoker $bundle --system-file system.yaml half
	said "checkpointing llama3-8b: no read phase; make it with: stoker checkpointing run --model llama3-8b --num-checkpoints-write 0"
	expect "[01]" stoker training run $campaign $tiny -n 1 --buffered \
		--computation-time 2ms --param reader.read_threads=2
	expect 2 stoker $bundle --system-file system.yaml --allow-missing half
	said "has other parameters than"
	[ ! -e half ] || fail "a bundle of what does not belong together"
}
