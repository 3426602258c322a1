#!/bin/sh
# Includes point downwards only:
#   cli -> plan -> workloads -> {accel_sim, datagen} -> storage -> core
#   cli -> results -> core
# and library headers stay in the files that own them.
set -eu
bad=0
allowed() { # room -> rooms it may include
	case $1 in
	core) echo core ;;
	storage) echo core storage ;;
	accel_sim) echo core storage accel_sim ;;
	datagen) echo core storage datagen ;;
	workloads) echo core storage accel_sim datagen workloads ;;
	plan) echo core storage accel_sim datagen workloads plan ;;
	results) echo core results ;;
	cli) echo core storage accel_sim datagen workloads plan results cli ;;
	esac
}
rooms="core storage accel_sim datagen workloads plan results cli"
root=${1:-.}
for room in $rooms; do
	ok=" $(allowed "$room") "
	for f in "$root/$room"/*.[ch]; do
		[ -e "$f" ] || continue
		for inc in $(sed -n 's/^# *include *"\([a-z_]*\)\/.*/\1/p' "$f" | sort -u); do
			case $ok in
			*" $inc "*) ;;
			*)
				echo "$f: includes $inc/, which $room may not" >&2
				bad=1
				;;
			esac
		done
	done
done
only() { # header, files that may include it
	for f in $(grep -l "include *<$1>" "$root"/*/*.[ch] 2>/dev/null || :); do
		case " $2 " in
		*" ${f#"$root"/} "*) ;;
		*)
			echo "$f: <$1> belongs to $2" >&2
			bad=1
			;;
		esac
	done
}
only liburing.h "storage/engine_uring.c"
only mpi.h "accel_sim/group_mpi.c accel_sim/group_mpi_meet.c accel_sim/group_mpi.h"
only hdf5.h "datagen/format_hdf5.c results/trace_hdf5.c"
only yaml.h "results/yaml.c results/yaml_read.c"
only hpdf.h "results/bundle_pdf.c"
only cblas.h "datagen/vdb_truth.c"
exit $bad
