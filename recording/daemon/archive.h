/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An archive: a process that records all the time into a directory of segments. The instance has a
 * fixed name, so that the next process finds what a killed one has left in the kernel.
 */
#pragma once

#include "recording/daemon/config.h"
#include "recording/daemon/state.h"

struct archive_opts {
	/* The settings that reload reads again; NULL: only those that reload is given. */
	const char *settings;
	/* Called when all is set up and recording has begun; must not fail. */
	void (*ready)(void *data);
	void *data;
};

/*
 * Records until SIGTERM or SIGINT, and then ends for good; SIGUSR1: ends, but the kernel records on for
 * the next one. SIGHUP: reads the settings again. -EBUSY: a daemon is running. Takes the config.
 */
int archive_run(struct dkt_ctx *ctx, const char *log, struct archive_config *config,
		const struct archive_opts *opts);

/*
 * Ends the process and removes the instance, also that of a killed process. With keep, the instance stays
 * and records on.
 * -ENOENT: there is nothing to end. -EIO: the process could not write the last records; the instance
 * keeps them for another one, and a second call discards them.
 */
int archive_stop(struct dkt_ctx *ctx, const char *log, bool keep);

/*
 * Gives the running daemon these settings; NULL: it reads its file again. Returns when they are in
 * effect. -ESRCH: no daemon is running; -EINVAL: it refused them, dkt_error() says why.
 */
int archive_reload(struct dkt_ctx *ctx, const char *log, const struct archive_config *config);

/* Returns the name of the instance, which the caller frees. */
char *archive_instance(const char *log);
