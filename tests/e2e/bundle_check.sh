# A submission's tree is judged whole: the first line is the verdict, each
# finding has level, path, what was found and what is required. The faults one
# by one are in tests/unit/test_bundle.c.
. "$TESTS/e2e/lib"

expect 2 stoker bundle check
said "bundle check needs the folder"
expect 2 stoker bundle check nowhere
said "there is no such folder"
mkdir tree
expect 2 stoker bundle check tree --severity later
said "v30 or head"

# nothing but an empty folder
expect 1 stoker bundle check tree
head -n 1 last.out | grep -q '^FAIL: 1 error, 0 warnings (severity head) in tree' ||
	fail "the first line is not the verdict"
said "[ERROR] [2.1.2 topLevelSubdirectories] .: neither closed nor open"

# what stoker itself leaves is not a bundle yet, and all of that is told
expect "[01]" stoker training run --drive constant:6GB/s,80us --odirect \
	--param dataset.num_files_train=56 --runs 1 --division whatif \
	--results-dir results
mkdir -p tree/closed/acme/systems tree/closed/acme/results/box
cp -r results/whatif/*/results/*/training tree/closed/acme/results/box/
expect 1 stoker bundle check tree --severity v30 --strict --json
holds '.verdict == "FAIL" and .severity == "v30" and .strict'
holds 'all(.findings[]; .id and .name and .path and .found
	and .required and (.outcome | IN("PASS", "FAIL", "NOT EVALUATED")))'
# only what fails weighs something
holds 'all(.findings[]; (.outcome == "FAIL") == (.level != null) and
	(.outcome == "FAIL") == (.remedy != null))'
# a part of a tree is not judged as one without a word
leaf=$(find tree -name summary.json | head -n 1)
[ -n "$leaf" ] || fail "no leaf"
expect 1 stoker bundle check "${leaf%/*}"
said "lies inside a tree; to judge that: stoker bundle check $PWD/tree"
expect 1 stoker bundle check tree
unsaid "lies inside a tree"
expect 1 stoker bundle check tree --severity v30 --strict --json
holds '[.findings[] | select(.outcome == "FAIL") | .id] | unique |
	contains(["2.1.8", "2.1.12", "2.1.16", "2.1.17", "3.1.2", "CHECK-01"])'
holds '.findings[] | select(.id == "2.1.17") | .found |
	test("1 warm-up \\+ 0 measured runs, 1 \\+ 5 needed")'
holds '[.findings[] | select(.outcome == "PASS")] == []'
holds 'all(.rules[]; .pass + .fail + .not_evaluated > 0)'
expect 1 stoker bundle check tree --all --config-dir .
said "[PASS] [2.1.1 submitterRootDirectory] closed/acme"

# the rules of trees are in the one table
expect 0 stoker rules explain CHECK-02
said "poolImageSelfConsistency"
said "--severity v30: error, head: error"
expect 0 stoker rules explain 3.4.2
said "--severity v30: warning, head: error"
expect 0 stoker rules explain R-01
said "in a bundle, with --strict"
stoker rules list --json |
	jq -e '[.[].id] | length == (unique | length)' >/dev/null ||
	fail "a rule is there twice"
