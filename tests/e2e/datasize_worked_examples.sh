. "$TESTS/e2e/lib"
# model accelerator N GiB: files by memory, by steps, required, steps an epoch
while read -r model accelerator n gib by_bytes by_steps required steps; do
	expect 0 stoker training datasize --json --model "$model" \
		--accelerator-type "$accelerator" --max-accelerators "$n" \
		--client-host-memory-in-gb "$gib"
	holds ".files_by_memory == $by_bytes and .files_by_steps == $by_steps
		and .num_files_train == $required
		and .steps_per_epoch == $steps
		and .total_disk_bytes == $required * .file_bytes"
done <<END
unet3d b200 1 32 1172 3500 3500 500
unet3d b200 1 377 13807 3500 13807 1972
unet3d b200 2 32 1172 7000 7000 500
unet3d b200 2 377 13807 7000 13807 986
unet3d h100 1 32 1172 3500 3500 500
unet3d h100 1 377 13807 3500 13807 1972
unet3d a100 4 377 13807 14000 14000 500
unet3d b200 8 377 13807 28000 28000 500
retinanet b200 1 32 531956 12000 531956 22164
retinanet b200 1 377 6267099 12000 6267099 261129
END
