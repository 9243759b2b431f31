/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compresses and decompresses bytes by the methods that trace-cmd names in its files; recognises packed files. */
#include <zlib.h>
#include <zstd.h>

#include "lib/base/compress.h"

/*
 * The level of zstd. The pages of a trace repeat themselves: higher levels take longer, and their files
 * are hardly smaller.
 */
#define ZSTD_LEVEL 1

static int decompress_zlib(void **state, const void *in, size_t n_in, void *out, size_t n_out)
{
	uLongf n = n_out;
	int rc = uncompress(out, &n, in, n_in);

	(void)state;
	if (rc == Z_MEM_ERROR)
		return -ENOMEM;
	return rc != Z_OK || n != n_out ? -EBADMSG : 0;
}

static size_t bound_zlib(size_t n)
{
	return compressBound(n);
}

static size_t compress_zlib(void **state, const void *in, size_t n_in, void *out, size_t n_out)
{
	uLongf n = n_out;

	(void)state;
	return compress(out, &n, in, n_in) == Z_OK ? n : 0;
}

static void release_zlib(void *state)
{
	(void)state;
}

struct zstd {
	ZSTD_CCtx *compressor;
	ZSTD_DCtx *decompressor;
};

static struct zstd *zstd_of(void **state)
{
	if (!*state)
		*state = calloc(1, sizeof(struct zstd));
	return *state;
}

static int decompress_zstd(void **state, const void *in, size_t n_in, void *out, size_t n_out)
{
	struct zstd *zstd = zstd_of(state);
	size_t n;

	if (zstd && !zstd->decompressor)
		zstd->decompressor = ZSTD_createDCtx();
	if (!zstd || !zstd->decompressor)
		return -ENOMEM;
	n = ZSTD_decompressDCtx(zstd->decompressor, out, n_out, in, n_in);
	return n == n_out ? 0 : -EBADMSG;
}

static void release_zstd(void *state)
{
	struct zstd *zstd = state;

	if (!zstd)
		return;
	ZSTD_freeCCtx(zstd->compressor);
	ZSTD_freeDCtx(zstd->decompressor);
	free(zstd);
}

static size_t compress_zstd(void **state, const void *in, size_t n_in, void *out, size_t n_out)
{
	struct zstd *zstd = zstd_of(state);
	size_t n;

	if (zstd && !zstd->compressor)
		zstd->compressor = ZSTD_createCCtx();
	if (!zstd || !zstd->compressor)
		return 0;
	n = ZSTD_compressCCtx(zstd->compressor, out, n_out, in, n_in, ZSTD_LEVEL);
	return ZSTD_isError(n) ? 0 : n;
}

static const struct dkt__codec codecs[] = {
	{ "zlib", zlibVersion, decompress_zlib, release_zlib, bound_zlib, compress_zlib },
	{ "zstd", ZSTD_versionString, decompress_zstd, release_zstd, ZSTD_compressBound,
	  compress_zstd },
};

const struct dkt__codec *dkt__codec_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(codecs); i++)
		if (!strcmp(codecs[i].name, name))
			return &codecs[i];
	return NULL;
}

const char *dkt__packed_by(const void *data, size_t size)
{
	static const struct {
		const char *magic, *program;
	} known[] = {
		{ "\x1f\x8b", "gzip" },
		{ "\xfd"
		  "7zXZ",
		  "xz" },
		{ "BZh", "bzip2" },
		{ "\x28\xb5\x2f\xfd", "zstd" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (size > strlen(known[i].magic) &&
		    !memcmp(data, known[i].magic, strlen(known[i].magic)))
			return known[i].program;
	return NULL;
}
