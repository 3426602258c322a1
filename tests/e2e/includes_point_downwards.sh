# tools/check-includes.sh finds what it is there for.
. "$TESTS/e2e/lib"
check=$TESTS/../tools/check-includes.sh
mkdir -p tree/core tree/storage tree/cli tree/results
cp "$TESTS"/../core/err.[ch] tree/core/
cp "$TESTS"/../storage/engine_uring.c "$TESTS"/../storage/engine.h tree/storage/
cp "$TESTS"/../cli/cli.[ch] tree/cli/
expect 0 "$check" tree
expect 0 "$check" "$TESTS/.."
wrong() { # FILE LINE TEXT
	cp "tree/$1" kept
	echo "$2" >>"tree/$1"
	expect 1 "$check" tree
	said "$3"
	cp kept "tree/$1"
}
wrong core/err.c '#include "storage/engine.h"' "err.c: includes storage/, which core may not"
wrong storage/engine.h '#include "cli/cli.h"' "which storage may not"
echo '#include "plan/campaign.h"' >tree/results/text.c
expect 1 "$check" tree
said "which results may not"
rm tree/results/text.c
wrong cli/cli.c '#include <liburing.h>' "<liburing.h> belongs to storage/engine_uring.c"
wrong cli/cli.h '#include <mpi.h>' "<mpi.h> belongs to accel_sim/group_mpi.c"
