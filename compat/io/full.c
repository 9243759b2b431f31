/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words about files that cannot grow: the disk, the quota or the limit of the process is reached. */
#include "compat/io/full.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

#define ELSEWHERE "write to another file system"

/* Returns what to do; NULL: the file can grow. */
static const char *advice(int err)
{
	switch (err) {
	case -ENOSPC:
		return "free space on its file system, or " ELSEWHERE;
	case -EDQUOT:
		return "free space within the quota, or " ELSEWHERE;
	case -EFBIG:
		return "raise the limit of 'ulimit -f'; without one, " ELSEWHERE;
	default:
		return NULL;
	}
}

bool dkl_full_is(int err)
{
	return advice(err);
}

int dkl_full_advise(struct dkt_ctx *ctx, int err)
{
	char *words __cleanup(free) = dkl_full_is(err) ? dkt_error_take(ctx) : NULL;

	return words ? dkt_fail(ctx, err, "%s; %s", words, advice(err)) : err;
}

int dkl_full_fail(struct dkt_ctx *ctx, int err, const char *path)
{
	dkt_fail(ctx, err, "write %s: %s", path, strerror(-err));
	return dkl_full_advise(ctx, err);
}
