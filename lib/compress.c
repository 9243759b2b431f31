/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compressed bytes of files, by the names that trace-cmd gives to the ways. */
#include <zlib.h>
#include <zstd.h>

#include "compress.h"

#include "banned.h"

static int decompress_zlib(const void *in, size_t n_in, void *out, size_t n_out)
{
	uLongf n = n_out;
	int rc = uncompress(out, &n, in, n_in);

	if (rc == Z_MEM_ERROR)
		return -ENOMEM;
	return rc != Z_OK || n != n_out ? -EBADMSG : 0;
}

static int decompress_zstd(const void *in, size_t n_in, void *out, size_t n_out)
{
	return ZSTD_decompress(out, n_out, in, n_in) == n_out ? 0 : -EBADMSG;
}

static const struct dkt__codec codecs[] = {
	{ "zlib", decompress_zlib },
	{ "zstd", decompress_zstd },
};

const struct dkt__codec *dkt__codec_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(codecs); i++)
		if (!strcmp(codecs[i].name, name))
			return &codecs[i];
	return NULL;
}
