# SIGTERM, SIGHUP, SIGINT once and twice: what has ended stays, nothing else.
. "$TESTS/e2e/lib"
datagen d --scale 1/32 --param dataset.num_files_train=56
leaves() { ls -d results/*/*/*/*/*/*/*/2* 2>/dev/null; }
one() { [ -n "$(leaves)" ]; }
for how in "" "-n 2"; do
	for sig in TERM HUP INT; do
		rm -rf results
		"$STOKER" training run --data-dir d --scale 1/32 $how --odirect \
			--runs 9 --param train.epochs=1 --json --quiet \
			-p train.computation_time=100ms --results-dir results \
			>last.out 2>last.err &
		pid=$!
		wait_for 30 one
		SECONDS=0
		kill -$sig $pid
		[ $sig != INT ] || { sleep 0.05 && kill -INT $pid 2>/dev/null; }
		wait $pid
		code=$?
		[ $code = 130 ] || fail "exit code $code after SIG$sig $how"
		[ $SECONDS -le 5 ] || fail "took $SECONDS s after SIG$sig"
		holds '.status == "interrupted" and .exit_code == 130'
		no_leftovers
		for leaf in $(leaves); do
			jq -e . "$leaf"/*.json >/dev/null || fail "$leaf"
		done
		[ -z "$(find results -name '*.partial' -o -name '*.tmp')" ] ||
			fail "partial results left"
	done
done
for how in "" "--num-processes 2"; do
	for sig in TERM INT; do
		rm -rf e
		"$STOKER" training datagen --data-dir e --scale 1/4 $how --json \
			-p dataset.num_files_train=560 >last.out 2>last.err &
		pid=$!
		some() { ls e/unet3d/train/*.npz >/dev/null 2>&1; }
		wait_for 30 some
		kill -$sig $pid
		wait $pid
		code=$?
		[ $code = 130 ] || fail "exit code $code after SIG$sig $how"
		holds '.status == "interrupted"'
		said "the same command continues"
		[ -z "$(find e -name '*.part')" ] || fail "half a file was left"
		no_leftovers
	done
done
