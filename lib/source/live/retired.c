/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Retires events: their records stay printable after the events have left the kernel, which may give their
 * IDs to others at once.
 */

#include <fcntl.h>

#include "lib/base/buf.h"
#include "lib/base/gained.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"
#include "lib/event.h"
#include "lib/instance.h"
#include "lib/source/live.h"
#include "lib/source/page.h"

/* For each event a line "SYSTEM:NAME ID LENGTH", its format and a newline. */
#define RETIRED "retired"

/* The kernel gives the lowest ID that is free, so the highest ones are left for so many retired events. */
#define RETIRED_MAX 4096
#define FIRST_ID    (MAX_ID - RETIRED_MAX)

#define FILE_MOST (UINT64_C(256) << 20)

/* ---- the file ---- */

struct retired {
	const char *system, *name, *format;
	size_t len; /* of the format */
	int id;
};

/* Takes the next one out of the text, in which the system and the name then end with a NUL. */
static bool take_one(char **at, const char *end, struct retired *one)
{
	char *line = *at, *colon = memchr(line, ':', (size_t)(end - line));
	char *blank = colon ? memchr(colon, ' ', (size_t)(end - colon)) : NULL;
	const char *p = blank ? blank + 1 : NULL;
	uint64_t id, len;

	if (!p || dkt__take_u64(&p, NULL, DKT__DEC, &id) || *p++ != ' ' ||
	    dkt__take_u64(&p, NULL, DKT__DEC, &len) || *p++ != '\n' || id < FIRST_ID ||
	    id >= MAX_ID || len >= (uint64_t)(end - p) || p[len] != '\n')
		return false;
	*colon = *blank = '\0';
	*one = (struct retired){
		.system = line, .name = colon + 1, .format = p, .len = (size_t)len, .id = (int)id
	};
	*at = line + (p - line) + len + 1;
	return true;
}

static int read_file(int dirfd, char **text, size_t *len)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(dirfd);
	int fd __cleanup(close) = openat(dirfd, RETIRED, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	*text = NULL;
	*len = 0;
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	return dkt__read_fd(fd, FILE_MOST, text, len);
}

bool dkt__retired_load(struct dkt_ctx *ctx, int dirfd)
{
	char *text __cleanup(free) = NULL, *at;
	struct retired one;
	size_t len;
	bool any = false;

	if (read_file(dirfd, &text, &len) || !text)
		return false;
	for (at = text; take_one(&at, text + len, &one); any = true)
		if (dkt__event_retired(ctx, one.system, one.name, one.id, one.format, one.len))
			free(dkt__error_take(ctx));
	return any;
}

void dkt__retired_forget(int dirfd)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(dirfd);

	unlinkat(dirfd, RETIRED, 0);
}

/* ---- retiring ---- */

struct retiring {
	struct dkt__live *live;
	struct dkt_event *const *events;
	size_t n;
	bool *found; /* by event: it has records */
	uint16_t *to; /* by ID: the new one; 0: the event stays */
	struct dkt_buf file;
	int next; /* ID; of both spools, so that a context can have the events of both */
};

/* Moves all records to the spool, and looks which events have any. */
static int look(struct retiring *r)
{
	struct dkt_record record;
	int err;

	while (!(err = dkt__live_next(&r->live->streams.base, &record)))
		for (size_t i = 0; record.event && i < r->n; i++)
			r->found[i] |= record.event == r->events[i];
	return DKT__MIN(err, 0);
}

/* Keeps what an earlier call has written, and finds the next ID. */
static int begin_file(struct retiring *r)
{
	char *text __cleanup(free) = NULL, *at;
	struct retired one;
	size_t len;
	int err = read_file(r->live->dir, &text, &len);

	r->next = MAX_ID - 1;
	if (err)
		return err;
	for (at = text; at && take_one(&at, text + len, &one);) {
		r->next = DKT__MIN(r->next, one.id - 1);
		dkt_buf_printf(&r->file, "%s:%s %d %zu\n", one.system, one.name, one.id, one.len);
		dkt__buf_add(&r->file, one.format, one.len);
		dkt_buf_str(&r->file, "\n");
	}
	return dkt_buf_error(&r->file);
}

static int add_event(struct retiring *r, struct dkt_event *event)
{
	char *text __cleanup(free) = NULL, *format __cleanup(free) = NULL;
	size_t len;
	int id = dkt_event_id(event), err = id < 0 ? id : dkt__event_text(event, &text, &len);

	if (err)
		return err;
	if (r->next < FIRST_ID)
		return dkt_fail(event->ctx, -ENOSPC,
				"keep the records of %s:%s: the log has those of %d removed events;"
				" dk prints them",
				event->system, event->name, RETIRED_MAX);
	if (dkt__format_renumber(text, r->next, &format))
		return dkt__no_memory(event->ctx);
	if (!format)
		return dkt_fail(event->ctx, -EINVAL, "the format of %s:%s has no ID", event->system,
				event->name);
	dkt_buf_printf(&r->file, "%s:%s %d %zu\n%s\n", event->system, event->name, r->next,
		       strlen(format), format);
	r->to[id] = (uint16_t)r->next--;
	return dkt_buf_error(&r->file) ? dkt__no_memory(event->ctx) : 0;
}

/* A process that is killed after this has given no record an ID without a format. */
static int write_file(struct retiring *r)
{
	const struct dkt_instance *in = r->live->in;
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(in->spool);
	char *path __cleanup(free) =
		dkt__format("%s%s/" RETIRED, in->spool, dkt__live_sub(r->live->flags));
	int err = path ? dkt__replace_file(path, r->file.data, r->file.len, false) : -ENOMEM;

	return err ? dkt_fail(in->ctx, err, "write %s: %s", path ?: RETIRED, strerror(-err)) : 0;
}

static void renumber_page(const struct retiring *r, uint8_t *bytes, uint32_t size)
{
	struct dkt__page page = { .size = size };
	struct dkt__page_record record;
	int err = dkt__page_load(&page, bytes, 0, &record);

	for (; !err; err = dkt__page_next(&page, &record)) {
		uint8_t *data = bytes + ((const uint8_t *)record.data - bytes);
		uint16_t type;

		if (record.size < sizeof(type))
			continue;
		memcpy(&type, data, sizeof(type));
		if (r->to[type])
			memcpy(data, &r->to[type], sizeof(type));
	}
}

static void renumber_all(const struct retiring *r)
{
	for (size_t i = 0; i < r->live->streams.n; i++) {
		struct dkt__spool *spool = &r->live->cpus[i].spool;
		const uint32_t n = dkt__spool_pages(spool);

		for (uint32_t page = dkt__spool_start(spool).page; page < n; page++)
			renumber_page(r, dkt__spool_page(spool, page), spool->page_size);
	}
}

static int retire(struct retiring *r)
{
	int err = look(r);
	bool any = false;

	for (size_t i = 0; i < r->n; i++)
		any |= r->found[i];
	if (err || !any)
		return err;
	r->live->retired = true;
	for (size_t i = 0; !err && i < r->n; i++)
		if (r->found[i])
			err = add_event(r, r->events[i]);
	if (!err)
		err = write_file(r);
	if (!err)
		renumber_all(r);
	return err;
}

static int retiring_open(struct retiring *r, struct dkt_instance *in,
			 const struct dkt_live_opts *opts)
{
	int err;

	r->found = calloc(r->n + 1, sizeof(*r->found));
	r->to = calloc(MAX_ID, sizeof(*r->to));
	if (!r->found || !r->to)
		return dkt__no_memory(in->ctx);
	err = dkt__live_open(in, opts, &r->live);
	return err ? err : begin_file(r);
}

static void dkt__retiring_closep(struct retiring *r)
{
	dkt__live_free(r->live);
	free(r->file.data);
	free(r->found);
	free(r->to);
}

/* The snapshot is emptied with the buffers, and has its own spool. */
static int open_snapshot(struct retiring *r, struct dkt_instance *in)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_KEEP | DKT_LIVE_SNAPSHOT);
	bool any;
	int err = dkt__snapshot_any(in, &any);

	if (!err && any)
		err = retiring_open(r, in, &opts);
	return err || !any ? err : dkt__snapshot_fetch(r->live);
}

int dkt__instance_retire_events(struct dkt_instance *in, struct dkt_event *const *events, size_t n)
{
	dkt__needs(in ? in->ctx : NULL, in && (events || !n));

	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_KEEP);
	struct retiring log __cleanup(retiring_close) = { .events = events, .n = n };
	struct retiring snapshot __cleanup(retiring_close) = log;
	int err = dkt_instance_get_now(in, &opts.until);

	/* The events are disabled, so that the end of the buffers comes without a bound, too. */
	if (err == -EOPNOTSUPP)
		err = 0;
	if (!err)
		err = retiring_open(&log, in, &opts);
	if (!err)
		err = open_snapshot(&snapshot, in);
	/* No ID is in both spools, so that one context can have the events of both. */
	if (!err && snapshot.live)
		log.next = DKT__MIN(log.next, snapshot.next);
	if (!err)
		err = retire(&log);
	if (err || !snapshot.live)
		return err;
	snapshot.next = log.next;
	return retire(&snapshot);
}
