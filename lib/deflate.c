/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compression by the algorithms that a trace.dat file may name. */
#include <zlib.h>
#include <zstd.h>

#include "deflate.h"

#include "banned.h"

struct algorithm {
	const char *name;
	const char *(*version)(void);
	size_t (*bound)(size_t len);
	/* The length of what it wrote to out, 0: memory is out. */
	size_t (*run)(ZSTD_CCtx *zstd, void *out, size_t room, const void *in, size_t len);
};

struct dkt__deflate {
	const struct algorithm *algorithm;
	ZSTD_CCtx *zstd;
	uint8_t *out;
	size_t room;
};

static size_t zlib_bound(size_t len)
{
	return compressBound((uLong)len);
}

static size_t zlib_run(ZSTD_CCtx *zstd, void *out, size_t room, const void *in, size_t len)
{
	uLongf n = (uLongf)room;

	(void)zstd;
	return compress(out, &n, in, (uLong)len) == Z_OK ? n : 0;
}

static size_t zstd_run(ZSTD_CCtx *zstd, void *out, size_t room, const void *in, size_t len)
{
	size_t n = ZSTD_compressCCtx(zstd, out, room, in, len, ZSTD_CLEVEL_DEFAULT);

	return ZSTD_isError(n) ? 0 : n;
}

static const struct algorithm algorithms[] = {
	{ "zstd", ZSTD_versionString, ZSTD_compressBound, zstd_run },
	{ "zlib", zlibVersion, zlib_bound, zlib_run },
};

int dkt__deflate_new(struct dkt_ctx *ctx, const char *name, struct dkt__deflate **out)
{
	struct dkt__deflate *deflate;
	size_t i = 0;

	*out = NULL;
	while (i < ARRAY_SIZE(algorithms) && strcmp(algorithms[i].name, name))
		i++;
	if (i == ARRAY_SIZE(algorithms))
		return dkt_fail(ctx, -EINVAL, "compression '%s' is none; zstd, zlib and none are",
				name);
	deflate = calloc(1, sizeof(*deflate));
	if (!deflate)
		return -ENOMEM;
	deflate->algorithm = &algorithms[i];
	deflate->zstd = ZSTD_createCCtx();
	if (!deflate->zstd) {
		free(deflate);
		return -ENOMEM;
	}
	*out = deflate;
	return 0;
}

void dkt__deflate_free(struct dkt__deflate *deflate)
{
	if (!deflate)
		return;
	ZSTD_freeCCtx(deflate->zstd);
	free(deflate->out);
	free(deflate);
}

const char *dkt__deflate_name(const struct dkt__deflate *deflate)
{
	return deflate->algorithm->name;
}

const char *dkt__deflate_version(const struct dkt__deflate *deflate)
{
	return deflate->algorithm->version();
}

int dkt__deflate_run(struct dkt__deflate *deflate, const void *bytes, size_t len, const void **out,
		     size_t *out_len)
{
	size_t bound = deflate->algorithm->bound(len);

	if (bound > deflate->room) {
		uint8_t *more = realloc(deflate->out, bound);

		if (!more)
			return -ENOMEM;
		deflate->out = more;
		deflate->room = bound;
	}
	*out = deflate->out;
	*out_len = deflate->algorithm->run(deflate->zstd, deflate->out, deflate->room, bytes, len);
	return *out_len ? 0 : -ENOMEM;
}
