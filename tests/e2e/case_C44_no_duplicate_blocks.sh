# Ranks that write alike flatter arrays that find duplicates:
# mlcommons/storage#278. 2 processes, 8 MiB each.
. "$TESTS/e2e/lib"
set8="--num-processes 2 --param dataset.num_files_train=8
	--params dataset.record_length_bytes=2097152
	--params dataset.record_length_bytes_stdev=0"
blocks() { # FOLDER: 512-byte blocks, and how many of them are repeated
	$python - "$1" <<'END'
import collections, hashlib, os, sys
seen = collections.Counter()
for d, _, names in os.walk(sys.argv[1]):
    for name in names:
        data = open(os.path.join(d, name), "rb").read()
        for at in range(0, len(data) - 511, 512):
            seen[hashlib.md5(data[at:at + 512]).digest()] += 1
print(sum(seen.values()), sum(seen.values()) - len(seen))
END
}
datagen a $set8 --seed 7
read -r all repeated <<<"$(blocks a/unet3d/train)"
[ "$all" -gt 30000 ] && [ "$repeated" = 0 ] ||
	fail "$repeated of $all blocks are repeated"
cat a/unet3d/train/*.npz >all.bin
zstd -q -1 all.bin -o all.zst
[ $(($(stat -c %s all.zst) * 102)) -gt $(($(stat -c %s all.bin) * 100)) ] ||
	fail "compressible: $(stat -c %s all.bin all.zst)"
# the same seed and processes: the same bytes; another seed: others
datagen b $set8 --seed 7
cmp <(cat b/unet3d/train/*.npz) all.bin || fail "seed 7 twice differs"
datagen c $set8 --seed 8
! cmp -s <(cat c/unet3d/train/*.npz) all.bin || fail "seed 8 equals seed 7"
# reference content: every file starts with the same payload
datagen d $set8 --content reference
payload() {
	tail -c +164 "d/unet3d/train/img_$1_of_8.npz" | head -c 1000000
}
cmp <(payload 0) <(payload 5) || fail "reference content differs"
read -r all repeated <<<"$(blocks d/unet3d/train)"
[ "$repeated" -gt 10000 ] || fail "reference content is not repeated"
expect 2 stoker training datagen --data-dir e --content zeros
said "--content zeros: must be unique or reference"
