. "$TESTS/e2e/lib"
datagen d $scaled
stat -c '%n %X %Y %Z' d d/unet3d d/unet3d/train d/unet3d/train/* >before
expect 0 stoker training run --data-dir d --scale 1/64 --num-accelerators 4 \
	--runs 5 --warmup 1 --results-dir r --dry-run
said "dry run: nothing is read or written"
said "data set  56 files, 126 MiB"
said "an epoch  2 steps x batch 7 x 4 accelerators"
said "campaign  1 warm-up + 5 counted runs"
said "reads     buffered, 4 readers x 1 requests of 1 MiB"
# 10 steps of 2.53 ms, and that at the floor
said "at least 25.3 ms at AU 100 %, 28.1 ms at the floor"
unsaid "running mpirun"
[ ! -e r ] || fail "results were written"
stat -c '%n %X %Y %Z' d d/unet3d d/unet3d/train d/unet3d/train/* | cmp - before ||
	fail "the data set was touched"
expect 0 stoker training run --drive constant:14GB/s --dry-run --num-accelerators 2
said "constant:14GB/s"
said "demand    12.669 GB/s at AU 100 %, 11.402 GB/s at the floor of 90 %"
