/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a daemon: a line for each field, its name and its value. */
#include "recording/daemon/state.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"

#define STATE    "state"
#define SETTINGS "settings"
#define ASKED    SETTINGS ".new"
#define NEXT     SETTINGS ".next"

#define STATE_MAX (1 << 20)

const struct service archive_service = {
	.kind = "daemon",
	.noun = "a daemon",
	.files = (const char *const[]){ STATE, SETTINGS, ASKED, NEXT, NULL },
};

#define AT(member) offsetof(struct archive_state, member)

static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
	{ "started", AT(started) },
	{ "began", AT(began) },
	{ "bytes", AT(bytes) },
	{ "records", AT(records) },
	{ "lost", AT(lost) },
	{ "all_records", AT(all_records) },
	{ "all_lost", AT(all_lost) },
	{ "records_rate", AT(records_rate) },
	{ "bytes_rate", AT(bytes_rate) },
	{ "waiting", AT(waiting) },
	{ "reloads", AT(reloads) },
	{ "left", AT(left) },
	{ "saved", AT(saved) },
};

static const struct {
	const char *name;
	size_t offset;
} texts[] = {
	{ "error", AT(error) },
	{ "reload_error", AT(reload_error) },
};

/* All numbers have 8 bytes, and none is negative. */
static uint64_t *number_at(const struct archive_state *state, size_t i)
{
	void *at = (char *)state + numbers[i].offset;

	return at;
}

static char **text_at(const struct archive_state *state, size_t i)
{
	void *at = (char *)state + texts[i].offset;

	return at;
}

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
		dkt_log(ctx, DKT_LOG_WARN,
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
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(*text_at(state, i));
	*state = (struct archive_state){ 0 };
}

void archive_state_print(const struct archive_state *state, FILE *f)
{
	fprintf(f, "segment\t%s\n", state->segment);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		fprintf(f, "%s\t%" PRIu64 "\n", numbers[i].name, *number_at(state, i));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (*text_at(state, i))
			fprintf(f, "%s\t%s\n", texts[i].name, *text_at(state, i));
}

int archive_state_save(struct dkt_ctx *ctx, const char *log, struct archive_state *state)
{
	char *text __cleanup(free) = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int err;

	state->saved = service_now();
	if (f)
		archive_state_print(state, f);
	err = dkt__with_words(ctx, dkt__text_end(f, 0, &text));
	return err ? err : service_save(ctx, &archive_service, log, STATE, text);
}

static void take_line(struct archive_state *state, const char *name, const char *value)
{
	uint64_t number;
	int64_t time;

	if (!strcmp(name, "segment") && segment_read_name(value, &number, &time))
		segment_name(state->segment, time, number);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!strcmp(numbers[i].name, name) && !dkt__parse_u64(value, DKT__DEC, &number))
			*number_at(state, i) = number;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!strcmp(texts[i].name, name))
			archive_state_text(text_at(state, i), value);
}

void archive_state_parse(char *text, struct archive_state *state)
{
	char *line;

	*state = (struct archive_state){ 0 };
	while ((line = strsep(&text, "\n"))) {
		char *name = strsep(&line, "\t");

		if (line)
			take_line(state, name, line);
	}
}

int archive_state_load(struct dkt_ctx *ctx, const char *log, struct archive_state *state)
{
	char *path __cleanup(free) = service_path(&archive_service, log, STATE);
	char *text __cleanup(free) = NULL;
	int err = service_read(&archive_service, log, STATE, STATE_MAX, &text);

	*state = (struct archive_state){ 0 };
	if (err == -ENOENT)
		return dkt_fail(ctx, err, "no daemon was started; 'dktrace daemon start' does");
	if (err)
		return dkt_fail(ctx, err, "read %s: %s", path ? path : STATE, strerror(-err));
	archive_state_parse(text, state);
	return 0;
}
