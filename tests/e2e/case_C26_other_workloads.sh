# Folders that all hosts must share are told from local ones by content, by
# every workload and when data are made: mlcommons/storage#619, #566, #772.
. "$TESTS/e2e/lib"
hosts_apart
job() { # CODE OPTION...
	local code=$1
	shift
	expect "$code" mpirun --allow-run-as-root --oversubscribe -n 2 ./rank "$@" \
		--quiet --json
}
mkdir other results elsewhere c t v k
# where data are made: half a set on each host would be none
BIND=other:t job 3 training datagen --data-dir t $tiny
said "is not the same folder on every host: 1 of 2 hosts miss what rank 0 wrote there: $(hostname) (rank 1)"
[ -z "$(find t other -name '*.npz' -o -name '.stoker-*')" ] || fail "data: $(find t other)"
mkdir -p v/vectordb
BIND=other:v/vectordb job 3 vectordb datagen --data-dir v --num-vectors 2000 \
	--dimension 64 --segments 2 -n 2
said "v/vectordb is not the same folder on every host"
[ -z "$(find other v -name '*.index' -o -name '.stoker-*')" ] || fail "index"
# where they are read and written
rm -r v && mkdir v
BIND='' job 0 vectordb datagen --data-dir v --num-vectors 2000 --dimension 64 \
	--segments 2 -n 2
cp -a v/vectordb/. other/
BIND=other:v/vectordb job 3 vectordb run --data-dir v --queries 20 -n 2 \
	--results-dir results
said "v/vectordb is not the same folder on every host"
rm -r other && mkdir other
ckpt="checkpointing run --checkpoint-folder c --scale 1/20000 --gap 0s
	--num-checkpoints-write 1 --num-checkpoints-read 0
	--results-dir results"
mkdir -p c/llama3-8b
# shellcheck disable=SC2086
BIND=other:c/llama3-8b job 3 $ckpt
said "c/llama3-8b is not the same folder on every host"
[ -z "$(find c other -name '*.pt')" ] || fail "checkpoints were written"
# shellcheck disable=SC2086
BIND='' job 0 $ckpt
# caches are each host's own; other results are said, as rank 0 writes them
BIND=elsewhere:results job 0 kvcache run --cache-dir k --option 1 \
	--duration 200ms --num-users 2 --delay 0s --inter-option-delay 0s \
	--trials 1 --results-dir results
holds '[.notes[] | select(.id == "results-dir") | .text] | length == 1 and
	(.[0] | contains("(rank 1): another folder"))'
BIND=other:k job 0 kvcache run --cache-dir k --option 1 --duration 200ms \
	--num-users 2 --delay 0s --inter-option-delay 0s --trials 1
[ -z "$(find results elsewhere c k v t -name '.stoker-*')" ] || fail "tokens left"
