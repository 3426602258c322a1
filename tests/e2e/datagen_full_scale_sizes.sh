# The sizes that the reference's generator gives with 1 and 2 processes.
. "$TESTS/e2e/lib"
payload() { # FILE: bytes of the array, from its own npy header
	$python -c "import numpy, sys
x = numpy.load(sys.argv[1], mmap_mode='r')['x']
print(x.nbytes, x.shape[2], x.dtype)" "$1"
}
files=--param=dataset.num_files_train=2
datagen one $files
[ "$(payload one/unet3d/train/img_0_of_2.npz)" = "224093125 1 uint8" ] ||
	fail "file 0 of 1 process"
[ "$(payload one/unet3d/train/img_1_of_2.npz)" = "93582835 1 uint8" ] ||
	fail "file 1 of 1 process"
rm -r one
datagen two $files --num-processes 2
[ "$(payload two/unet3d/train/img_0_of_2.npz)" = "224093125 1 uint8" ] ||
	fail "file 0 of 2 processes"
[ "$(payload two/unet3d/train/img_1_of_2.npz)" = "49592702 1 uint8" ] ||
	fail "file 1 of 2 processes"
# 458 bytes of frame around each array
[ "$(du -bc two/unet3d/train/*.npz | tail -n 1 | cut -f 1)" = \
	$((224093125 + 49592702 + 2 * 458)) ] || fail "bytes in all"
