# Every option that --help shows is used by some script here.
. "$TESTS/e2e/lib"
cat "$TESTS"/e2e/*.sh >scripts
commands | while read -r command; do
	# shellcheck disable=SC2086
	expect 0 stoker $command --help
	sed -nE 's/^ +(-[a-z], )?(--[a-z-]+).*/\2/p' last.out
done | sort -u >options
[ "$(wc -l <options)" -gt 40 ] || fail "only these options: $(cat options)"
while read -r option; do
	grep -q -e "$option\\b" scripts || echo "$option"
done <options >untested
[ ! -s untested ] || fail "no script uses: $(cat untested)"
