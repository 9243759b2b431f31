/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wall clock beside the log's clock, as it was seen. */
#include "compat/log/wall.h"

#include <inttypes.h>

#include "lib/base/buf.h"
#include "lib/base/gained.h"
#include "lib/base/io.h"
#include "lib/inside.h"

/* Lines "FROM UNTIL OFFSET" in the log's directory. */
#define WALL_FILE "wall"
#define FILE_MOST 4096

/* The clocks are not read at the same moment: less than this is no step, ns. */
#define STEP_LEAST 1000000

void dkl_log_wall_add(struct log_wall *wall, uint64_t now, int64_t offset)
{
	struct log_wall_part *last = wall->n ? &wall->parts[wall->n - 1] : NULL;

	if (last && llabs(offset - last->offset) < STEP_LEAST) {
		last->until = DKT__MAX(last->until, now);
		return;
	}
	if (wall->n == LOG_WALL_PARTS)
		memmove(wall->parts, wall->parts + 1, --wall->n * sizeof(*wall->parts));
	wall->parts[wall->n++] =
		(struct log_wall_part){ .from = now, .until = now, .offset = offset };
}

int64_t dkl_log_wall_least(const struct log_wall *wall, int64_t least)
{
	for (size_t i = 0; i < wall->n; i++)
		least = DKT__MIN(least, wall->parts[i].offset);
	return least;
}

int64_t dkl_log_wall_at(const struct log_wall *wall, uint64_t time)
{
	for (size_t i = 0; i < wall->n; i++)
		if (time <= wall->parts[i].until)
			return wall->parts[i].offset;
	return wall->n ? wall->parts[wall->n - 1].offset : 0;
}

/* Times that are still to come are of another boot. */
static void read_parts(const char *path, uint64_t now, struct log_wall *wall)
{
	struct log_wall_part part;
	char *text __cleanup(free) = NULL;
	size_t len;
	int used;

	if (dkt__read_file(path, FILE_MOST, &text, &len))
		return;
	for (const char *p = text;
	     wall->n < LOG_WALL_PARTS && sscanf(p, "%" SCNu64 " %" SCNu64 " %" SCNd64 "\n%n",
						&part.from, &part.until, &part.offset, &used) == 3;
	     p += used)
		if (part.from <= part.until && part.until <= now)
			wall->parts[wall->n++] = part;
}

static void write_parts(const char *path, const struct log_wall *wall)
{
	struct dkt_buf text = { 0 };

	for (size_t i = 0; i < wall->n; i++)
		dkt_buf_printf(&text, "%" PRIu64 " %" PRIu64 " %" PRId64 "\n", wall->parts[i].from,
			       wall->parts[i].until, wall->parts[i].offset);
	if (!dkt_buf_error(&text))
		dkt__replace_file(path, text.data, text.len, false);
	free(text.data);
}

void dkl_log_wall_look(const struct debuglog *log, struct log_wall *wall)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(log->dir ?: "");
	char *path __cleanup(free) = log->dir ? dkt__format("%s/" WALL_FILE, log->dir) : NULL;
	char *clock __cleanup(free) = NULL, *message = dkt__error_take(log->ctx);
	int64_t offset;
	uint64_t now;

	*wall = (struct log_wall){ 0 };
	if (path && log->in && !dkt__instance_get_clock(log->in, &clock) &&
	    !strcmp(clock, DEBUGLOG_CLOCK) && !dkt_instance_get_now(log->in, &now) &&
	    !dkt__instance_get_wall(log->in, &offset)) {
		read_parts(path, now, wall);
		dkl_log_wall_add(wall, now, offset);
		write_parts(path, wall);
	}
	dkt__error_give(log->ctx, 0, message);
}
