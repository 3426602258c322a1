/* The manifest beside a data set: what is taken can be written and reread. */
#include "datagen/manifest.h"
#include "tests/fuzz/folder.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct manifest m, again;
	struct err e = {.kind = ERR_NONE};
	char why[256];

	fuzz_file(MANIFEST_NAME, data, size);
	if (manifest_load(fuzz_folder, &m, &e)) {
		if (e.kind == ERR_NONE || !e.text[0])
			abort();
		return 0;
	}
	/* one of very many files would take the time of all others */
	if (m.layout.files < 1000 && size < 4096) {
		if (manifest_save(fuzz_folder, &m, &e) ||
			manifest_load(fuzz_folder, &again, &e) ||
			!manifest_same_set(&m, &again, why, sizeof(why)))
			abort();
		manifest_free(&again);
	}
	manifest_free(&m);
	return 0;
}
