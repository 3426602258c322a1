#ifndef TESTS_UNIT_UT_BUNDLE_H
#define TESTS_UNIT_UT_BUNDLE_H
/*
 * A submission's tree that breaks no rule: one organization, one system, all
 * four families. Every figure is typed here from the rules: 14000 files of
 * 146600628 bytes for 4 accelerators with batches of 7 are 500 steps; 31.3 GiB
 * are within 10 % of 32; and so on.
 */
#include "tests/unit/ut_files.h"

#define UB_ORG "closed/EmuOrg/"
#define UB_SYS UB_ORG "results/emu-1/"
#define UB_TRAINING UB_SYS "training/unet3d/"
#define UB_SIZE UB_TRAINING "datasize/20261101_100000/"
#define UB_GEN UB_TRAINING "datagen/20261101_100500/"
/* six runs of 1700 s with 60 s between them */
#define UB_RUN0 UB_TRAINING "run/20261101_101000/"
#define UB_RUN1 UB_TRAINING "run/20261101_103920/"
#define UB_RUN2 UB_TRAINING "run/20261101_110840/"
#define UB_RUN3 UB_TRAINING "run/20261101_113800/"
#define UB_RUN4 UB_TRAINING "run/20261101_120720/"
#define UB_RUN5 UB_TRAINING "run/20261101_123640/"
#define UB_CKPT UB_SYS "checkpointing/llama3-8b/"
#define UB_SAVE UB_CKPT "20261101_130600/" /* 400 s */
#define UB_LOAD UB_CKPT "20261101_131250/" /* 10 s later, 260 s */
#define UB_VDB UB_SYS "vector_database/milvus/DISKANN/"
#define UB_VGEN UB_VDB "datagen/20261101_132210/"
#define UB_VRUN UB_VDB "run/20261101_132910/" /* the first of five */
#define UB_KV UB_SYS "kv_cache/llama3.1-8b/run/20261101_140410/"
#define UB_YAML UB_ORG "systems/emu-1.yaml"
#define UB_MANIFEST UB_ORG "submission.yaml"
#define UB_IMAGE "code-images/code-fa5c916a/"
#define UB_HASH "fa5c916a04979e25586c74ca5ef5625d"

void ub_write(const char *dir, const char *name, const char *text);
/* Below dir, replacing what is there. */
void ub_make(const char *dir);

/*
 * One change: "rm NAME", "put NAME TEXT", "sub NAME FROM TO" (the first FROM,
 * which must be there), "mv NAME NAME", "mkdir NAME", "link NAME TARGET".
 */
struct ub_edit {
	const char *what, *name, *from, *to;
};
void ub_apply(const char *dir, const struct ub_edit *edit);

#endif
