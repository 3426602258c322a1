# The profiles of drives: built-in ones, one's own, and who is unknown.
. "$TESTS/e2e/lib"
expect 0 stoker drive list
head -n 1 last.out | grep -q "^name " || fail "head"
grep -q "^d7-ps1010 .* 7680 *14.5 *9.3 " last.out || fail "d7-ps1010"
expect 0 stoker drive list --json
holds 'map({key: .name, value: .}) | from_entries
	| ."pe511".capacity_gb == 12800 and ."d5-p5336".media == "QLC"'
expect 0 stoker drive show d7-ps1010
grep -q "^sequential_read_gb_per_s *14.5 *specification sheet" last.out ||
	fail "no source"
expect 0 stoker drive show "24x d5-p5336" --json
holds '.name == "d5-p5336" and .capacity_gb == 61440'
expect 2 stoker drive show d7-ps1011
said "d7-ps1010"
expect 2 stoker drive show
mkdir -p own/drives
stoker drive show pe511 --json | jq '.name = "mine" | .capacity_gb = 100' \
	>own/drives/mine.json
expect 0 stoker drive list --config-dir own
said "mine"
expect 0 stoker drive show mine --config-dir own
grep -q "^capacity_gb *100 " last.out || fail "own profile"
