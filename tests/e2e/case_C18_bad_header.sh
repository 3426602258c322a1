# A header that lies or that is a program: refused with its place, read by any
# way, and nothing is executed: rogersce/cnpy PR #107, mlcommons/storage#286.
. "$TESTS/e2e/lib"
datagen d $tiny
train=d/unet3d/train
cp -r d kept
small="--data-dir d $tiny -p train.epochs=1 -p train.computation_time=5ms"
# the npy header of member x begins at 35 (30 + 5), its length is at 43, its
# text at 45
spoil() { # OFFSET BYTES
	for f in $train/*.npz; do
		printf "$2" | dd of="$f" bs=1 seek="$1" conv=notrunc status=none
	done
}
refused() { # TEXT
	for how in "" "--odirect" "--engine pread" "-n 2" "--verify"; do
		run 4 $small $how
		grep -qE "npz $train/img_[0-9]+_of_56.npz, offset 35: bad npy header of member x.npy" \
			last.err || fail "$how: $(cat last.err)"
		said "$1"
		holds '.status == "failed" and .exit_code == 4'
	done
	rm -r d
	cp -r kept d
}
spoil 43 '\xff\xff' # 65535 bytes
refused "header of 65535 bytes"
spoil 45 "{'descr': '__import__(\"os\").system(\"touch done\")'"
refused "header"
[ ! -e done ] || fail "it was executed"
# in a file too short for it
for f in $train/*.npz; do truncate -s 200 "$f"; done
run 4 $small
said "has 200 bytes, the manifest says"
rm d/unet3d/stoker-manifest.json
run 4 $small
holds '.status == "failed"'
