/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compresses and decompresses bytes by the methods that trace-cmd names in its files. */
#pragma once

#include "lib/base/util.h"

struct dkt__codec {
	const char *name; /* "zstd" */
	const char *(*version)(void);
	/*
	 * *state is kept between calls of decompress and compress, which can share it: NULL before the
	 * first call, released at the end. Returns 0 if exactly n_out bytes come out, otherwise
	 * -EBADMSG or -ENOMEM.
	 */
	int (*decompress)(void **state, const void *in, size_t n_in, void *out, size_t n_out);
	void (*release)(void *state);
	/* The largest output for n bytes of input. */
	size_t (*bound)(size_t n);
	/* Returns the size of the output, or 0 if memory is out. */
	size_t (*compress)(void **state, const void *in, size_t n_in, void *out, size_t n_out);
};

/* NULL: the method is unknown. */
const struct dkt__codec *dkt__codec_find(const char *name);

/* Enough of a file's first bytes to recognise it. */
#define DKT__PACKED_LOOK 8

/* Returns the program that compressed a file with these first bytes; NULL: none that is known. */
const char *dkt__packed_by(const void *data, size_t size);
