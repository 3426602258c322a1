# How five runs combine, and which folders are runs: mlcommons/storage#645,
# #502, #679, #717, #771 (Rules 2.1.17, 3.3.2).
. "$TESTS/e2e/lib"
here="--results-dir results --orgname me --systemname here --drive null"
small="-p dataset.num_files_train=28 -p train.epochs=2"
runs=whatif/me/results/here/training/unet3d/run
# shellcheck disable=SC2086
expect 0 stoker training run --quiet $here $small --warmup 1 --runs 5
# the records with other AU: of the warm-up and the five, in their order
with_au() { # AU...
	local leaf au i=0
	rm -rf judged
	cp -r results judged
	for leaf in judged/$runs/2*; do
		i=$((i + 1))
		au=$(cut -d ' ' -f $i <<<"$*")
		jq --argjson au "$au" '.runs[0].metrics |= (.au_mean_pct = $au |
			.meets_exact = ($au >= 90) | .meets_double = ($au >= 90) |
			.au_pct = [$au, $au])' "$leaf/record.json" >r
		mv r "$leaf/record.json"
	done
	[ $i = 6 ] || fail "$i runs"
	expect 0 stoker history --results-dir judged --json
}
# a mean of 93 is not enough
with_au 50 95 95 95 95 85
holds '.campaigns | length == 1 and .[0].reference == "FAIL"
	and (.[0].reason | startswith("run 5: AU 85"))'
with_au 95 95 91 90 92 93
holds '.campaigns | length == 1 and .[0].reference == "PASS"'
with_au 95 95 91 89.99 92 93
holds '.campaigns[0].reference == "FAIL"
	and (.campaigns[0].reason | startswith("run 3: AU 89.99"))'
# datasize and datagen are no runs, and another accelerator's are another group
# shellcheck disable=SC2086
{
	expect 0 stoker training datasize $here --num-accelerators 1
	expect 0 stoker training datagen $here -p dataset.num_files_train=28
	expect 0 stoker training run --quiet $here $small --warmup 1 --runs 5 -g h100
}
expect 0 stoker history --results-dir results --json
holds '[.campaigns[].runs] == [6, 6]
	and [.runs[].accelerator] == ([range(6) | "b200"] + [range(6) | "h100"])'
# a bundle takes the six newest, and its check counts six
sed -n "/^cat >system.yaml/,/^Y$/p" "$TESTS/e2e/modelled_bundle.sh" |
	sed '1d;$d' >system.yaml
bundle="bundle create --results-dir results --org acme --systemname box
	--system-file system.yaml"
# shellcheck disable=SC2086
expect 1 stoker $bundle made
expect 1 stoker bundle check made --all --json
holds '[.findings[] | select(.id == "2.1.17")] | length == 1 and
	.[0].outcome == "PASS" and
	(.[0].found | contains("1 warm-up + 5 measured runs"))'
holds '[.findings[] | select(.id == "2.1.13") | .outcome] == ["PASS"]'
jq -se 'length == 6 and all(.accelerator == "h100")' \
	made/closed/*/results/*/training/unet3d/run/*/*_metadata.json >/dev/null ||
	fail "not the six of one accelerator"
# one more run of the other, and no six newest are of one kind
# shellcheck disable=SC2086
{
	expect 0 stoker training run --quiet $here $small --runs 1
	expect 2 stoker $bundle mixed
}
said "has other parameters than"
said "a result is 6 runs of one configuration"
