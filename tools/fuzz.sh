#!/bin/sh
# make fuzz: every target of tests/fuzz for a while, from tests/fixtures/fuzz.
#   FUZZ_SECONDS=10  for each target
#   FUZZ_CC=clang
# What is found is kept in $B/found; what is new in $B/corpus.
set -eu
B=${B:-build/fuzz}
cc=${FUZZ_CC:-clang}
sanitizers=address,undefined
mkdir -p "$B/found"
if ! echo 'int LLVMFuzzerTestOneInput(const char *d, long n);
int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' |
	"$cc" -fsanitize=fuzzer,$sanitizers -x c -o "$B/probe" - 2>/dev/null; then
	echo "SKIP: $cc cannot build fuzz targets (Debian: apt-get install" \
		"clang libclang-rt-14-dev)"
	exit 0
fi
${MAKE:-make} --no-print-directory -j2 CI=1 B="$B" CC="$cc" OPT='-O1 -g' \
	SAN="-fsanitize=fuzzer-no-link,$sanitizers \
	-fno-sanitize-recover=undefined -fno-omit-frame-pointer" fuzz-targets
code=0
for target in "$B"/fuzz/fuzz_*; do
	name=${target##*/fuzz_}
	case $name in *.*) continue ;; esac
	mkdir -p "$B/corpus/$name"
	echo "== $name, ${FUZZ_SECONDS:-10} s"
	"$target" -max_total_time="${FUZZ_SECONDS:-10}" -max_len=8192 \
		-timeout=20 -rss_limit_mb=2048 -verbosity=0 \
		-print_final_stats=1 -artifact_prefix="$B/found/$name-" \
		"$B/corpus/$name" "tests/fixtures/fuzz/$name" \
		>"$B/$name.log" 2>&1 || {
		code=1
		tail -n 40 "$B/$name.log"
	}
	grep -h 'number_of_executed_units\|new_units_added' "$B/$name.log" || :
done
exit $code
