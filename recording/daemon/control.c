/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How other processes deal with a daemon: end it, clean up after it, give it other settings. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/inside.h"
#include "recording/daemon/archive.h"

/* A reload that enables thousands of events takes seconds. */
#define RELOAD_SECONDS 60
#define EACH_US        20000

/* The daemon removes its settings only after it has written all records. */
static int check_ended(struct dkt_ctx *ctx, const char *log)
{
	struct archive_state state;
	int err;

	if (!archive_settings_exist(log, ARCHIVE_IN_EFFECT))
		return 0;
	err = archive_state_load(ctx, log, &state);
	if (!err)
		err = dkt_fail(ctx, -EIO,
			       "%s: the kernel holds records that are not written; 'dktrace daemon"
			       " start' goes on with them, another 'dktrace daemon stop' discards"
			       " them",
			       state.error ?: "the daemon was killed");
	archive_state_clear(&state);
	return err;
}

int archive_stop(struct dkt_ctx *ctx, const char *log, bool keep)
{
	char *name __cleanup(free) = archive_instance(log);
	bool ended;
	int turn __cleanup(close) =
		service_end_enter(ctx, &archive_service, log, keep ? SIGUSR1 : SIGTERM, &ended);
	int err;

	if (turn < 0)
		return turn;
	if (!name)
		return dkt__no_memory(ctx);
	if (keep)
		return ended ? 0 : dkt_fail(ctx, -ENOENT, "no daemon is running");
	err = ended ? check_ended(ctx, log) : 0;
	if (err)
		return err;
	/* A daemon that was killed, or ended with --keep-recording, has left its instance and probes. */
	err = dkt_instance_remove(ctx, name);
	if (!err || err == -ENOENT)
		ended |= !err;
	if (!err || err == -ENOENT)
		err = dkt__instance_sweep(ctx, name, NULL);
	if (err)
		return err;
	service_forget(&archive_service, log);
	return ended ? 0 : dkt_fail(ctx, -ENOENT, "no daemon is running");
}

/* Waits until the daemon has read its settings. */
static int wait_reloaded(struct dkt_ctx *ctx, const char *log, pid_t pid, uint64_t before)
{
	for (int tries = 0; tries < RELOAD_SECONDS * 1000000 / EACH_US; tries++) {
		struct archive_state state;
		int err = archive_state_load(ctx, log, &state);

		if (!err && state.reloads != before && state.reload_error)
			err = dkt_fail(ctx, -EINVAL, "%s", state.reload_error);
		else if (!err && state.reloads == before)
			err = 1;
		archive_state_clear(&state);
		if (err <= 0)
			return err;
		if (service_holder(&archive_service, log) != pid)
			return dkt_fail(ctx, -ESRCH, "the daemon ended");
		usleep(EACH_US);
	}
	return dkt_fail(ctx, -ETIMEDOUT, "the daemon, process %d, does not answer", (int)pid);
}

int archive_reload(struct dkt_ctx *ctx, const char *log, const struct archive_config *config)
{
	pid_t pid = service_holder(&archive_service, log);
	struct archive_state state;
	uint64_t before;
	int err;

	if (!pid)
		return dkt_fail(ctx, -ESRCH, "no daemon is running");
	err = archive_state_load(ctx, log, &state);
	before = state.reloads;
	archive_state_clear(&state);
	if (!err && config)
		err = archive_settings_write(ctx, log, ARCHIVE_ASKED, config);
	if (!err && kill(pid, SIGHUP))
		err = dkt_fail(ctx, -errno, "signal process %d: %s", (int)pid, strerror(errno));
	return err ? err : wait_reloaded(ctx, log, pid, before);
}
