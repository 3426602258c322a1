#!/bin/sh
# make coverage: which lines of the rooms that compute and read the unit and
# e2e tests reach, a file a line, by gcc and gcov alone.
#   FLOOR=85      per cent in all; below it the exit code is 1
#   TESTS=--unit  what to run, as arguments of run_tests [all]
#   LIST=1        show the lines that were not reached, too
set -eu
B=${B:-build/coverage}
floor=${FLOOR:-85}
rooms="core accel_sim datagen workloads"
${MAKE:-make} --no-print-directory -j2 B="$B" CC=gcc OPT='-O0 -g' \
	SAN=--coverage tests
find "$B" -name '*.gcda' -delete
B=$(cd "$B" && pwd)
# what a slow build does to tests of speed is not asked here
# shellcheck disable=SC2086
STOKER=$B/stoker TOOLS=$B/tools "$B/run_tests" ${TESTS:-} >"$B/tests.log" 2>&1 ||
	echo "some tests failed, see $B/tests.log" >&2
grep -A4 '^Run Summary' "$B/tests.log" || :
for room in $rooms; do
	for file in "$room"/*.c; do
		# "Lines executed:97.50% of 120" behind "File 'core/err.c'"
		gcov -n -o "$B/$room" "$file" 2>/dev/null |
			awk -v file="$file" '
			$0 == "File \047" file "\047" { found = 1; next }
			found && /^Lines executed/ {
				sub(/.*:/, ""); sub(/% of/, "")
				print file, $1, $2
				done = 1
				exit
			}
			END { if (!done) print file, 0, 0 }'
		[ -z "${LIST:-}" ] || gcov -t -o "$B/$room" "$file" \
			2>/dev/null | sed -n "/Source:${room}.${file##*/}/,\
/Source:[^-]*\.h\$/s/^ *#####:/  not reached:/p"
	done
done | awk -v floor="$floor" '
	/not reached/ { print; next }
	{
		n = $2 * $3 / 100
		printf "%-28s %6.1f %%  %5d of %5d lines\n", $1, $2, n + .5, $3
		room = $1
		sub(/\/.*/, "", room)
		if (!(room in all))
			rooms[++k] = room
		hit[room] += n; all[room] += $3; sum += n; total += $3
	}
	END {
		for (i = 1; i <= k; i++)
			printf "%-28s %6.1f %%\n", rooms[i] "/", \
				100 * hit[rooms[i]] / all[rooms[i]]
		share = 100 * sum / total
		printf "%-28s %6.1f %%  %5d of %5d lines (floor %d %%)\n",
			"total", share, sum + .5, total, floor
		exit share < floor
	}'
