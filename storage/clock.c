/* The clocks' start; see clock.h. */
#include "storage/clock.h"

void clock_start(struct clock *c, bool is_virtual)
{
	struct timespec ts;

	c->is_virtual = is_virtual;
	c->virtual_ns = 0;
	clock_gettime(CLOCK_REALTIME, &ts);
	c->zero_ns = clock_monotonic_ns();
	c->wall_anchor_ns = (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}
