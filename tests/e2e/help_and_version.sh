. "$TESTS/e2e/lib"
for command in datasize datagen run profiles; do
	expect 0 stoker training $command --help
	grep -q "^usage: stoker training $command" last.out || fail "usage"
	said "--json"
	[ ! -s last.err ] || fail "something on stderr"
	expect 0 stoker training $command -h
done
for word in --help -h help; do
	expect 0 stoker $word
	said "exit codes: 0 done, 1 verdict FAIL, 2 usage, 3 environment, 4 I/O"
	said "stoker training      datagen"
done
# a group of commands, and one by its name
for words in "vectordb --help" "vectordb -h" "vectordb help" "help vectordb"; do
	expect 0 stoker $words
	grep -q "^usage: stoker vectordb COMMAND" last.out || fail "usage"
	said "stoker vectordb      datagen"
	! grep -q "stoker training" last.out || fail "other groups"
done
for words in "help vectordb run" "help size"; do
	expect 0 stoker $words
	grep -q "^usage: stoker ${words#help } " last.out || fail "usage"
done
expect 2 stoker help vectrdb
said 'did you mean "vectordb"?'
expect 2 stoker help vectordb rnu
said 'did you mean "vectordb run"?'
expect 0 stoker version
grep -qx 'stoker [0-9.]*' last.out || fail "version"
for library in liburing "Open MPI" cJSON popt isa-l GMP libyaml HDF5 kernel compiler; do
	grep -qE "^$library +[a-z ]*[0-9]+\\.[0-9]+" last.out ||
		fail "$library: $(cat last.out)"
done
expect 0 stoker version --json
holds '.name == "stoker" and (.version | test("^[0-9.]+$"))
	and ([.libraries[].name] | length) == 8
	and all(.libraries[]; .built | test("^[0-9.]+$"))
	and all(.libraries[]; has("running")) and .kernel and .compiler'
expect 0 stoker version --help
said "usage: stoker version [--json]"
expect 2 stoker version --jsn
said "did you mean --json?"
expect 0 stoker --version
