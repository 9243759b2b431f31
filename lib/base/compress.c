/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compresses and decompresses bytes by the methods that trace-cmd names in its files. */
#include <zlib.h>
#include <zstd.h>

#include "base/compress.h"

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

static size_t compress_zlib(const void *in, size_t n_in, void *out, size_t n_out)
{
	uLongf n = n_out;

	return compress(out, &n, in, n_in) == Z_OK ? n : 0;
}

static void release_zlib(void *state)
{
	(void)state;
}

static int decompress_zstd(void **state, const void *in, size_t n_in, void *out, size_t n_out)
{
	if (!*state)
		*state = ZSTD_createDCtx();
	if (!*state)
		return -ENOMEM;
	return ZSTD_decompressDCtx(*state, out, n_out, in, n_in) == n_out ? 0 : -EBADMSG;
}

static void release_zstd(void *state)
{
	ZSTD_freeDCtx(state);
}

static size_t compress_zstd(const void *in, size_t n_in, void *out, size_t n_out)
{
	size_t n = ZSTD_compress(out, n_out, in, n_in, ZSTD_CLEVEL_DEFAULT);

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
