/* Intervals of checkpoints and what they cost; see ckpt_plan.h. */
#include "plan/ckpt_plan.h"

#include <errno.h>
#include <math.h>

const char *ckpt_rule_name(enum ckpt_rule r)
{
	static const char *const names[] = {"young", "daly", "availability"};

	return r < CKPT_RULES ? names[r] : "?";
}

static int check(const char *what, double value, bool zero, struct err *e)
{
	if (isfinite(value) && (value > 0 || (zero && value == 0)))
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL, "%s %g makes no sense: it must "
		"be %s", what, value,
		zero ? "0 or more" : "more than 0, and finite");
}

int ckpt_job_check(const struct ckpt_job *j, struct err *e)
{
	if (check("a checkpoint size (bytes) of", j->bytes, false, e) ||
		check("a time between failures (seconds) of", j->mtbf_s, false,
			e) ||
		check("a time of a save (seconds) of", j->save_s, false, e) ||
		check("a restart time (seconds) of", j->restart_s, true, e) ||
		check("a detection time (seconds) of", j->detect_s, true, e) ||
		(j->asynchronous && check("a copy time (seconds) of",
					    j->copy_s, false, e)))
		return e->code;
	return 0;
}

/* The time for which a save stalls the job. */
static double stall_s(const struct ckpt_job *j)
{
	return j->asynchronous ? j->copy_s : j->save_s;
}

double ckpt_interval_s(const struct ckpt_job *j, enum ckpt_rule r)
{
	double d = stall_s(j), m = j->mtbf_s, x = d / (2 * m), t;

	switch (r) {
	case CKPT_YOUNG:
		t = sqrt(2 * d * m);
		break;
	case CKPT_DALY:
		t = x < 1 ? sqrt(2 * d * m) * (1 + sqrt(x) / 3 + x / 9) - d
			  : m;
		break;
	default:
		t = sqrt(2 * (m + j->restart_s) * d + d * d);
		break;
	}
	if (j->asynchronous && t + d < j->save_s)
		t = j->save_s - d; /* the last one has just drained */
	return t < j->detect_s ? j->detect_s : t;
}

void ckpt_loss_at(
	const struct ckpt_job *j, double interval_s, struct ckpt_loss *l)
{
	double period = interval_s + stall_s(j);
	double lost = period + (j->asynchronous ? j->save_s : 0);

	l->interval_s = interval_s;
	l->stall = stall_s(j) / period;
	l->rework = lost / (2 * j->mtbf_s);
	l->restart = j->restart_s / j->mtbf_s;
	l->total = l->stall + l->rework + l->restart;
}

static void asynchronous(
	const struct ckpt_job *j, double loss, struct ckpt_target *t)
{
	double m = j->mtbf_s, c = j->copy_s;
	/* what is left for the drain is largest at this period */
	double period = sqrt(2 * m * c);
	double left = loss - c / period - period / (2 * m), root;

	t->reachable = left > 0;
	if (!t->reachable)
		return;
	t->interval_s = period;
	t->save_s = 2 * m * left;
	if (t->save_s > period) {
		/* the drain would not be over: B = S / T = S / (2 M left) */
		root = m * m * loss * loss - 4 * m * c;
		t->interval_s = (m * loss + sqrt(root > 0 ? root : 0)) / 2;
		t->save_s = t->interval_s;
	}
	t->bytes_per_s = j->bytes / t->save_s;
}

void ckpt_target_for(
	const struct ckpt_job *j, double loss, struct ckpt_target *t)
{
	*t = (struct ckpt_target){.loss = loss};
	if (j->asynchronous) {
		asynchronous(j, loss, t);
		return;
	}
	t->reachable = true;
	t->save_s = loss * loss * j->mtbf_s / 2;
	t->interval_s = loss * j->mtbf_s;
	t->bytes_per_s = j->bytes / t->save_s;
}
