# O_DIRECT asked for and refused is an error, never silently something else:
# mlcommons/storage#378.
. "$TESTS/e2e/lib"
"$TOOLS/deny" direct true || skip "no seccomp filters here"
datagen d $scaled
small="--data-dir d --scale 1/64 --quiet --param train.epochs=1"
for ranks in 1 2; do
	expect 3 "$TOOLS/deny" direct "$STOKER" training run $small --odirect \
		-n $ranks
	said "direct I/O refused on d/unet3d/train/img_00_of_56.npz (EINVAL)"
	said "pass --buffered"
	[ "$(grep -c "direct I/O refused" last.err)" = 1 ] || fail "told twice"
	expect [01] "$TOOLS/deny" direct "$STOKER" training run $small --odirect \
		-n $ranks --allow-fallback --json
	holds '.config.odirect == false and ([.notes[] | select(.id == "direct")]
		| length == 1 and (.[0].text | contains("--allow-fallback")))'
	expect [01] "$TOOLS/deny" direct "$STOKER" training run $small --odirect \
		-n $ranks --allow-fallback
	said "read: buffered"
done
expect [01] "$TOOLS/deny" direct "$STOKER" training run $small --buffered
# the data set's writer too
expect 3 "$TOOLS/deny" direct "$STOKER" training datagen --data-dir e $scaled
said "direct I/O refused"
[ -z "$(find e -name '*.part')" ] || fail "half a file was left"
expect 0 "$TOOLS/deny" direct "$STOKER" training datagen --data-dir e $scaled \
	--buffered
