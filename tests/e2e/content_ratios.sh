# Content for storage that compresses and deduplicates: measured with zstd and
# with a hash of every 4 KiB block, within 10 % of what was asked for.
. "$TESTS/e2e/lib"
set="--model retinanet --param dataset.num_files_train=120
	--computation-time 1ms" # 37 MiB
measure() { # FOLDER: R by zstd -1, and by blocks, in thousandths
	cat "$1"/retinanet/train/* >all.bin
	zstd -q -f -1 all.bin -o all.zst
	zipped=$(($(stat -c %s all.bin) * 1000 / $(stat -c %s all.zst)))
	blocks=$($python - "$1/retinanet/train" <<'END'
import hashlib, os, sys
n, seen = 0, set()
for name in os.listdir(sys.argv[1]):
    data = open(os.path.join(sys.argv[1], name), "rb").read()
    for at in range(0, len(data), 4096):
        n += 1
        seen.add(hashlib.md5(data[at:at + 4096]).digest())
print(n * 1000 // len(seen))
END
)
	echo "$1: zstd $zipped, blocks $blocks thousandths"
}
near() { # VALUE WANTED, both in thousandths
	[ $(($1 * 10)) -ge $(($2 * 9)) ] && [ $(($1 * 10)) -le $(($2 * 11)) ] ||
		fail "$1 is not $2"
}
for r in 1.5 4; do
	datagen c$r $set --compress-ratio $r --json
	holds '.compress_ratio == $r and .dedup_ratio == 1' --argjson r $r
	measure c$r
	near $zipped $($python -c "print(int($r * 1000))")
	near $blocks 1000
done
# the pool of 256 blocks counts once: 145 MiB for it to matter little
for r in 1.5 4; do
	datagen d$r $set --param dataset.num_files_train=480 --dedup-ratio $r
	measure d$r
	near $blocks $($python -c "print(int($r * 1000))")
	rm -r d$r
done
datagen both $set --compress-ratio 2 --dedup-ratio 2
measure both
near $blocks 2000
[ $zipped -ge 1900 ] || fail "not compressible"
# every byte is known again, a flipped one is found, the run is not CLOSED
expect 0 jq -e '.compress_ratio == 2 and .dedup_ratio == 2' \
	both/retinanet/stoker-manifest.json
for how in --odirect --buffered; do
	run [01] --data-dir both $set --verify $how --param train.epochs=1
	holds '.runs[0].ranks[0].samples_verified == 120'
	said "the data set compresses by 2 and deduplicates by 2"
done
run 2 --data-dir both --model retinanet --division closed
said "was made with --compress-ratio or --dedup-ratio"
# (within the zeros of a block)
file=both/retinanet/train/img_003_of_120.jpeg
printf '\1' | dd of=$file bs=1 seek=8000 conv=notrunc status=none
run 4 --data-dir both $set --verify
said "$file differs from what was generated at byte 8000"
# another ratio is another data set; none at all is in the manifest as before
expect 2 stoker training datagen --data-dir both $set --compress-ratio 3 --dedup-ratio 2
said "compress ratio in thousandths: 2000, not 3000"
datagen plain $set --compress-ratio 1
expect 1 grep ratio plain/retinanet/stoker-manifest.json
# npz and HDF5: the blocks lie on boundaries of the file, behind its head
for f in npz hdf5; do
	datagen $f $set --param dataset.format=$f --dedup-ratio 2
	measure $f
	near $blocks 2000
	run [01] --data-dir $f $set --param dataset.format=$f --verify \
		--odirect --param train.epochs=1
done
for bad in 0.9 101 nan ""; do
	expect 2 stoker training datagen --data-dir e $set --compress-ratio "$bad"
	said "must be a number from 1 to 100"
done
expect 2 stoker training datagen --data-dir e $set --content reference --dedup-ratio 2
said "--dedup-ratio goes with --content unique"
expect 0 stoker training datagen --data-dir e $set --dedup-ratio 2.5 --dry-run
said "not CLOSED: --compress-ratio 1, --dedup-ratio 2.5"
