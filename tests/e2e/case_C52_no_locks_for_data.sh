# HDF5 on a file system without locks (NFS, Lustre): h5py/h5py#1101, #1082.
. "$TESTS/e2e/lib"
"$TOOLS/deny" locks true || skip "no seccomp filters here"
small="--param dataset.num_files_train=8 --param reader.batch_size=2
	--param dataset.record_length_bytes=40000 --param dataset.format=hdf5
	--param dataset.record_length_bytes_stdev=0
	--param train.epochs=1 --computation-time 1ms"
# writing needs none
expect 0 "$TOOLS/deny" locks "$STOKER" training datagen --quiet --data-dir d $small
expect 3 "$TOOLS/deny" locks "$STOKER" training run --quiet --json --data-dir d $small
holds '.status == "failed" and .exit_code == 3'
said "d/unet3d/train/img_0_of_8.hdf5: the file system does not support locks; set HDF5_USE_FILE_LOCKING=FALSE"
expect [01] env HDF5_USE_FILE_LOCKING=FALSE \
	"$TOOLS/deny" locks "$STOKER" training run --quiet --data-dir d $small
