# mpirun that does not start what was asked for: the remedy is printed, and
# with --json there is a document: mlcommons/storage#369.
. "$TESTS/e2e/lib"
datagen d $tiny
small="--data-dir d $tiny -p train.epochs=1 -p train.computation_time=5ms"
run 3 $small -n 2 --hosts no-such-host.invalid
said "mpirun ended with exit code"
said "check --hosts and --npernode"
holds '.status == "failed" and .exit_code == 3 and (.error | contains("--in-process"))'
run 2 $small -n 4 --npernode 2
said "--npernode 2 on 1 host(s) makes 2 ranks, 4 are asked for"
holds '.status == "failed" and .exit_code == 2'
expect 3 env PATH=/nowhere "$STOKER" training run $small -n 2 --json
said "cannot run mpirun: No such file or directory; install it (Debian: apt-get install openmpi-bin), or use --in-process"
holds '.status == "failed" and .exit_code == 3'
# root, more ranks than cores, no copying between processes: no obstacle
run [01] $small -n $(($(nproc) * 4)) -p reader.batch_size=1
unsaid "not enough slots"
unsaid "Read -1, expected"
no_leftovers
