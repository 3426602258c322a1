# Recall and cost of real searches are those of DiskANN elsewhere: measured with
# one pass over the ids, R 64, L 100 to 200, beam 8, recall rises with L and a
# search expands L + 5 to L + 18 nodes.
. "$TESTS/e2e/lib"
gen() { # FOLDER OPTION...
	local to=$1
	shift
	expect 0 stoker vectordb datagen --quiet --data-dir "$to" --level built \
		--max-degree 64 --segments 1 --truth-k 10 "$@"
}
curve() { # FOLDER L,L... QUERIES
	expect 0 stoker vectordb run --quiet --json --data-dir "$1" \
		--sweep-search-ef "$2" --queries "$3" --beam-width 8
	holds '[.points[].recall] | . == sort'
	holds '[.points[] | select(.search_list >= 100) |
		.expansions_per_search >= 0.95 * (.search_list + 5) and
		.expansions_per_search <= 1.05 * (.search_list + 18)] | all'
}
gen u --num-vectors 8000 --dimension 128 --pq-chunks 32
curve u 25,50,100,200 200
holds '.points[3].recall >= 0.98 and .points[0].recall < 0.9'
# of all nodes only those that no path leads to are not found
curve u 8000 8
holds '.points[0].recall >= 0.98'
gen c --num-vectors 6000 --dimension 128 --pq-chunks 32 \
	--distribution clustered
curve c 20,100 200
holds '.points[1].recall >= 0.97'
gen w --num-vectors 1000 --dimension 1536 --num-query-vectors 100
curve w 50,100,200 100
holds '.points[2].recall >= 0.98'
# segments of five vectors have five neighbours to find, not ten
expect 0 stoker vectordb datagen --quiet --data-dir few --level built \
	--max-degree 8 --segments 4 --num-vectors 20 --dimension 8 \
	--pq-chunks 8 --truth-k 10 --num-query-vectors 10
expect 0 stoker vectordb run --quiet --json --data-dir few --queries 10 \
	--search-ef 20
holds '.points[0] | .recall == 1 and .segment_recall_min == 1 and
	.segment_recall_max == 1 and .recall_ok'
# shuffled ids are no answers, also where chance finds some
$python - c/vectordb/ground_truth.bin <<'END' || fail "shuffled"
import numpy, sys
words = numpy.fromfile(sys.argv[1], "<u4")
n = int(words[0]) * int(words[1])
words[2:2 + n] = numpy.random.default_rng(1).permutation(words[2:2 + n])
words.tofile(sys.argv[1])
END
expect 1 stoker vectordb run --quiet --data-dir c --queries 200 --search-ef 100
said "(FAIL) at "
no_leftovers
