/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The far side of `dktrace collect`: runs one command of the tool, sends what it writes, and keeps what has
 * not arrived when the connection breaks.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "fleet/remote/child.h"

struct serve_opts {
	int in, out; /* the connection */
	/*
	 * Called before a command is run, in a process of its own. Returns flags of enum child_flags, or
	 * -errno with an error message.
	 */
	int (*check)(void *data, int argc, char **argv);
	/* Called before anything of the other side is read; may be NULL. Returns 0 or -errno. */
	int (*confine)(void *data);
	void *data;
};

/* Returns when the other side has all, or does not come back. */
int serve_run(struct dkt_ctx *ctx, const struct serve_opts *opts);
