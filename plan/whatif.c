/* Training runs in virtual time; see whatif.h. */
#include "plan/whatif.h"

#include "accel_sim/group.h"
#include "plan/campaign.h"

#include <stdlib.h>
#include <string.h>

int whatif_record(const struct whatif *w, struct record *rec, struct err *e)
{
	struct campaign c = {
		.engine = w->engine,
		.virtual_time = true,
		.event_per_file = w->event_per_file,
		.runs = 1,
	};
	struct group *g;
	int r;

	record_init(rec);
	r = group_local_open((uint32_t)w->config->accelerators, &g, e);
	if (r)
		return r;
	rec->config = *w->config;
	rec->config.results_dir[0] = 0;
	if (w->epochs)
		rec->config.epochs = w->epochs;
	c.group = g;
	r = campaign_run(&c, rec, e);
	group_close(g);
	return r;
}

int whatif_run(const struct whatif *w, struct rec_metrics *m, struct err *e)
{
	struct record rec;
	int r = whatif_record(w, &rec, e);

	memset(m, 0, sizeof(*m));
	if (!r) {
		*m = rec.runs[0].metrics;
		memset(&rec.runs[0].metrics, 0, sizeof(*m));
	}
	record_fini(&rec);
	return r;
}

void whatif_fini(struct rec_metrics *m)
{
	free(m->au_pct);
	free(m->throughput_per_s);
	memset(m, 0, sizeof(*m));
}
