/*
 * Configuration files of a user: the first byte says which kind the rest is:
 * a workload, an accelerator or an edition.
 */
#include "accel_sim/profile.h"
#include "core/edition.h"
#include "tests/fuzz/folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ret, const struct err *e)
{
	if (ret && (e->kind == ERR_NONE || !e->text[0] ||
			   !memchr(e->text, 0, sizeof(e->text))))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char other[] =
		"{\"name\": \"g\", \"workloads\": {\"f\": {}}}";
	static struct edition ed;
	struct workload_profile p;
	struct err e = {.kind = ERR_NONE};
	char why[256];
	int r;

	if (!size)
		return 0;
	switch (data[0] % 3) {
	case 0:
		fuzz_file("workloads/f.json", data + 1, size - 1);
		fuzz_file("accelerators/g.json", other, strlen(other));
		r = profile_load(fuzz_folder, "f", "g", &p, &e);
		break;
	case 1:
		fuzz_file("accelerators/f.json", data + 1, size - 1);
		r = profile_load(fuzz_folder, "unet3d", "f", &p, &e);
		break;
	default:
		fuzz_file("editions/f.json", data + 1, size - 1);
		r = edition_load(fuzz_folder, "f", &ed, &e);
		check(r, &e);
		if (!r)
			edition_admits(&ed, DIV_CLOSED, "unet3d", "b200", why,
				sizeof(why));
		return 0;
	}
	check(r, &e);
	if (!r) {
		profile_scale(&p, 1, 32);
		profile_demand_mib_per_s(&p);
	}
	return 0;
}
