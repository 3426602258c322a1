# Buffers that would not fit are refused with the sum that was made, over the
# ranks of this host: mlcommons/storage#741.
. "$TESTS/e2e/lib"
tiny="$tiny -p dataset.num_files_train=64"
datagen d $tiny
expect 3 stoker training run --data-dir d $tiny --in-process -n 64 \
	-p reader.batch_size=1 -p reader.read_threads=256 \
	-p reader.transfer_size=64MiB
said "I/O buffers would take 1 TiB on this host (64 ranks here x 256 buffers x 64 MiB)"
said "; lower --queue-depth, reader.read_threads"
