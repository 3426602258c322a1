# Without the right to drop caches: no prompt, a note, each file's own cache
# is dropped instead: mlcommons/storage#487.
. "$TESTS/e2e/lib"
if [ "$(id -u)" = 0 ]; then
	chmod 755 .
	cp "$STOKER" stoker
	nobody="setpriv --reuid 65534 --regid 65534 --clear-groups ./stoker"
	$nobody version >last.out 2>&1 || skip "cannot run as nobody"
else
	nobody=$STOKER
	[ ! -w /proc/sys/vm/drop_caches ] || skip "anyone may drop caches here"
fi
datagen d $scaled
chmod -R a+rX d
# on a terminal, where something might ask: nothing does, nothing waits
command -v script >/dev/null || skip "no script(1) to make a terminal"
SECONDS=0
timeout 30 script -qec "$nobody training run --data-dir d --scale 1/64 \
	-p train.epochs=1 -p train.computation_time=5ms --buffered" tty.out \
	</dev/null >last.out 2>last.err
code=$?
[[ $code == [01] ]] || fail "exit code $code on a terminal: $(tail -n 9 tty.out)"
[ "$(grep -c "POSIX_FADV_DONTNEED" tty.out)" = 1 ] || fail "no note: $(tail -n 9 tty.out)"
! grep -iE "sudo|password" tty.out || fail "something asked"
[ $SECONDS -lt 15 ] || fail "took $SECONDS s"
small="--data-dir d --scale 1/64 --quiet --json"
expect [01] timeout 10 $nobody training run $small --buffered
holds '[.notes[] | select(.id == "cache-drop") | .text] | length == 1
	and (.[0] | contains("EACCES") and contains("POSIX_FADV_DONTNEED"))'
holds '.runs[0].metrics.cached_pct < 5'
expect [01] timeout 10 $nobody training run $small --odirect
holds '[.notes[] | select(.id == "cache-drop") | .text]
	| .[0] | contains("harmless here, reads are O_DIRECT")'
