# What v3.0 does not admit is said at once: mlcommons/storage#692.
. "$TESTS/e2e/lib"
text="H100 is not admitted to CLOSED in v3.0 (admitted: b200, mi355); continuing as what-if"
expect [01] stoker training run --division closed --accelerator h100 --quiet \
	--drive constant:14GB/s -p dataset.num_files_train=700
said "not CLOSED: $text"
run [01] --division closed --accelerator-type h100 --drive constant:14GB/s \
	-p dataset.num_files_train=700
holds '.config.division == "whatif" and ([.notes[].text] | index($t))' \
	--arg t "$text"
expect 0 stoker training run --division closed --accelerator h100 --dry-run \
	--drive null -p dataset.num_files_train=700
said "not CLOSED: $text"
# what cannot be emulated yet says so
expect 2 stoker training run --drive null --model dlrm
said "dlrm/b200"
