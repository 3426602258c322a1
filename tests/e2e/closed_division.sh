# CLOSED refuses what the rules refuse; what-if lists it.
. "$TESTS/e2e/lib"
small="-p dataset.num_files_train=700"
closed() { # TEXT OPTION...
	local text=$1
	shift
	expect 2 stoker training run --drive null --division closed "$@"
	said "$text"
}
closed "3.1.2 trainingRecalculateDatasetSize: 700 files are fewer than the" $small
closed "required (bound by 500 steps" $small --client-host-memory-in-gb 1 -n 16
closed "bound by 5 x host memory" -p dataset.num_files_train=7000 \
	--client-host-memory-in-gb 1000
closed "S-01 fullSize: --scale 1/2" --scale 1/2
closed "S-02 profileCompute: --computation-time" --computation-time 0.1
closed "3.6.2 trainingClosedSubmissionParameters: --param train.epochs" \
	-p train.epochs=3
expect 2 stoker training run --drive null --division open -p reader.batch_size=9
said "3.6.3 trainingOpenSubmissionParameters: --param reader.batch_size"
expect 2 stoker training run --drive null --division clsoed
# what CLOSED admits runs, when the set is large enough
run 0 --drive null --division closed -p dataset.num_files_train=28000 \
	--client-host-memory-in-gb 100 -p reader.read_threads=8 -n 8
holds '.config.division == "closed"'
# what-if does all of it and lists it
expect 0 stoker training run --drive null --quiet $small --scale 1/2 \
	--computation-time 0.1 -p train.epochs=3 -p reader.prefetch_size=4
said "not CLOSED: --scale 1/2: files and compute are not the benchmark's"
said "not CLOSED: --computation-time is not the profile's"
said "not CLOSED: --param train.epochs is not allowed in CLOSED"
said "not CLOSED: reader.prefetch_size=4 is not one of 0, 1, 2"
said "not CLOSED: the drive is modelled"
said "unverified, MLPerf-Storage-style; not an MLPerf result"
expect 0 stoker training run --drive null --quiet $small
said "not CLOSED: 700 files are fewer than the"
# mlcommons/storage#772: results on the file system of the data
datagen d $scaled
expect 0 stoker training run --data-dir d --scale 1/64 --results-dir . --dry-run
said "not CLOSED: data and results are on the same file system"
