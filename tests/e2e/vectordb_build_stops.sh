# A build that is interrupted leaves whole segments only, a run on it says so,
# and the same command goes on behind them, to what an uninterrupted one gives.
# One that does not fit into memory says so before it begins.
. "$TESTS/e2e/lib"
set -- --level built --num-vectors 9000 --dimension 96 --max-degree 48 \
	--segments 3 --num-query-vectors 20 --truth-k 10
one_file() {
	[ -e d/vectordb/segment_0000_disk.index ] &&
		[ ! -e d/vectordb/segment_0002_disk.index ]
}
interrupted() { # OPTION...: when the first segment is there
	local pid code
	"$STOKER" vectordb datagen --data-dir d "$@" >first.out 2>first.err &
	pid=$!
	wait_for 60 one_file
	kill -INT $pid
	wait $pid
	code=$?
	[ $code = 130 ] || fail "exit code $code after SIGINT: $(cat first.err)"
}
interrupted "$@"
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
# an index over this one, interrupted: not one segment of the old stays
interrupted "$@" --overwrite --seed 7
grep -q "stay, the same command without --overwrite continues" first.err ||
	fail "not told: $(cat first.err)"
expect 0 stoker vectordb datagen --quiet --data-dir d "$@" --seed 7
said "the rest, in"
expect 0 stoker vectordb datagen --quiet --data-dir f "$@" --seed 7 -n 2
expect 0 diff -r d f
# complete, says the manifest
rm d/vectordb/segment_0001_disk.index
expect 0 stoker vectordb datagen --quiet --json --data-dir d "$@" --seed 7
holds '.was_complete == false and .written_bytes > 0'
rm d/vectordb/ground_truth.bin
expect 0 stoker vectordb datagen --quiet --data-dir d "$@" --seed 7
said "all segments were there already"
expect 0 diff -r d f
# refused before anything is touched
expect 2 stoker vectordb datagen --quiet --data-dir d "$@" --overwrite \
	--pq-chunks 97
said "96 dimensions in 97 chunks"
expect 4 stoker vectordb datagen --quiet --data-dir d --overwrite \
	--num-vectors 100000000000 --segments 100
said "no room for the index"
said "in files that would go"
expect 0 diff -r d f
expect 4 stoker vectordb datagen --quiet --data-dir g \
	--num-vectors 100000000000 --segments 100
said "nothing was written"
echo >file
expect 2 stoker vectordb datagen --quiet --data-dir file "$@"
said "--data-dir file: it, or what it is in, is a file, not a folder"
expect 2 stoker vectordb run --data-dir file
said "is a file, not a folder"
expect 2 stoker vectordb run --data-dir none
said 'write one with `stoker vectordb datagen --data-dir none`'
expect 3 stoker vectordb datagen --quiet --data-dir g --level built \
	--num-vectors 1000000000 --segments 1 --metric cosine
said "building a segment of 1000000000 vectors takes"
unsaid "processes"
said "is available"
[ ! -e g ] || fail "it began: $(find g)"
