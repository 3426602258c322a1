# What bash offers behind "stoker ... <TAB>".
. "$TESTS/e2e/lib"
expect 0 stoker internal completion
bash -n last.out || fail "syntax"
cp last.out completion
unset -f stoker
. ./completion
complete -p stoker >/dev/null || fail "not registered"
offers() { # WANTED WORD... : the last word is the one at the cursor
	local wanted=$1
	shift
	COMP_WORDS=(stoker "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_stoker
	[ "${COMPREPLY[*]}" = "$wanted" ] ||
		fail "behind '$*': '${COMPREPLY[*]}', not '$wanted'"
}
has() { # WANTED WORD...: among others
	local wanted=$1
	shift
	COMP_WORDS=(stoker "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_stoker
	[[ " ${COMPREPLY[*]} " == *" $wanted "* ]] ||
		fail "behind '$*': $wanted is not in '${COMPREPLY[*]}'"
}
offers training t
has version ""
offers "datasize datagen" training data
offers "list explain" rules ""
offers --accelerator-type training run --accelerator-
has --warmup training run --
has --content training datagen --quiet --
offers "unet3d" training run --model un
offers "b200" training run -g b
offers "b200" training run --quiet --accelerator-type = b
offers "reader.read_threads=" training run --param reader.re
has "train.epochs=" training datasize -p ""
offers "closed" training run --division c
offers "" training run --runs ""
mkdir -p data/x other
offers "data" training run --data-dir da
offers --json rules list --j
