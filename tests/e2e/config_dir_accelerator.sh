# A new accelerator is ten lines of JSON.
. "$TESTS/e2e/lib"
mkdir -p my/accelerators
cat >my/accelerators/z900.json <<'END'
{
    "name": "z900",
    "memory_gb": 500,
    "workloads": {
        "unet3d": {
            "batch_size": 4,
            "computation_time": 0.05
        }
    }
}
END
expect 0 stoker training profiles --config-dir my
grep -q "^unet3d *z900 *4 *50" last.out || fail "not listed"
grep -q "^unet3d *b200 " last.out || fail "the built-in ones are gone"
expect 0 stoker training profiles --config-dir my --json
holds 'map(select(.accelerator == "z900")) | length == 1
	and .[0].computation_time_ns == 50000000'
expect 0 stoker training datasize --config-dir my --accelerator-type z900 \
	--client-host-memory-in-gb 1
said "2000 files"
run 0 --config-dir my --accelerator-type z900 --drive null \
	-p dataset.num_files_train=400
holds '.config.batch_size == 4 and .config.computation_ns == 50000000
	and .runs[0].metrics.au_mean_pct > 99'
expect 2 stoker training profiles --config-dir nowhere
said "nowhere"
# a mistake in the file is named with its place
sed -i s/batch_size/batch_sise/ my/accelerators/z900.json
expect 2 stoker training profiles --config-dir my
said "batch_sise"
