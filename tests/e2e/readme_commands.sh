# Every command that the README shows is one that works: those of its code
# blocks are run here, one after another, on a folder of this test's and at
# 1/64 scale with 112 files where they read or write a real drive.
. "$TESTS/e2e/lib"
readme=$TESTS/../README.md
[ -f "$readme" ] || skip "no README.md beside the tests"
# code blocks are indented by four blanks; a backslash continues a line
sed -n 's/^    //p' "$readme" | sed -e ':a' -e '/\\$/N; s/\\\n */ /; ta' >blocks
grep -E '^(stoker|make) ' blocks >all || fail "no commands"
[ "$(grep -c '^stoker ' all)" -ge 8 ] || fail "commands: $(cat all)"
# commands in the text, between back-quotes, must at least exist
grep -oE '`stoker [^`]*`' "$readme" | tr -d '`' | while read -r _ noun verb _; do
	commands | grep -qE "^$noun( $verb)?\$" ||
		fail "README speaks of 'stoker $noun $verb'"
done || exit 1
mkdir data results
run_one() { # WORD...: of one command, its place and size changed
	local words=() word small=
	while [ $# -gt 0 ]; do
		word=$1
		shift
		case $word in
		--cache-dir) words+=("$word" data/kv) && shift ;;
		--checkpoint-folder) words+=("$word" data) && shift ;;
		--data-dir) words+=("$word" data) && shift ;;
		--results-dir) words+=("$word" results) && shift ;;
		/var/tmp/results) words+=(results) ;;
		data_dir=*) words+=(data_dir=data) ;;
		--config-dir) return ;; # needs a file of the reader's
		*) words+=("$word") ;;
		esac
	done
	case "${words[*]}" in
	*"training run"*--data-dir*) small="--scale 1/64 -p train.epochs=1" ;;
	# in full size by modelled_bundle.sh
	*"training run"*--drive*--warmup*) small="-p dataset.num_files_train=112" ;;
	*"kvcache run"*--cache-dir*)
		small="--num-users 8 --model tiny-1b --duration 1 --delay 0
			--trials 1 --storage-capacity-gb 1" ;;
	*"checkpointing run"*--checkpoint-folder*)
		small="--scale 1/4096 --gap 0.05s" ;;
	*"stoker size"*--data-dir*) small="--scale 1/64 --quick" ;;
	*"vectordb datagen"*"--level copies"*)
		small="--num-vectors 5800 --num-query-vectors 20" ;;
	*"vectordb datagen"*"--level built"*)
		small="--num-vectors 2000 --overwrite" ;;
	*"vectordb datagen"*) small="--num-vectors 2000 --segments 29" ;;
	*"vectordb run"*--data-dir*) small="--runtime 1s" ;;
	*"training datagen"*)
		small="--scale 1/64 -p dataset.num_files_train=112" ;;
	*"recipe run smoke"*) small=--dry-run ;; # recipe_run.sh runs it
	*"drive probe"*) small="--size 64MiB --seconds 0.05" ;;
	esac
	# shellcheck disable=SC2086
	expect '[01]' stoker "${words[@]:1}" $small
	grep -q . last.out || fail "nothing on stdout: ${words[*]}"
	count=$((count + 1))
}
count=0
while IFS= read -r line; do
	line=${line%%#*}
	case $line in
	stoker*)
		eval "run_one $line" ;;
	make*)
		# shellcheck disable=SC2086
		set -- $line
		grep -qE "^${2%%[!a-z-]*}:" "$TESTS/../Makefile" ||
			fail "no target for: $line"
		;;
	esac
done <all
[ $count -ge 8 ] || fail "only $count commands were run"
