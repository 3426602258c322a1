# One rule engine: a good bundle has no finding in either severity nor with
# --strict, and each defect yields exactly its own: mlcommons/storage#752, #771.
# All rules one by one: tests/unit/test_bundle.c, test_rules.c.
. "$TESTS/e2e/lib"
name="2x d7-ps1010"
memory="--client-host-memory-in-gb 32"
names="--results-dir results --orgname me --systemname here"
stoker_on() { # COMMAND...
	# shellcheck disable=SC2086
	expect 0 stoker "$@" $names --drive "$name"
}
# shellcheck disable=SC2086
{
	stoker_on training datasize --num-accelerators 4 $memory
	stoker_on training datagen -p dataset.num_files_train=14000 --quiet
	stoker_on training run -p dataset.num_files_train=14000 -n 4 $memory \
		--warmup 1 --runs 5 --quiet
	stoker_on checkpointing run --accelerator-type b200 $memory --quiet
	stoker_on kvcache run --trials 3 --quiet
}
sed -n "/^cat >system.yaml/,/^Y$/p" "$TESTS/e2e/modelled_bundle.sh" |
	sed '1d;$d' >system.yaml
expect 0 stoker bundle create --results-dir results --org acme \
	--systemname box --system-file system.yaml good
for o in "--severity v30" "--severity head" --strict; do
	# shellcheck disable=SC2086
	expect 0 stoker bundle check good $o --json
	holds '.errors == 0 and .warnings == 0 and
		([.findings[] | select(.outcome == "FAIL")] == [])'
done
sys=closed/emulated-acme/results/emulated-box
last() { # the last leaf of a phase
	find "good/$sys/$1" -maxdepth 1 -name '2*' | sort | tail -n 1
}
edit() { # FILTER FILE
	jq "$1" "$2" >edited && mv edited "$2"
}
defect() { # ID COMMAND...: in a copy
	local id=$1
	shift
	rm -rf bad
	cp -al good bad # what is edited is replaced
	"$@"
	expect "[01]" stoker bundle check bad --strict --json
	holds '[.findings[] | select(.outcome == "FAIL") | .id] == [$id]' \
		--arg id "$id"
}
training=$(last training/unet3d/run)
ckpt=$(last checkpointing/llama3-8b)
kv=$(last kv_cache/llama3.1-8b/run)
training=bad/${training#good/} ckpt=bad/${ckpt#good/} kv=bad/${kv#good/}
meta() { # FAMILY LEAF
	echo "$2/$1_${2##*/}_metadata.json"
}
defect 2.1.19 rm "$training/dlio.log"
defect 2.1.20 rm "$training/dlio_config/hydra.yaml"
defect 3.3.1 edit 'del(.num_files_eval)' "$training/summary.json"
defect 3.3.2 edit '.metric.train_au_meet_expectation = "fail"' \
	"$training/summary.json"
defect 3.3.4 edit '.args.hosts = ["a", "b"]' "$(meta training "$training")"
defect 3.4.2 edit '.same_filesystem = true' "$training/fs_separation.json"
defect R-10 edit '.override_parameters["train.epochs"] = "1"' \
	"$(meta training "$training")"
defect 2.1.25 rm "$ckpt/checkpointing_run.stderr.log"
defect 4.3.4 edit '.accelerator = null' "$(meta checkpointing "$ckpt")"
defect 4.4.1 edit '.args.results_dir = .args.checkpoint_folder' \
	"$(meta checkpointing "$ckpt")"
defect R-10 edit '.parameters.model.num_layers = 31' \
	"$(meta checkpointing "$ckpt")"
defect 6.3.1.1 edit '.options["3"].configuration.num_users = 71' \
	"$kv/summary.json"
defect 6.3.2.1 edit '.args.inter_option_delay = 20' "$(meta kv_cache "$kv")"
defect 6.3.3.3 find "$kv/option_3/trial_2/rank_0" -type f -delete
defect 6.4.1 rm "$kv/fs_separation.json"
defect 6.6.1 edit '.args.enable_rag = true' "$(meta kv_cache "$kv")"
defect CHECK-01 rm "$kv/.mlps-code-image"
# the folder that one checker demanded and another counted as a seventh run
defect 2.1.12 mkdir "bad/$sys/training/unet3d/sizes"
