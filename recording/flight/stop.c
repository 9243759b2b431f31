/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How other processes deal with a flight recorder: ask it for dumps, end it, clean up after it. */
#include <signal.h>

#include "compat/lustre/message/cdebug.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/inside.h"
#include "recording/flight/dump.h"
#include "recording/flight/flight.h"
#include "recording/flight/socket.h"
#include "recording/flight/watch.h"

int flight_open_groups(struct dkt_ctx *ctx, const char *log, const struct flight_state *state,
		       struct flight_group **groups)
{
	int err = 0;

	*groups = calloc(state->groups.n + 1, sizeof(**groups));
	if (!*groups)
		return dkt__no_memory(ctx);
	for (size_t i = 0; !err && i < state->groups.n; i++)
		err = flight_open(ctx, log, state->groups.list[i], &(*groups)[i]);
	return err;
}

void flight_close_groups(struct flight_group *groups, size_t n)
{
	for (size_t i = 0; groups && i < n; i++)
		flight_close(&groups[i]);
	free(groups);
}

/* Finishes the dump that a recorder was writing when it was killed, and says so. */
static int rescue(struct dkt_ctx *ctx, const char *log, struct flight_state *state)
{
	struct flight_dump dump;
	int err = flight_rescue(ctx, log, state->dir, &dump);

	if (!err && dump.file) {
		dkt__log(ctx, DKT_LOG_WARN,
			 "the recorder was killed while it made a dump, which is %s now",
			 dump.file);
		if (dump.note)
			dkt__log(ctx, DKT_LOG_WARN, "%s", dump.note);
		err = dkt__with_words(ctx, flight_add_dump(state, &dump));
	}
	flight_dump_clear(&dump);
	return err;
}

/* The recorder's process was killed. Its instances still record. */
static int dump_here(struct dkt_ctx *ctx, const char *log, const char *reason, char **file)
{
	struct flight_dump dump = { 0 };
	struct flight_group *groups = NULL;
	struct flight_state state;
	int turn __cleanup(close) = service_enter(ctx, &flight_service, log);
	int err;

	if (turn < 0)
		return turn;
	err = flight_load(ctx, log, &state);
	if (!err)
		err = flight_open_groups(ctx, log, &state, &groups);
	if (!err)
		err = rescue(ctx, log, &state);
	if (!err)
		err = flight_dump(ctx, log, groups, state.groups.n, state.dir, reason, &dump);
	if (dump.file)
		*file = strdup(dump.file);
	if (dump.file && !flight_add_dump(&state, &dump))
		err = flight_save(ctx, log, &state) ?: err;
	flight_dump_clear(&dump);
	flight_close_groups(groups, state.groups.n);
	flight_clear(&state);
	return err;
}

int flight_dump_asked(struct dkt_ctx *ctx, const char *log, const char *reason, char **file)
{
	struct flight_state state;
	int err = flight_load(ctx, log, &state);

	*file = NULL;
	flight_clear(&state);
	if (err)
		return err;
	return service_holder(&flight_service, log) ? flight_ask(ctx, log, reason, file) :
						      dump_here(ctx, log, reason, file);
}

int flight_find_dump(struct dkt_ctx *ctx, const char *log, const char *name, char **file)
{
	struct flight_state state;
	int err = flight_load(ctx, log, &state);

	*file = NULL;
	for (size_t i = 0; !err && i < state.dumps.n; i++) {
		const struct flight_dump *dump = &state.dumps.list[state.dumps.n - 1 - i];
		const char *slash = strrchr(dump->file, '/');

		if (name && strcmp(slash ? slash + 1 : dump->file, name) != 0)
			continue;
		*file = strdup(dump->file);
		err = *file ? 0 : dkt__no_memory(ctx);
		break;
	}
	if (!err && !*file)
		err = name ? dkt_fail(ctx, -ENOENT, "the flight recorder has no dump '%s'", name) :
			     dkt_fail(ctx, -ENOENT, "the flight recorder has made no dump");
	flight_clear(&state);
	return err;
}

static int remove_all(struct dkt_ctx *ctx, const char *log, const struct flight_state *state)
{
	char *prefix __cleanup(free) = dkt__format("%s-flight", log);
	int err = prefix ? 0 : dkt__no_memory(ctx);

	for (size_t i = 0; !err && i < state->groups.n; i++)
		err = flight_remove(ctx, log, state->groups.list[i]);
	for (size_t i = 0; !err && i < state->watches.n; i++)
		err = flight_watch_remove_left(ctx, log, state->watches.list[i]);
	/* The probes of a process that has exited. */
	if (!err)
		err = dkt__instance_sweep(ctx, prefix, NULL);
	if (!err)
		dkl_cdebug_take_back(ctx);
	return err;
}

int flight_stop(struct dkt_ctx *ctx, const char *log)
{
	bool ended;
	int turn __cleanup(close) = service_end_enter(ctx, &flight_service, log, SIGTERM, &ended);
	struct flight_state state;
	int err;

	if (turn < 0)
		return turn;
	err = flight_load(ctx, log, &state);
	if (!err)
		err = remove_all(ctx, log, &state);
	/* The instances are gone whatever happened to the disk. */
	if (!err && rescue(ctx, log, &state))
		dkt__log(ctx, DKT_LOG_WARN, "%s", dkt_error(ctx));
	flight_clear(&state);
	if (!err || err == -ENOENT)
		service_forget(&flight_service, log);
	return err == -ENOENT && ended ? 0 : err;
}
