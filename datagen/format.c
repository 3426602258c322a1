/*
 * The table of formats, and jpeg: files of the reference's generator have no
 * structure at all, since nothing decodes them. See format.h.
 */
#include "datagen/format.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const struct dataset_format *const formats[] = {
	&format_npz, &format_jpeg, &format_hdf5};

#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

const struct dataset_format *format_find(const char *name)
{
	size_t i;

	for (i = 0; i < FORMAT_COUNT; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

const char *format_names(void)
{
	return "npz, jpeg, hdf5";
}

static int raw_check_fits(const struct format_shape *s, struct err *e)
{
	uint64_t area = (uint64_t)s->d1 * s->d2, bytes;

	if (!__builtin_mul_overflow(area, s->spf, &bytes) && bytes <= INT64_MAX)
		return 0;
	return err_set(e, ERR_USAGE, -EFBIG,
		"%" PRIu64 " x %" PRIu64 " bytes are too many for a file",
		s->spf, area);
}

const struct dataset_format format_jpeg = {
	.name = "jpeg",
	.one_sample = true,
	.check_fits = raw_check_fits,
};
