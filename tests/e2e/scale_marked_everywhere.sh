# A scaled result can be taken for a real one nowhere.
. "$TESTS/e2e/lib"
mark="not CLOSED: --scale 1/64"
expect 0 stoker training datasize --scale 1/64
said "$mark"
said "--scale 1/64 --param dataset.num_files_train="
expect 0 stoker training datasize --scale 1/64 --json
holds '.scaled'
expect 0 stoker training datagen $scaled --data-dir d --dry-run
said "$mark"
expect 0 stoker training datagen $scaled --data-dir d
said "$mark"
expect 0 stoker training datagen $scaled --data-dir d --json
holds '.scaled'
expect 0 stoker training run --scale 1/64 --data-dir d --dry-run
said "$mark"
expect [01] stoker training run --scale 1/64 --data-dir d --results-dir r
said "$mark"
said "1 x b200 on unet3d, d/unet3d, scale 1/64"
run [01] --scale 1/64 --data-dir d
holds '.config.scale == {num: 1, den: 64} and ([.notes[].text]
	| any(startswith("--scale 1/64")))'
jq -e '.config.scale.den == 64' r/whatif/*/*/*/*/*/*/*/record.json >last.out ||
	fail "record.json"
[ ! -e r/closed ] || fail "in the closed tree"
# the set says it too: at another scale it is refused
expect 2 stoker training run --scale 1/32 --data-dir d
said "(scale 1/64)"
for bad in 2 0 1/0 3/2 x; do
	expect 2 stoker training datasize --scale $bad
	said "--scale"
done
