# Shared by the benches; sourced. What is compared runs in palindromes (A B C
# C B A), so that a machine that slowly gets faster or slower favours nobody,
# and one of the sides runs twice under two names: how far these two seem to
# differ is what the figures are worth.
#
#	SETS=9		palindromes a comparison
#	BENCH_DISK=/var/tmp	a folder on the drive to use
set -eu
export LC_ALL=C
unset MAKEFLAGS MAKELEVEL MFLAGS

bench_here=$(cd "$(dirname "$0")" && pwd)
bench_root=$(cd "$bench_here/../.." && pwd)
STOKER=$(readlink -f "${STOKER:-$bench_root/build/stoker}")
B=$(dirname "$STOKER")
SETS=${SETS:-9}
BENCH_DISK=${BENCH_DISK:-/var/tmp}
GIB=1073741824
CONTROL_MOST_PCT=3

bench_dirs=
bench_old_huge=

bench_cleanup() {
	for dir in $bench_dirs; do rm -rf "$dir"; done
	[ -z "$bench_old_huge" ] || echo "$bench_old_huge" \
		>/proc/sys/vm/nr_hugepages || :
}
trap bench_cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

die() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

# bench_build PROGRAM...: our own small programs, beside stoker
bench_build() {
	for program; do
		make -s -C "$bench_root" B="$B" "$B/bench/$program" >&2
	done
}

# bench_dir BASE GIB: $dir = a folder of its own, removed at the end; false
# if BASE has not so much room
bench_dir() {
	[ -d "$1" ] && [ -w "$1" ] || return 1
	[ "$(df -Pk "$1" | awk 'NR == 2 { print int($4 / 1048576) }')" \
		-ge "$2" ] || return 1
	dir=$(mktemp -d "$1/stoker-bench.XXXXXX")
	bench_dirs="$bench_dirs $dir"
}

# huge_pages N: fio needs N of them set aside; false if it cannot be done
huge_pages() {
	[ -w /proc/sys/vm/nr_hugepages ] || return 1
	bench_old_huge=$(cat /proc/sys/vm/nr_hugepages)
	[ "$bench_old_huge" -ge "$1" ] ||
		echo "$1" >/proc/sys/vm/nr_hugepages 2>/dev/null || :
	[ "$(cat /proc/sys/vm/nr_hugepages)" -ge "$1" ]
}

# cost COMMAND...: runs it; $wall_s $cpu_s $rss_bytes of all its processes
cost() {
	status=0
	"$B/bench/spent" "$tmp/spent" "$@" || status=$?
	read -r wall_s cpu_s rss_bytes <"$tmp/spent"
	return $status
}

# startup N COMMAND...: median "wall_s cpu_s" of a run that does next to nothing
startup() {
	n=$1
	shift
	: >"$tmp/startup"
	for _ in $(seq "$n"); do
		cost "$@" >/dev/null
		echo "$wall_s $cpu_s" >>"$tmp/startup"
	done
	echo "$(column 1 median <"$tmp/startup")" \
		"$(column 2 median <"$tmp/startup")"
}

# column K WHAT...: quartiles and ends of a column: median q1 q3 min max
column() {
	awk -v k="$1" '{ print $k }' | sort -g | awk -v what="$2" '
		function q(p,   i, f) {
			i = 1 + (NR - 1) * p; f = i - int(i)
			return v[int(i)] * (1 - f) + v[int(i) + (f > 0)] * f
		}
		{ v[NR] = $1 }
		END {
			split("min q1 median q3 max", name)
			for (j = 1; j <= 5; j++)
				if (what == name[j])
					printf "%.6g\n", q((j - 1) / 4)
		}'
}

# run_sets FILE ARM...: calls measure_ARM, which prints its figures, SETS times
# there and back; FILE gets lines "set arm figures"
run_sets() {
	out=$1
	shift
	back=
	for arm; do back="$arm $back"; done
	: >"$out"
	for set in $(seq "$SETS"); do
		for arm in "$@" $back; do
			figures=$("measure_$arm") || exit 1
			echo "$set $arm $figures" >>"$out"
		done
	done
}

# ratios FILE K ARM BASE: one ratio of figure K a set
ratios() {
	awk -v k=$(($2 + 2)) -v arm="$3" -v base="$4" '
		$2 == arm { a[$1] += $k }
		$2 == base { b[$1] += $k }
		END { for (s in a) if (b[s] > 0) print a[s] / b[s] }' "$1"
}

# figure FILE K ARM: its median, over all runs
figure() {
	awk -v k=$(($2 + 2)) -v arm="$3" '$2 == arm { print $k }' "$1" |
		column 1 median
}

# judge FILE K LABEL ARM BASE OP GOAL: one line about figure K of ARM relative
# to BASE; "control" in FILE is BASE once more
judge() {
	ratios "$1" "$2" "$4" "$5" >"$tmp/ratios"
	ratios "$1" "$2" control "$CONTROL_OF" >"$tmp/control"
	awk -v label="$3" -v op="$6" -v goal="$7" -v most=$CONTROL_MOST_PCT \
		-v m="$(column 1 median <"$tmp/ratios")" \
		-v lo="$(column 1 min <"$tmp/ratios")" \
		-v hi="$(column 1 max <"$tmp/ratios")" \
		-v c1="$(column 1 q1 <"$tmp/control")" \
		-v c3="$(column 1 q3 <"$tmp/control")" '
		BEGIN {
			off = 100 * (1 - c1 > c3 - 1 ? 1 - c1 : c3 - 1)
			word = "NOT MET"
			if (op == ">=" ? m >= goal : m <= goal)
				word = "met"
			if (off > most)
				word = sprintf("INCONCLUSIVE (the control is " \
					"off by %.1f %%)", off)
			printf("  %-34s %6.3f  (sets %.3f..%.3f)  " \
				"goal %s %s: %s\n", label, m, lo, hi, op, goal,
				word)
		}'
}

# show_control FILE K LABEL
show_control() {
	ratios "$1" "$2" control "$CONTROL_OF" >"$tmp/control"
	printf '  %-34s %6.3f  (sets %.3f..%.3f, middle half %.3f..%.3f)\n' \
		"$3" "$(column 1 median <"$tmp/control")" \
		"$(column 1 min <"$tmp/control")" \
		"$(column 1 max <"$tmp/control")" \
		"$(column 1 q1 <"$tmp/control")" \
		"$(column 1 q3 <"$tmp/control")"
}

[ -x "$STOKER" ] || die "$STOKER is not there; run make first, or set STOKER"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/stoker-bench.XXXXXX")
bench_dirs=$tmp
