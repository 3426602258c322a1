# What a division does not admit is said at once, of every workload:
# mlcommons/storage#692, the kind of it.
. "$TESTS/e2e/lib"
# checkpoints: accelerators of Rules 4.3.4, table 3
h100="H100 is not admitted to CLOSED in v3.0 (admitted: b200, mi355); continuing as what-if"
expect 0 stoker checkpointing run --drive constant:90GB/s --quiet --json \
	--division closed --accelerator-type h100 --results-dir r --systemname s
holds '[.notes[].text] | index("not CLOSED: EDN-02 comparabilityClass: " + $t)' \
	--arg t "$h100"
[ -d r/whatif/local/results/s/checkpointing ] || fail "not what-if: $(find r)"
[ ! -e r/closed ] || fail "closed in spite of it"
expect 0 stoker checkpointing run --drive constant:90GB/s --dry-run \
	--division open --accelerator-type a100
said "A100 is not admitted to OPEN in v3.0 (admitted: b200, mi355)"
for a in b200 mi355; do
	expect 0 stoker checkpointing run --drive constant:90GB/s --dry-run \
		--division closed --accelerator-type $a
	unsaid "EDN-02"
done
# a model that is none of the benchmark's
mkdir models
jq '.name = "mine" | del(.closed_ranks)' \
	"$TESTS/../configs/models/llama3-8b.json" >models/mine.json
expect 2 stoker checkpointing run --drive constant:90GB/s --config-dir . -n 8 \
	--model mine --division closed --accelerator-type b200
said '4.3.3 checkpointModelConfigurationReq: model "mine"'
# KV cache: models of the options; vectors: database, before anything is read
expect 2 stoker kvcache run --drive d7-ps1010 --division closed --trials 3 \
	--model mistral-7b
said "6.3.1.1 kvcacheFixedWorkloadPerOption: option 1: model mistral-7b, not llama3.1-8b"
expect 2 stoker vectordb run --drive d7-ps1010 --division closed
said '5.6.2 vdbClosedDatabaseBackend: database "emulated"'
# and all of it runs as what-if, with the same words
expect 0 stoker kvcache run --drive d7-ps1010 --model mistral-7b --dry-run
said "not CLOSED: 6.3.1.1 kvcacheFixedWorkloadPerOption"
