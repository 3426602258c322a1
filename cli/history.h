#ifndef CLI_HISTORY_H
#define CLI_HISTORY_H
/* The verdict on a campaign whose runs were read back. */
#include "core/record.h"
#include "results/history.h"

#include <stddef.h>

/*
 * The campaign that runs [0, n) of h are, with its verdict. *rec borrows what
 * the runs hold; only its notes are its own. Its runs' times are
 * CLOCK_REALTIME. 0 or -ENOMEM.
 */
int history_judge(const struct history_run *h, size_t n, struct record *rec);
void history_judge_end(struct record *rec);

#endif
