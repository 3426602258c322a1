# A build that is interrupted leaves whole segments only, a run on it says so,
# and the same command goes on behind them, to what an uninterrupted one gives.
# One that does not fit into memory says so before it begins.
. "$TESTS/e2e/lib"
set -- --level built --num-vectors 9000 --dimension 96 --max-degree 48 \
	--segments 3 --num-query-vectors 20 --truth-k 10
"$STOKER" vectordb datagen --data-dir d "$@" >first.out 2>first.err &
pid=$!
one_file() { [ -e d/vectordb/segment_0000_disk.index ]; }
wait_for 60 one_file
kill -INT $pid
wait $pid
code=$?
[ $code = 130 ] || fail "exit code $code after SIGINT: $(cat first.err)"
grep -q "[12] of 3 segments are whole and stay" first.err ||
	fail "not told: $(cat first.err)"
no_leftovers
[ -z "$(find d -name '*.part' -o -name '*tmp*')" ] || fail "left: $(find d)"
kept=$(ls d/vectordb/*_disk.index | wc -l)
[ "$kept" -lt 3 ] || fail "it was too fast to interrupt"
stat -c '%n %Y %s %i' d/vectordb/*_disk.index >before
expect 2 stoker vectordb run --data-dir d --queries 20
said "is not complete"
expect 2 stoker vectordb datagen --data-dir d "$@" --seed 7
said "holds another index (seed 42, not 7)"
expect 0 stoker vectordb datagen --quiet --json --data-dir d "$@"
holds '.segments == 3 and .written_bytes > 0'
stat -c '%n %Y %s %i' d/vectordb/*_disk.index >after
! grep -vxFf after before || fail "a whole segment was written again"
expect 0 stoker vectordb datagen --quiet --data-dir e "$@" -n 2
for f in d/vectordb/segment_* d/vectordb/ground_truth.bin; do
	cmp "$f" "e/${f#d/}" || fail "$f: differs from that of one go"
done
expect 3 stoker vectordb datagen --quiet --data-dir g --level built \
	--num-vectors 1000000000 --segments 1 --metric cosine
said "building a segment of"
said "is available"
[ ! -e g ] || fail "it began: $(find g)"
