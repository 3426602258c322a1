/* SHA-256 by nettle; see sha256.h. */
#include "core/sha256.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>

static void finish(struct sha256_ctx *ctx, char out[SHA256_HEX_MAX])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	size_t i;

	sha256_digest(ctx, sizeof(digest), digest);
	for (i = 0; i < sizeof(digest); i++)
		snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

void sha256_hex(const void *data, size_t len, char out[SHA256_HEX_MAX])
{
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, len, data);
	finish(&ctx, out);
}

int sha256_file(const char *path, char out[SHA256_HEX_MAX], struct err *e)
{
	struct sha256_ctx ctx;
	uint8_t buf[65536];
	FILE *f = fopen(path, "re");
	size_t n;
	int r = 0;

	if (!f)
		return err_set(e, ERR_IO, -errno, "cannot open %s: %s", path,
			strerror(errno));
	sha256_init(&ctx);
	while ((n = fread(buf, 1, sizeof(buf), f)))
		sha256_update(&ctx, n, buf);
	if (ferror(f))
		r = err_set(e, ERR_IO, -EIO, "cannot read %s", path);
	fclose(f);
	finish(&ctx, out);
	return r;
}
