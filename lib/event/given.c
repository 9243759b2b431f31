/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds the event catalogue from the formats in a file. */
#include "lib/event/catalogue.h"

/* Returns the value after a label at the beginning of a line; NULL: it has another label. */
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

/* Reads the beginning of a format: "name: sched_switch\nID: 316\n". */
static bool read_head(const struct dkt__given *given, const char **name, size_t *len, int *id)
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

int dkt__format_renumber(const char *text, int id, char **out)
{
	const char *line = strstr(text, "\nID: ");
	const char *rest = line ? strchr(line + 1, '\n') : NULL;

	*out = rest ? dkt__format("%.*s\nID: %d%s", (int)(line - text), text, id, rest) : NULL;
	return rest && !*out ? -ENOMEM : 0;
}

int dkt__given_add(struct dkt_ctx *ctx, struct dkt__given **list, size_t *n, const char *system,
		   const char *text, size_t len)
{
	char *copy = dkt__ctx_strndup(ctx, text, len);
	char *name = dkt__ctx_strndup(ctx, system, strlen(system));

	if (!copy || !name)
		return -ENOMEM;
	return dkt__append(*list, *n,
			   (struct dkt__given){ .system = name, .text = copy, .len = len });
}

static int add_events(struct dkt_ctx *ctx, const struct dkt__given *list, size_t n)
{
	struct dkt__events *all = ctx->events;
	size_t len;

	for (size_t i = 0; i < n; i++) {
		struct dkt_event *event = &all->events[all->n_all];
		const char *name;

		/* An event whose format has no header has no records. */
		if (!read_head(&list[i], &name, &len, &event->id))
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

static int compare(const void *a, const void *b)
{
	const struct dkt_event *x = a, *y = b;
	bool own_x = !strcmp(x->system, FTRACE_SYSTEM), own_y = !strcmp(y->system, FTRACE_SYSTEM);

	return own_x != own_y ? own_x - own_y : dkt__event_cmp(a, b);
}

int dkt__events_given(struct dkt_ctx *ctx, const struct dkt__given *list, size_t n)
{
	struct dkt__events *all = dkt__events_new(ctx);
	int err;

	if (!all)
		return dkt__no_memory(ctx);
	ctx->given = true;
	all->events = calloc(n + 1, sizeof(*all->events));
	all->list = calloc(n + 1, sizeof(struct dkt_event *));
	err = all->events && all->list ? add_events(ctx, list, n) : dkt__no_memory(ctx);
	if (err)
		return err;
	qsort(all->events, all->n_all, sizeof(*all->events), compare);
	dkt__events_place(ctx);
	/* If two events have the same ID, either will do: take the first. */
	for (size_t i = all->n_all; i--;)
		all->by_id[all->events[i].id] = &all->events[i];
	/* All IDs are known. */
	all->next_id = all->n_all;
	return 0;
}

/* Adds an event whose ID has no format yet. */
static int add_late(struct dkt_ctx *ctx, const struct dkt__given *given)
{
	char *copy __cleanup(free) = NULL;
	struct dkt_event *event, **known;
	const char *name;
	size_t len;
	int id, err;

	if (!read_head(given, &name, &len, &id))
		return 0;
	known = &ctx->events->by_id[id];
	if (*known && (*known)->format)
		return 0;
	copy = strndup(name, len);
	if (!copy)
		return dkt__no_memory(ctx);
	err = dkt__event_add(ctx, given->system, copy, given->text, given->len, &event);
	if (!err)
		*known = event;
	return err == -ENOMEM ? err : 0;
}

int dkt__events_given_more(struct dkt_ctx *ctx, const struct dkt__given *list, size_t n)
{
	int err = 0;

	for (size_t i = 0; !err && i < n; i++)
		err = add_late(ctx, &list[i]);
	return err;
}
