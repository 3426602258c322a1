# Epochs served from the page cache say nothing about a drive, and that is
# said; under O_DIRECT the device moves what was asked: mlcommons/storage#464.
. "$TESTS/e2e/lib"
[ -r /proc/self/io ] || skip "no /proc/self/io here"
datagen d --scale 1/32 --param dataset.num_files_train=112
two="--data-dir d --scale 1/32 --param train.epochs=2 --quiet --client-host-memory-in-gb 1"
# The kernel, or another program, may drop pages at any time: three tries.
cold() { # the first epoch from the device, the second from the cache
	for f in d/unet3d/train/*.npz; do
		dd if="$f" iflag=nocache count=0 status=none
	done
	expect [01] stoker training run $two --no-drop-caches --buffered
	grep -q "^[45][0-9] % served from page cache; AU does not describe" \
		last.out
}
cold || cold || cold || fail "the cache is not told: $(grep cached last.out)"
said "not CLOSED: caches are not dropped between epochs"
warm() { # now all is in the cache
	run [01] $two --no-drop-caches --buffered
	jq -e '.runs[0].metrics.cached_pct > 95' last.out >/dev/null
}
warm || warm || warm || fail "not from the cache"
run [01] $two --odirect
holds '.runs[0].metrics | .bytes_device / .bytes_asked >= 0.99
	and .bytes_device / .bytes_asked <= 1.05 and .cached_pct < 1'
expect [01] stoker training run $two --odirect
unsaid "served from page cache"
[ -w /proc/sys/vm/drop_caches ] || exit 0
run [01] $two --buffered # dropped before each epoch
holds '.runs[0].metrics.cached_pct < 5'
