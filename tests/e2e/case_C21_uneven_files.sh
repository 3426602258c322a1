# Files that do not divide by ranks: nobody waits for ever, the rest is told:
# argonne-lcf/dlio_benchmark#198.
. "$TESTS/e2e/lib"
tiny="-p dataset.record_length_bytes=4096 -p dataset.record_length_bytes_stdev=0
	--computation-time 1ms"
steps() { # FILES RANKS BATCH CODE: run it
	rm -rf d
	datagen d $tiny -p dataset.num_files_train=$1
	expect "$4" mpi -n $2 "$STOKER" training run --quiet --data-dir d $tiny --json \
		--param reader.batch_size=$3
}
steps 101 8 7 0
holds '([.runs[0].ranks[].epochs[].steps] | length == 40 and all(. == 1))
	and ([.notes[].text] | any(contains("no steps left after excluding the first")))'
expect 0 timeout 60 "$STOKER" training run --quiet --data-dir d $tiny -n 8 \
	-p reader.batch_size=7
said "45 of 101 samples unused"
steps 13 4 1 [01]
holds '[.runs[0].ranks[].epochs[].steps] | all(. == 3)'
steps 55 8 7 2
said "needs >= 56"
