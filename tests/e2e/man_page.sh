# The manual page holds every command, option and --param key, and is sound.
. "$TESTS/e2e/lib"
expect 0 stoker internal man
cp last.out stoker.1
sed 's/\\-/-/g; s/\\f[BIR]//g' stoker.1 >plain
[ "$(commands | wc -l)" -ge 6 ] || fail "commands: $(commands)"
commands | while read -r command; do
	grep -qx ".SS stoker $command" plain || fail "missing: $command"
	sed -n "/^\.SS stoker $command\$/,/^\.S[SH] /p" plain >section
	# shellcheck disable=SC2086
	stoker $command --help |
		sed -nE 's/^  (-[a-z], |    )(--[a-z-]+).*/\2/p' >options
	[ -s options ] || fail "no options: $command"
	while read -r option; do
		grep -qE -e "^(-[a-z], )?$option( |\$)" section ||
			fail "$command: $option is not in the manual"
		# the help follows on the next line
		grep -EA1 -e "^(-[a-z], )?$option( |\$)" section | tail -n 1 |
			grep -q '[a-z]' || fail "$command: $option has no text"
	done <options || exit 1
done || exit 1
stoker training run --help-params | sed 1d | while read -r key rest; do
	grep -qx "$key" plain || fail "--param $key is not in the manual"
	[ -n "$rest" ] || fail "--param $key has no help"
done || exit 1
if command -v groff >/dev/null; then
	groff -man -ww -Tutf8 -z stoker.1 2>warnings
	[ ! -s warnings ] || fail "groff: $(head -n 3 warnings)"
fi
if command -v mandoc >/dev/null; then
	mandoc -Tlint -Werror stoker.1 || fail "mandoc"
fi
