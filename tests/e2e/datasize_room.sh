. "$TESTS/e2e/lib"
expect 0 stoker training datasize --data-dir . --scale 1/1000000 \
	--client-host-memory-in-gb 1
said "room: . has"
said "free, enough"
said "not CLOSED: --scale 1/1000000"
expect 0 stoker training datasize --data-dir not/yet/there --model unet3d \
	--client-host-memory-in-gb 1000000
said "NOT ENOUGH"
said "next: stoker training datagen"
# more than 10,000 files: folders are advised, never a power of ten
said "dataset.num_subfolders_train="
[ ! -e not ] || fail "datasize made a folder"
expect 0 stoker training datasize --json --data-dir . --edition v3.0
holds '.free_bytes > 0 and .scaled == false and .bound_by and .crossover_gib'
expect 0 stoker training datasize --json
holds 'has("free_bytes") | not'
