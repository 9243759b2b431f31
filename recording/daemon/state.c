/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a daemon: a line for each field, its name and its value. */
#include "recording/daemon/state.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/inside.h"

#define SETTINGS "settings"
#define ASKED    SETTINGS ".new"
#define NEXT     SETTINGS ".next"

/* Other text is no name of a segment. */
static int read_segment(void *value, const char *text)
{
	uint64_t number;
	int64_t time;

	if (!segment_read_name(text, &number, &time))
		return -EINVAL;
	segment_name(value, time, number);
	return 0;
}

static void print_segment(const void *value, const char *start, FILE *f)
{
	fprintf(f, "%s%s\n", start, (const char *)value);
}

static const struct dkt__member_other segment = { .read = read_segment, .print = print_segment };

#define ROW(...)     DKT__MEMBER(archive_state, __VA_ARGS__)
#define NUMBER(name) ROW(#name, U64, name)

static const struct dkt__member members[] = {
	ROW("segment", OTHER, segment, .other = &segment),
	NUMBER(started),
	NUMBER(began),
	NUMBER(bytes),
	NUMBER(records),
	NUMBER(lost),
	NUMBER(all_records),
	NUMBER(all_lost),
	NUMBER(records_rate),
	NUMBER(bytes_rate),
	NUMBER(waiting),
	NUMBER(reloads),
	NUMBER(left),
	NUMBER(saved),
	ROW("error", TEXT, error),
	ROW("reload_error", TEXT, reload_error),
};

const struct service archive_service = {
	.kind = "daemon",
	.noun = "a daemon",
	.files = (const char *const[]){ SETTINGS, ASKED, NEXT, NULL },
	.state = { members, ARRAY_SIZE(members), "\t" },
};

static char *settings_path(const char *log, enum archive_settings which)
{
	static const char *const names[] = {
		[ARCHIVE_IN_EFFECT] = SETTINGS, [ARCHIVE_ASKED] = ASKED, [ARCHIVE_NEXT] = NEXT
	};

	return service_path(&archive_service, log, names[which]);
}

bool archive_settings_exist(const char *log, enum archive_settings which)
{
	struct dkt__gained gained __cleanup(gained_end) = service_gained(&archive_service, log);
	char *path __cleanup(free) = settings_path(log, which);

	return path && !faccessat(AT_FDCWD, path, F_OK, AT_EACCESS);
}

int archive_settings_read(struct dkt_ctx *ctx, const char *log, enum archive_settings which,
			  struct archive_config *config)
{
	struct dkt__gained gained __cleanup(gained_end) = service_gained(&archive_service, log);
	char *path __cleanup(free) = settings_path(log, which);

	return path ? archive_config_read(ctx, path, config) : dkt__no_memory(ctx);
}

int archive_settings_write(struct dkt_ctx *ctx, const char *log, enum archive_settings which,
			   const struct archive_config *config)
{
	struct dkt__gained gained __cleanup(gained_end) = service_gained(&archive_service, log);
	char *path __cleanup(free) = settings_path(log, which);

	return path ? archive_config_write(ctx, path, config) : dkt__no_memory(ctx);
}

void archive_settings_remove(const char *log, enum archive_settings which)
{
	struct dkt__gained gained __cleanup(gained_end) = service_gained(&archive_service, log);
	char *path __cleanup(free) = settings_path(log, which);

	if (path)
		unlink(path);
}

void archive_settings_publish(struct dkt_ctx *ctx, const char *log)
{
	struct dkt__gained gained __cleanup(gained_end) = service_gained(&archive_service, log);
	char *next __cleanup(free) = settings_path(log, ARCHIVE_NEXT);
	char *path __cleanup(free) = settings_path(log, ARCHIVE_IN_EFFECT);

	if (!next || !path || rename(next, path))
		dkt__log(ctx, DKT_LOG_WARN,
			 "the new settings are in effect, but status shows the earlier ones: rename"
			 " %s: %s",
			 next ?: NEXT, strerror(errno));
}

void archive_state_text(char **to, const char *text)
{
	free(*to);
	*to = text ? service_line(text) : NULL;
}

void archive_state_clear(struct archive_state *state)
{
	free(state->error);
	free(state->reload_error);
	*state = (struct archive_state){ 0 };
}

int archive_state_save(struct dkt_ctx *ctx, const char *log, struct archive_state *state)
{
	state->saved = service_now();
	return service_save(ctx, &archive_service, log, state);
}

int archive_state_load(struct dkt_ctx *ctx, const char *log, struct archive_state *state)
{
	*state = (struct archive_state){ 0 };
	return service_load(ctx, &archive_service, log, state);
}
