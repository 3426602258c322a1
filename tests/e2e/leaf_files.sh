# What a leaf of each command holds: every file by name, order and type.
. "$TESTS/e2e/lib"
$python -c 'import yaml, h5py' 2>/dev/null ||
	skip "python3-yaml or python3-h5py is missing"
names="--results-dir results --systemname sys1 --orgname acme --scale 1/64"
expect 0 stoker training datasize $names
expect 0 stoker training datagen $names --data-dir d --num-processes 2 \
	--param dataset.num_files_train=56
run [01] $names --data-dir d --num-accelerators 2 --odirect --runs 2 \
	--param train.epochs=3 --param reader.read_threads=2
base=results/whatif/acme/results/sys1/training/unet3d
[ "$(ls -d $base/*/2* | wc -l)" = 4 ] || fail "leaves: $(ls -d $base/*/2*)"
for leaf in $base/run/*; do
	$python "$TESTS/fixtures/check_leaf.py" "$leaf" run || fail "run leaf"
done
$python "$TESTS/fixtures/check_leaf.py" $base/datagen/* datagen ||
	fail "datagen leaf"
$python "$TESTS/fixtures/check_leaf.py" $base/datasize/* datasize ||
	fail "datasize leaf"
[ -z "$(find results d -name '*.partial' -o -name '*.tmp' -o -name '.stoker*')" ] ||
	fail "left-overs"
# a modelled drive has no file system to share, and a name instead of a folder
run 0 --drive constant:14.5GB/s,80us --results-dir v --odirect \
	-p dataset.num_files_train=700 --orgname acme --systemname sys1
leaf=$(echo v/whatif/acme/results/sys1/training/unet3d/run/2*)
jq -e '.method == "modelled" and .same_filesystem == false and
	.data_or_chkpt_path == "model:constant:14.5GB/s,80us"' \
	"$leaf/fs_separation.json" >/dev/null || fail "separation of a model"
jq -e '.args.data_dir == "model:constant:14.5GB/s,80us" and .emulated' \
	"$leaf"/*_metadata.json >/dev/null || fail "data_dir of a model"
$python "$TESTS/fixtures/check_leaf.py" "$leaf" run virtual || fail "virtual"
