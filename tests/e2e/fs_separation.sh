# Are data and results on one file system? By a link that is tried.
. "$TESTS/e2e/lib"
other=/dev/shm/stoker-e2e-$$
mkdir -p $other 2>/dev/null || skip "no /dev/shm"
trap 'rm -rf $other' EXIT
[ "$(stat -c %d $other)" != "$(stat -c %d .)" ] ||
	skip "/dev/shm is not another file system"
datagen d $tiny
answer() { # RESULTS: same_filesystem and method
	run [01] --data-dir d $tiny --results-dir "$1"
	find d "$1" -name '.stoker*' | grep . && fail "a sentinel was left"
	jq -r '"\(.same_filesystem) \(.method)"' \
		"$(find "$1" -name fs_separation.json)"
}
[ "$(answer same)" = "true link_exdev" ] || fail "one file system"
[ "$(answer $other/r)" = "false link_exdev" ] || fail "two file systems"
jq -e --arg d "$PWD/d/unet3d" '.data_or_chkpt_realpath == $d
	and .results_realpath == "'$other'/r"' \
	"$(find $other/r -name fs_separation.json)" >/dev/null || fail "paths"
# where nothing may be made in the data folder, device numbers tell
[ "$(id -u)" = 0 ] || exit 0
setpriv --reuid 65534 --regid 65534 --clear-groups true 2>/dev/null || exit 0
chmod 755 .
cp "$STOKER" stoker
mkdir ro && chown 65534 ro
chmod -R a+rX d
expect [01] setpriv --reuid 65534 --regid 65534 --clear-groups ./stoker \
	training run --quiet --data-dir d $tiny --results-dir ro
jq -e '.same_filesystem and .method == "st_dev"' \
	"$(find ro -name fs_separation.json)" >/dev/null || fail "read-only data"
