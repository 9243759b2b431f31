/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event catalogue: reads the names at once, and an event's ID when it is first needed. */
#include <fcntl.h>

#include "lib/event/catalogue.h"
#include "lib/tracefs.h"

/* Events without a format share it, as nothing can be stored for them. */
#define UNKNOWN_SLOT 1

/* Those that callers define have the odd numbers before. */
#define RETIRED_SLOT 1001

static void events_free(void *data)
{
	struct dkt_ctx *ctx = data;
	struct dkt__events *events = ctx->events;

	ctx->events = NULL;
	if (!events)
		return;
	for (size_t i = 0; i < events->n_all; i++)
		dkt__event_clear(&events->events[i]);
	while (events->unknown) {
		struct dkt_event *event = events->unknown;

		events->unknown = event->next;
		free((char *)event->name);
		dkt__event_clear(event);
		free(event);
	}
	dkt__strings_clear(&events->own);
	free(events->events);
	free(events->list);
	free(events->likely);
	free(events->names);
	free(events);
}

void dkt__events_free(struct dkt_ctx *ctx)
{
	events_free(ctx);
}

struct dkt__events *dkt__events_new(struct dkt_ctx *ctx)
{
	events_free(ctx);
	if (!dkt__ctx_at_end(ctx, events_free, ctx))
		ctx->events = calloc(1, sizeof(*ctx->events));
	return ctx->events;
}

int dkt__event_cmp(const void *a, const void *b)
{
	const struct dkt_event *x = a, *y = b;
	int d = strcmp(x->system, y->system);

	return d ? d : strcmp(x->name, y->name);
}

/* Splits "system:name\n" lines into events; returns their number. */
static size_t split_names(char *text, struct dkt_event *events)
{
	char *colon, *save = NULL;
	size_t n = 0;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon = '\0';
		events[n].system = line;
		events[n].name = colon + 1;
		n++;
	}
	return n;
}

static size_t count_lines(const char *text)
{
	size_t n = 1;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

void dkt__events_place(struct dkt_ctx *ctx)
{
	struct dkt__events *all = ctx->events;

	for (size_t i = 0; i < all->n_all; i++) {
		all->events[i].ctx = ctx;
		all->events[i].slot = 2 * i;
		if (i < all->n)
			all->list[i] = &all->events[i];
	}
}

static int events_load(struct dkt_ctx *ctx)
{
	struct dkt__events *all;
	size_t room;
	int err;

	if (ctx->events)
		return 0;
	all = dkt__events_new(ctx);
	if (!all)
		return dkt__no_memory(ctx);
	err = dkt__tfs_read(ctx, &all->names, NULL, "available_events");
	/* A saved tree need not have the kernel's own events. */
	if (!err && dkt__tfs_exists(ctx, "events/" FTRACE_SYSTEM))
		err = dkt__tfs_list(ctx, &all->own, "events/" FTRACE_SYSTEM);
	if (err)
		goto fail;
	room = count_lines(all->names) + all->own.n;
	all->events = calloc(room, sizeof(*all->events));
	all->list = calloc(room, sizeof(struct dkt_event *));
	if (!all->events || !all->list) {
		err = dkt__no_memory(ctx);
		goto fail;
	}
	all->n = split_names(all->names, all->events);
	qsort(all->events, all->n, sizeof(*all->events), dkt__event_cmp);
	all->n_all = all->n;
	for (size_t i = 0; i < all->own.n; i++) {
		/* events/ftrace holds its own control files among the events. */
		if (!dkt__tfs_exists(ctx, "events/" FTRACE_SYSTEM "/%s/format", all->own.list[i]))
			continue;
		all->events[all->n_all].system = FTRACE_SYSTEM;
		all->events[all->n_all].name = all->own.list[i];
		all->n_all++;
	}
	dkt__events_place(ctx);
	return 0;
fail:
	events_free(ctx);
	return dkt__fail_in(ctx, err, "list events");
}

int dkt_events(struct dkt_ctx *ctx, struct dkt_event *const **events, size_t *n)
{
	dkt__needs(ctx, dkt__clear(events) && dkt__clear(n) && ctx);

	int err = events_load(ctx);

	*events = err ? NULL : ctx->events->list;
	*n = err ? 0 : ctx->events->n;
	return err;
}

static struct dkt_event *find_defined(struct dkt_ctx *ctx, const char *system, const char *name)
{
	struct dkt_event *event = ctx->defined;

	while (event && (strcmp(event->system, system) || strcmp(event->name, name)))
		event = event->next;
	return event;
}

static struct dkt_event *find_retired(struct dkt_ctx *ctx, const char *system, const char *name)
{
	struct dkt_event *event = ctx->events->unknown;

	while (event && (strcmp(event->system, system) || strcmp(event->name, name)))
		event = event->next;
	return event;
}

struct dkt_event *dkt_event_find(struct dkt_ctx *ctx, const char *system, const char *name)
{
	if (!ctx || !system || !name)
		return NULL;

	struct dkt_event key = { .system = system, .name = name };
	struct dkt_event *event;

	if (events_load(ctx))
		return NULL;
	event = bsearch(&key, ctx->events->events, ctx->events->n, sizeof(key), dkt__event_cmp);
	for (size_t i = ctx->events->n; !event && i < ctx->events->n_all; i++)
		if (!dkt__event_cmp(&key, &ctx->events->events[i]))
			event = &ctx->events->events[i];
	if (!event)
		event = find_defined(ctx, system, name);
	if (!event)
		event = find_retired(ctx, system, name);
	if (!event)
		dkt_fail(ctx, -ENOENT, "there is no event %s:%s", system, name);
	return event;
}

const char *dkt_event_system(const struct dkt_event *event)
{
	if (!event)
		return NULL;

	return event->system;
}

const char *dkt_event_name(const struct dkt_event *event)
{
	if (!event)
		return NULL;

	return event->name;
}

size_t dkt__event_index(const struct dkt_event *event)
{
	if (!event)
		return 0;

	return event->slot % 2 ? SIZE_MAX : event->slot / 2;
}

const char *dkt__event_machine(const struct dkt_event *event)
{
	return event->ctx->machine;
}

/* ---- IDs ---- */

/* Returns the event with the ID. A guess counts if the format, which is needed anyway, confirms it. */
static struct dkt_event *confirm(struct dkt__events *all, int id)
{
	struct dkt_event *event = all->by_id[id];

	if (!event || !event->guess)
		return event;
	event->guess = 0;
	all->by_id[id] = NULL;
	if (!dkt__event_load(event) && event->tep->id == id) {
		event->id = id;
		all->by_id[id] = event;
	}
	return all->by_id[id];
}

int dkt_event_id(struct dkt_event *event)
{
	dkt__needs(NULL, event);

	struct dkt_ctx *ctx = event->ctx;
	uint64_t id;
	int err;

	if (event->id)
		return event->id;
	if (event->guess && confirm(ctx->events, event->guess))
		return event->id;
	err = dkt__tfs_read_u64(ctx, &id, "events/%s/%s/id", event->system, event->name);
	/* A saved tree may have only the format, which also has the ID. */
	if (err) {
		err = dkt__event_load(event);
		id = err ? 0 : (uint64_t)event->tep->id;
	}
	if (err)
		return err;
	if (!id || id >= MAX_ID)
		return dkt_fail(ctx, -ERANGE, "event %s:%s has the invalid ID %llu", event->system,
				event->name, (unsigned long long)id);
	event->id = (int)id;
	ctx->events->by_id[id] = event;
	return event->id;
}

/*
 * Creates an event for an ID of which only records are known: its module has been unloaded, or it was
 * added after the catalogue was read.
 */
static struct dkt_event *add_unknown(struct dkt_ctx *ctx, int id)
{
	struct dkt_event *event = calloc(1, sizeof(*event));
	char *name = event ? dkt__format("id_%d", id) : NULL;

	if (!name) {
		free(event);
		return NULL;
	}
	event->ctx = ctx;
	event->system = "unknown";
	event->name = name;
	event->slot = UNKNOWN_SLOT;
	event->id = id;
	event->load_err = -ENOENT;
	event->next = ctx->events->unknown;
	ctx->events->unknown = event;
	ctx->events->by_id[id] = event;
	return event;
}

/* One allocation has all texts of the event, which events_free() frees by the name. */
static bool copy_texts(struct dkt_event *event, const char *system, const char *name,
		       const char *format, size_t len)
{
	const size_t n_name = strlen(name) + 1, n_system = strlen(system) + 1;
	char *text = calloc(1, n_name + n_system + len + 1);

	if (!text)
		return false;
	memcpy(text, name, n_name);
	memcpy(text + n_name, system, n_system);
	memcpy(text + n_name + n_system, format, len);
	event->name = text;
	event->system = text + n_name;
	event->format = text + n_name + n_system;
	event->format_len = len;
	return true;
}

int dkt__event_retired(struct dkt_ctx *ctx, const char *system, const char *name, int id,
		       const char *format, size_t len)
{
	struct dkt_event *event;
	int err = events_load(ctx);

	if (err || ctx->events->by_id[id])
		return err;
	event = calloc(1, sizeof(*event));
	if (!event || !copy_texts(event, system, name, format, len)) {
		free(event);
		return dkt__no_memory(ctx);
	}
	event->ctx = ctx;
	event->slot = RETIRED_SLOT + 2 * (size_t)(MAX_ID - 1 - id);
	event->id = id;
	event->next = ctx->events->unknown;
	ctx->events->unknown = event;
	ctx->events->by_id[id] = event;
	return 0;
}

void dkt__events_likely(struct dkt_ctx *ctx, struct dkt_event **events, size_t n)
{
	if (events_load(ctx)) {
		free(events);
		return;
	}
	free(ctx->events->likely);
	ctx->events->likely = events;
	ctx->events->n_likely = n;
	ctx->events->next_likely = 0;
}

void dkt__event_guess(struct dkt_event *event, int id)
{
	struct dkt_event **by_id = event->ctx->events->by_id;

	if (id <= 0 || id >= MAX_ID || by_id[id] || event->id)
		return;
	by_id[id] = event;
	event->guess = id;
}

struct dkt_event **dkt__event_table(struct dkt_ctx *ctx)
{
	return ctx->events ? ctx->events->by_id : NULL;
}

struct dkt_event *dkt__event_known(struct dkt_ctx *ctx, int id)
{
	struct dkt_event *event = ctx->events ? ctx->events->by_id[id] : NULL;

	return event && !event->load_err ? event : NULL;
}

struct dkt_event *dkt__event_by_id(struct dkt_ctx *ctx, int id)
{
	if (!ctx)
		return NULL;

	struct dkt__events *all = ctx->events;

	if (id <= 0 || id >= MAX_ID) {
		dkt_fail(ctx, -EINVAL, "%d cannot be the ID of an event", id);
		return NULL;
	}
	if (!all && events_load(ctx))
		return NULL;
	all = ctx->events;
	if (dkt__likely(all->by_id[id] && !all->by_id[id]->guess))
		return all->by_id[id];
	while (!confirm(all, id) && all->next_likely < all->n_likely)
		dkt_event_id(all->likely[all->next_likely++]);
	/* The kernel's own events first: they are few, and markers are among them. */
	while (!all->by_id[id] && all->next_id < all->n_all)
		dkt_event_id(&all->events[(all->n + all->next_id++) % all->n_all]);
	return all->by_id[id] ? all->by_id[id] : add_unknown(ctx, id);
}

/* ---- events defined by callers ---- */

static void free_event(struct dkt_event *event)
{
	free((char *)event->name);
	free((char *)event->system);
	dkt__event_clear(event);
	free(event);
}

static void free_defined(void *data)
{
	struct dkt_ctx *ctx = data;
	struct dkt_event *event;

	while ((event = ctx->defined)) {
		ctx->defined = event->next;
		/* One that a source added late. Others may have any number. */
		if (ctx->events && (unsigned int)event->id < MAX_ID &&
		    ctx->events->by_id[event->id] == event)
			ctx->events->by_id[event->id] = NULL;
		free_event(event);
	}
}

int dkt__event_add(struct dkt_ctx *ctx, const char *system, const char *name, const char *format,
		   size_t len, struct dkt_event **out)
{
	struct dkt_event *event = calloc(1, sizeof(*event));
	int err;

	if (!event)
		return dkt__no_memory(ctx);
	event->ctx = ctx;
	event->slot = (ctx->defined ? ctx->defined->slot : UNKNOWN_SLOT) + 2;
	event->system = strdup(system);
	event->name = strdup(name);
	event->format_len = len;
	event->format = dkt__ctx_strndup(ctx, format, len);
	err = event->system && event->name && event->format ? 0 : dkt__no_memory(ctx);
	if (!err)
		err = dkt__ctx_at_end(ctx, free_defined, ctx);
	if (!err)
		err = dkt__event_take_format(event, format, len);
	if (err) {
		free_event(event);
		return err;
	}
	event->id = event->tep->id;
	event->next = ctx->defined;
	ctx->defined = event;
	*out = event;
	return 0;
}

int dkt__event_define(struct dkt_ctx *ctx, const char *system, const char *name, const char *format,
		      struct dkt_event **out)
{
	dkt__needs(ctx, dkt__clear(out) && ctx && system && name && format);

	*out = find_defined(ctx, system, name);
	return *out ? 0 : dkt__event_add(ctx, system, name, format, strlen(format), out);
}
