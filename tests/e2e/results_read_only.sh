# The results folder cannot be written: a run finds that before it starts, the
# others say what was not lost.
. "$TESTS/e2e/lib"
nobody=$STOKER
if [ "$(id -u)" = 0 ]; then
	chmod 755 .
	cp "$STOKER" stoker
	nobody="setpriv --reuid 65534 --regid 65534 --clear-groups ./stoker"
	$nobody version >last.out 2>&1 || skip "cannot run as nobody"
fi
mkdir ro && chmod 555 ro
small="-p dataset.num_files_train=70"
expect 3 $nobody training run --drive null $small --results-dir ro
said "--results-dir ro cannot be written: Permission denied; nothing was run"
expect 4 $nobody training datasize --results-dir ro
said "Permission denied"
mkdir d && chmod 777 d
expect 4 $nobody training datagen --data-dir d $tiny --results-dir ro
said "the data set is complete, but its result files could not be written"
[ -z "$(find ro -mindepth 1)" ] || fail "something is there"
