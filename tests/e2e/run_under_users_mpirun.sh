# stoker also works under the user's own mpirun, without starting another.
. "$TESTS/e2e/lib"
datagen d $scaled
datagen t $tiny
expect [01] mpi -n 2 "$STOKER" training run --quiet --json --data-dir t \
	$tiny -p train.computation_time=60ms
unsaid "stoker: running mpirun"
holds '.config.accelerators == 2 and (.runs[0].ranks | length) == 2'
expect 1 mpi -n 2 "$STOKER" training run --quiet --data-dir d --scale 1/64 \
	--limit-read 100MB/s -p train.epochs=1
said "2 x b200 on unet3d"
# a plan is shown, once, and nothing is run
expect 0 mpi -n 2 "$STOKER" training run --data-dir d --scale 1/64 --dry-run
[ "$(grep -c "dry run: nothing is read or written" last.out)" = 1 ] ||
	fail "the plan is not shown once"
unsaid "AU %"
expect 0 mpi -n 2 "$STOKER" training datagen --data-dir new --scale 1/64 --dry-run
said "would write 7200 files"
[ ! -e new ] || fail "a dry run wrote"
# virtual time needs one process
expect 2 mpi -n 2 "$STOKER" training run --drive null
said "virtual time runs in one process"
# our own way says what it runs, so that it can be run by hand
expect [01] stoker training run --data-dir d --scale 1/64 -n 2 -p train.epochs=1
said "stoker: running mpirun -n 2"
said "run 1/1 epoch 1/1"
# no mpirun at all
expect 3 env PATH=/nowhere "$STOKER" training run --data-dir d --scale 1/64 -n 2
said "cannot run mpirun"
said "--in-process"
