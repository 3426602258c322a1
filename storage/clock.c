/* The clocks' start; see clock.h. */
#include "storage/clock.h"

static int64_t wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void clock_start(struct clock *c, bool is_virtual)
{

	c->is_virtual = is_virtual;
	c->virtual_ns = 0;
	c->wall_anchor_ns = wall_ns();
	c->zero_ns = clock_monotonic_ns();
}

int64_t clock_wall_step_ns(const struct clock *c)
{
	int64_t spent_ns = clock_monotonic_ns() - c->zero_ns;

	return c->is_virtual ? 0 : wall_ns() - c->wall_anchor_ns - spent_ns;
}
