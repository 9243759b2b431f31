/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event catalogue: reads the names at once, and an event's ID when it is first needed. */
#include <fcntl.h>

#include "event.h"
#include "tracefs.h"

/* The kernel's own events (ftrace:print ...): in records, but not to be enabled. */
#define FTRACE_SYSTEM "ftrace"

struct dkt__events {
	char *names; /* text of available_events, cut into words */
	char **own; /* names in events/ftrace */
	size_t n_own;
	struct dkt_event *events;
	struct dkt_event **list; /* events that can be enabled, sorted */
	size_t n; /* of list */
	size_t n_all; /* of events: list, then the kernel's own */
	struct dkt_event **likely; /* looked at before the others */
	size_t n_likely, next_likely;
	size_t next_id; /* how many numbers have been read after those */
	struct dkt_event *by_id[MAX_ID];
};

static void events_free(void *data)
{
	struct dkt_ctx *ctx = data;
	struct dkt__events *events = ctx->events;

	ctx->events = NULL;
	if (!events)
		return;
	for (size_t i = 0; i < events->n_all; i++)
		dkt__event_clear(&events->events[i]);
	for (size_t i = 0; i < MAX_ID; i++)
		if (events->by_id[i] && events->by_id[i]->index >= events->n_all) {
			free((char *)events->by_id[i]->name);
			dkt__event_clear(events->by_id[i]);
			free(events->by_id[i]);
		}
	dkt__names_free(events->own, events->n_own);
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

static struct dkt__events *events_new(struct dkt_ctx *ctx)
{
	events_free(ctx);
	if (!dkt__ctx_at_end(ctx, events_free, ctx))
		ctx->events = calloc(1, sizeof(*ctx->events));
	return ctx->events;
}

static int event_cmp(const void *a, const void *b)
{
	const struct dkt_event *x = a, *y = b;
	int d = strcmp(x->system, y->system);

	return d ? d : strcmp(x->name, y->name);
}

/* Cuts "system:name\n" lines; returns how many there are. */
static size_t cut_names(char *text, struct dkt_event *events)
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

/* The events are sorted: what they are to be found by. */
static void events_place(struct dkt_ctx *ctx)
{
	struct dkt__events *all = ctx->events;

	for (size_t i = 0; i < all->n_all; i++) {
		all->events[i].ctx = ctx;
		all->events[i].index = i;
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
	all = events_new(ctx);
	if (!all)
		return dkt__no_memory(ctx);
	err = dkt__tfs_read(ctx, &all->names, NULL, "available_events");
	/* A saved tree need not have the kernel's own events. */
	if (!err && dkt__tfs_exists(ctx, "events/" FTRACE_SYSTEM))
		err = dkt__tfs_list(ctx, &all->own, &all->n_own, "events/" FTRACE_SYSTEM);
	if (err)
		goto fail;
	room = count_lines(all->names) + all->n_own;
	all->events = calloc(room, sizeof(*all->events));
	all->list = calloc(room, sizeof(struct dkt_event *));
	if (!all->events || !all->list) {
		err = dkt__no_memory(ctx);
		goto fail;
	}
	all->n = cut_names(all->names, all->events);
	qsort(all->events, all->n, sizeof(*all->events), event_cmp);
	all->n_all = all->n;
	for (size_t i = 0; i < all->n_own; i++) {
		/* events/ftrace holds its own control files among the events. */
		if (!dkt__tfs_exists(ctx, "events/" FTRACE_SYSTEM "/%s/format", all->own[i]))
			continue;
		all->events[all->n_all].system = FTRACE_SYSTEM;
		all->events[all->n_all].name = all->own[i];
		all->n_all++;
	}
	events_place(ctx);
	return 0;
fail:
	events_free(ctx);
	return dkt_fail_in(ctx, err, "list events");
}

/* ---- a file's events ---- */

/* The word after a label at a line's start; NULL: the line is another one. */
static const char *label(const char *line, const char *end, const char *name, size_t *len)
{
	size_t n = strlen(name), size = (size_t)(end - line);
	const char *stop;

	if (size < n || memcmp(line, name, n))
		return NULL;
	line += n;
	stop = memchr(line, '\n', (size_t)(end - line));
	if (!stop)
		stop = end;
	while (line < stop && *line == ' ')
		line++;
	*len = (size_t)(stop - line);
	return line;
}

/* The beginning of a format: "name: sched_switch\nID: 316\n". */
static bool given_head(const struct dkt__given *given, const char **name, size_t *len, int *id)
{
	const char *end = given->text + given->len, *p;
	size_t n, i;

	*name = label(given->text, end, "name:", len);
	if (!*name || !*len)
		return false;
	p = *name + *len < end ? label(*name + *len + 1, end, "ID:", &n) : NULL;
	for (*id = 0, i = 0; p && i < n && p[i] >= '0' && p[i] <= '9' && *id < MAX_ID; i++)
		*id = *id * 10 + (p[i] - '0');
	return *id > 0 && *id < MAX_ID;
}

static int given_fill(struct dkt_ctx *ctx, const struct dkt__given *list, size_t n)
{
	struct dkt__events *all = ctx->events;
	size_t len;

	for (size_t i = 0; i < n; i++) {
		struct dkt_event *event = &all->events[all->n_all];
		const char *name;

		/* An event whose format has no header has no records. */
		if (!given_head(&list[i], &name, &len, &event->id))
			continue;
		event->name = dkt__ctx_strndup(ctx, name, len);
		if (!event->name)
			return dkt__no_memory(ctx);
		event->system = list[i].system;
		event->format = list[i].text;
		event->format_len = list[i].len;
		all->n_all++;
		all->n += strcmp(event->system, FTRACE_SYSTEM) != 0;
	}
	return 0;
}

static int given_cmp(const void *a, const void *b)
{
	const struct dkt_event *x = a, *y = b;
	bool own_x = !strcmp(x->system, FTRACE_SYSTEM), own_y = !strcmp(y->system, FTRACE_SYSTEM);

	return own_x != own_y ? own_x - own_y : event_cmp(a, b);
}

int dkt__events_given(struct dkt_ctx *ctx, const struct dkt__given *list, size_t n)
{
	struct dkt__events *all = events_new(ctx);
	int err;

	if (!all)
		return dkt__no_memory(ctx);
	ctx->given = true;
	all->events = calloc(n + 1, sizeof(*all->events));
	all->list = calloc(n + 1, sizeof(struct dkt_event *));
	err = all->events && all->list ? given_fill(ctx, list, n) : dkt__no_memory(ctx);
	if (err)
		return err;
	qsort(all->events, all->n_all, sizeof(*all->events), given_cmp);
	events_place(ctx);
	/* If two events have the same ID, either will do: take the first. */
	for (size_t i = all->n_all; i--;)
		all->by_id[all->events[i].id] = &all->events[i];
	/* No number remains to be read. */
	all->next_id = all->n_all;
	return 0;
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

struct dkt_event *dkt_event_find(struct dkt_ctx *ctx, const char *system, const char *name)
{
	if (!ctx || !system || !name)
		return NULL;

	struct dkt_event key = { .system = system, .name = name };
	struct dkt_event *event;

	if (events_load(ctx))
		return NULL;
	event = bsearch(&key, ctx->events->events, ctx->events->n, sizeof(key), event_cmp);
	for (size_t i = ctx->events->n; !event && i < ctx->events->n_all; i++)
		if (!event_cmp(&key, &ctx->events->events[i]))
			event = &ctx->events->events[i];
	if (!event)
		event = find_defined(ctx, system, name);
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

size_t dkt_event_index(const struct dkt_event *event)
{
	if (!event)
		return 0;

	return event->index;
}

/* ---- numbers ---- */

/* A guess is good if the format, which is needed anyway, has the number too. */
static struct dkt_event *known(struct dkt__events *all, int id)
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
	if (event->guess && known(ctx->events, event->guess))
		return event->id;
	err = dkt__tfs_read_u64(ctx, &id, "events/%s/%s/id", event->system, event->name);
	/* A saved tree may have formats only; they say the number too. */
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

/* An event that left the kernel with its module, or came after the catalogue was read. */
static struct dkt_event *event_unknown(struct dkt_ctx *ctx, int id)
{
	struct dkt_event *event = calloc(1, sizeof(*event));
	char *name = NULL;

	if (!event || asprintf(&name, "id_%d", id) < 0) {
		free(event);
		return NULL;
	}
	event->ctx = ctx;
	event->system = "unknown";
	event->name = name;
	event->index = ctx->events->n_all;
	event->id = id;
	event->load_err = -ENOENT;
	ctx->events->by_id[id] = event;
	return event;
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

struct dkt_event *dkt_event_by_id(struct dkt_ctx *ctx, int id)
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
	while (!known(all, id) && all->next_likely < all->n_likely)
		dkt_event_id(all->likely[all->next_likely++]);
	/* The kernel's own events first: they are few, and markers are among them. */
	while (!all->by_id[id] && all->next_id < all->n_all)
		dkt_event_id(&all->events[(all->n + all->next_id++) % all->n_all]);
	return all->by_id[id] ? all->by_id[id] : event_unknown(ctx, id);
}

/* ---- events that no kernel has ---- */

static void free_one(struct dkt_event *event)
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
		free_one(event);
	}
}

int dkt_event_define(struct dkt_ctx *ctx, const char *system, const char *name, const char *format,
		     struct dkt_event **out)
{
	dkt__needs(ctx, dkt__clear(out) && ctx && system && name && format);

	struct dkt_event *event = find_defined(ctx, system, name);
	int err;

	*out = event;
	if (event)
		return 0;
	event = calloc(1, sizeof(*event));
	if (!event)
		return dkt__no_memory(ctx);
	*event = (struct dkt_event){ .ctx = ctx, .index = ctx->events ? ctx->events->n_all : 0 };
	event->system = strdup(system);
	event->name = strdup(name);
	event->format_len = strlen(format);
	event->format = dkt__ctx_strndup(ctx, format, event->format_len);
	err = event->system && event->name && event->format ? 0 : dkt__no_memory(ctx);
	if (!err)
		err = dkt__ctx_at_end(ctx, free_defined, ctx);
	if (!err)
		err = dkt__event_take_format(event, format, event->format_len);
	if (err) {
		free_one(event);
		return err;
	}
	event->id = event->tep->id;
	event->next = ctx->defined;
	ctx->defined = event;
	*out = event;
	return 0;
}

/* ---- misspelt names ---- */

void dkt__guess_events(struct dkt__guess *guess, struct dkt_ctx *ctx)
{
	struct dkt_event *const *all;
	size_t n;

	if (dkt_events(ctx, &all, &n))
		return;
	for (size_t i = 0; i < n; i++)
		dkt__guess_member(guess, all[i]->system, all[i]->name);
}

void dkt__guess_fields(struct dkt__guess *guess, struct dkt_event *const *events, size_t n)
{
	struct dkt__guess_votes votes = { .guess = guess };
	const struct dkt_field *const *fields;
	size_t n_fields;

	for (size_t i = 0; i < n; i++) {
		if (dkt_event_fields(events[i], &fields, &n_fields))
			continue;
		for (size_t j = 0; j < n_fields; j++)
			dkt__guess_vote(&votes, fields[j]->name);
	}
	dkt__guess_elect(&votes);
}

int dkt__no_event(struct dkt_ctx *ctx, const char *system, const char *name)
{
	struct dkt__guess guess;
	char word[sizeof(guess.word)];
	int n = snprintf(word, sizeof(word), "%s:%s", system, name);

	dkt__guess_start(&guess, word, n > 0 ? (size_t)n : 0);
	dkt__guess_events(&guess, ctx);
	return dkt_fail(ctx, -ENOENT, "there is no event %s:%s%s", system, name,
			dkt__guess_words(&guess));
}
