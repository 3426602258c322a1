# Real files under real mpirun: every rank reads all of its files, whatever
# the engine, the mode and the way ranks wake each other.
. "$TESTS/e2e/lib"
datagen d $scaled
check() { # RANKS ENGINE ODIRECT OPTION...
	local n=$1 engine=$2 odirect=$3
	shift 3
	run [01] --data-dir d --scale 1/64 --param train.epochs=2 \
		--num-accelerators "$n" --engine "$engine" \
		--param reader.odirect="$odirect" "$@"
	holds '.config.engine == $e and .config.odirect == $o and .status == "finished"
		and (.runs[0].ranks | length) == $n
		and ([.runs[0].ranks[].epochs[].samples_read] | all(. == 56 / $n))
		and ([.runs[0].ranks[].epochs[].steps] | all(. == 8 / $n))
		and .runs[0].metrics.unused_samples == 0' \
		--arg e "$engine" --argjson o "$odirect" --argjson n "$n"
}
for n in 1 2 4; do
	for engine in uring pread; do
		check $n $engine true
		check $n $engine false
	done
done
check 2 uring true --no-futex --queue-depth 2 --param reader.read_threads=2
check 4 pread false --no-futex --param reader.prefetch_size=0
check 2 uring false --param reader.transfer_size=256KiB --npernode 2 --hosts \
	localhost:2
holds '.config.transfer_bytes == 262144 and .config.group == "mpi"'
check 4 uring true --in-process
holds '.config.group == "local"'
no_leftovers
