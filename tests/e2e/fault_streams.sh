# Standard streams that are closed, or whose reader has left: results are kept,
# no message lands in a file, and a report that nobody got is no success.
. "$TESTS/e2e/lib"
default="env --default-signal=PIPE,XFSZ" # whatever runs the tests ignores
small="$tiny -p train.epochs=1 -p train.computation_time=20ms"
leaves() { ls -d "$1"/*/*/*/*/*/*/*/2* 2>/dev/null | wc -l; }
whole() { # FOLDER: its files are what they should be
	find "$1" -name '*.json' -print0 | xargs -0 -n 1 jq -e . >/dev/null ||
		fail "something was written into $1"
	[ -z "$(find "$1" -name '*.partial' -o -name '*.tmp' -o -name '*.part')" ] ||
		fail "halves left in $1"
}
# closed: datagen's files must not get the numbers of its streams
for how in "" "--num-processes 2"; do
	rm -rf d
	# shellcheck disable=SC2086
	"$STOKER" training datagen --data-dir d $tiny $how <&- >&- 2>&-
	code=$?
	[ $code = 4 ] || fail "exit code $code: nobody got the report"
	whole d
	run '[01]' --data-dir d $small --verify
done
for ranks in 1 2; do
	rm -rf r
	set -- training run --data-dir d $small --results-dir r -n $ranks
	expect 4 bash -c '"$STOKER" "$@" >&-' - "$@"
	said "cannot write to standard output: Bad file descriptor"
	expect [01] bash -c '"$STOKER" "$@" 2>&-' - "$@"
	said "$ranks x b200 on unet3d"
	expect [01] bash -c '"$STOKER" "$@" <&-' - "$@"
	"$STOKER" "$@" <&- >&- 2>&-
	code=$?
	[ $code = 4 ] || fail "exit code $code with all streams closed"
	[ "$(leaves r)" = 4 ] || fail "not all runs were kept"
	whole r
	# | head: the reader of the messages leaves, then that of the report
	rm -rf r
	set -- "$@" --runs 2 -p train.computation_time=100ms
	{ $default "$STOKER" "$@" 2>&1 >last.out; echo $? >code; } | head -c 1 >first
	[[ $(cat code) == [01] ]] || fail "exit code $(cat code), messages unread"
	grep -q "$ranks x b200" last.out || fail "no report"
	{ $default "$STOKER" "$@" --json 2>last.err; echo $? >code; } | true
	[ "$(cat code)" = 4 ] || fail "exit code $(cat code), report unread"
	grep -q "cannot write to standard output: Broken pipe" last.err ||
		fail "no word of it: $(cat last.err)"
	[ "$(leaves r)" = 4 ] || fail "not all runs were kept"
	whole r
	no_leftovers
done
# ulimit -f ends no process by a signal
limited() { (ulimit -f "$1" && shift && $default "$@"); }
expect 4 limited 40 "$STOKER" training datagen --data-dir e $tiny --json
holds '.status == "failed" and (.error | contains("File too large"))'
whole e
expect 4 limited 8 "$STOKER" training run --data-dir d $small --json --results-dir r2
holds '.status == "failed" and (.error | contains("r2 cannot be written: File too large"))'
