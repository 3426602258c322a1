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
