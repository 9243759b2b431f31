/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compresses and decompresses bytes by the methods that trace-cmd names in its files. */
#pragma once

#include "base/util.h"

struct dkt__codec {
	const char *name; /* "zstd" */
	const char *(*version)(void);
	/*
	 * state is what it keeps from call to call, NULL to begin with and released at the end.
	 * 0: exactly n_out bytes have come out; else -EBADMSG or -ENOMEM.
	 */
	int (*decompress)(void **state, const void *in, size_t n_in, void *out, size_t n_out);
	void (*release)(void *state);
	/* So many bytes come out at the most when n go in. */
	size_t (*bound)(size_t n);
	/* How many bytes have come out; 0: memory is out. */
	size_t (*compress)(const void *in, size_t n_in, void *out, size_t n_out);
};

/* NULL: no way of that name is known here. */
const struct dkt__codec *dkt__codec_find(const char *name);
