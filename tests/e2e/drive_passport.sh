# Which drive a folder lies on; the same in the record of a run.
. "$TESTS/e2e/lib"
expect 0 stoker drive passport --data-dir . --json
filesystem=$(findmnt -no FSTYPE -T . 2>/dev/null ||
	stat -f -c %T . | sed 's,ext2/ext3,ext4,')
holds '.filesystem == $t and (.mount_point | length) > 0
	and (.devices | type) == "array"' --arg t "$filesystem"
cp last.out passport.json
expect 0 stoker drive passport --data-dir .
head -n 1 last.out | grep -q "^$filesystem on " || fail "$(head -n 1 last.out)"
# serial numbers are masked but for four characters at most
expect 0 stoker drive passport --data-dir . --show-serial --json
serial=$(jq -r '.devices[0].serial // ""' last.out)
masked=$(jq -r '.devices[0].serial // ""' passport.json)
[ ${#serial} = ${#masked} ] || fail "serial: $serial, $masked"
[ ${#serial} -lt 8 ] || [ "${masked:0:4}" = "****" ] || fail "masked: $masked"
expect 0 stoker drive passport --data-dir /proc
said "no block device"
expect 2 stoker drive passport
# a record of a real drive has it, one of a modelled drive has not
# shellcheck disable=SC2086
datagen data $tiny
# shellcheck disable=SC2086
run '[01]' --data-dir data --results-dir results $tiny -p train.epochs=1 \
	--computation-time 1ms
holds '.drive.filesystem == $t' --arg t "$filesystem"
expect 0 stoker history --results-dir results
run '[01]' --drive constant:1GB/s $tiny -p train.epochs=1
holds 'has("drive") | not'
# shellcheck disable=SC2086
expect '[01]' stoker training run --quiet --data-dir data $tiny \
	-p train.epochs=1 --computation-time 1ms
grep -q "^drive: $filesystem on " last.out || fail "no drive in the report"
