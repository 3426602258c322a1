# io_uring refused, as in containers: said why, and the pool of threads does
# the work: axboe/liburing#1078.
. "$TESTS/e2e/lib"
"$TOOLS/deny" uring true || skip "no seccomp filters here"
expect 0 "$TOOLS/deny" uring "$STOKER" training datagen --data-dir d $scaled
said "io_uring not permitted (EPERM: container seccomp or kernel.io_uring_disabled)"
small="--data-dir d --scale 1/64 --quiet --param train.epochs=2"
text="io_uring not permitted (EPERM: container seccomp or kernel.io_uring_disabled); fell back to"
for ranks in 1 3; do
	expect [01] "$TOOLS/deny" uring "$STOKER" training run $small --odirect \
		--json -n $ranks
	holds '.config.engine == "pread" and ([.notes[] | select(.id == "engine")
		| .text] | length == 1 and (.[0] | startswith($t)))' --arg t "$text"
	holds '[.runs[0].ranks[].epochs[].samples_read] | add == 2 * (56 - 56 % (7 * $n))' \
		--argjson n $ranks
done
expect [01] "$TOOLS/deny" uring "$STOKER" training run $small --buffered
said "note: $text"
# asked for by name it is an error
expect 3 "$TOOLS/deny" uring "$STOKER" training run $small --engine uring
said "io_uring not permitted (EPERM"
