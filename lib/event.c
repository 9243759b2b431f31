/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event catalogue: names at once, numbers and formats when they are first asked for. */
#include <fcntl.h>

#include "event.h"
#include "tracefs.h"

#include "banned.h"

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
	bool strings; /* printk_formats has been read */
};

static void event_clear(struct dkt_event *event)
{
	dkt__plan_free(event->plan);
	free(event->print);
	free(event->fields);
}

void dkt__events_free(struct dkt__events *events)
{
	size_t i;

	if (!events)
		return;
	for (i = 0; i < events->n_all; i++)
		event_clear(&events->events[i]);
	for (i = 0; i < MAX_ID; i++)
		if (events->by_id[i] && events->by_id[i]->index >= events->n_all) {
			free((char *)events->by_id[i]->name);
			event_clear(events->by_id[i]);
			free(events->by_id[i]);
		}
	dkt__names_free(events->own, events->n_own);
	free(events->events);
	free(events->list);
	free(events->likely);
	free(events->names);
	free(events);
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
	char *line, *colon, *save = NULL;
	size_t n = 0;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
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

static int events_load(struct dkt_ctx *ctx)
{
	struct dkt__events *all;
	size_t i, room;
	int err;

	if (ctx->events)
		return 0;
	all = calloc(1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	ctx->events = all;
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
		err = -ENOMEM;
		goto fail;
	}
	all->n = cut_names(all->names, all->events);
	qsort(all->events, all->n, sizeof(*all->events), event_cmp);
	all->n_all = all->n;
	for (i = 0; i < all->n_own; i++) {
		/* events/ftrace holds its own control files among the events. */
		if (!dkt__tfs_exists(ctx, "events/" FTRACE_SYSTEM "/%s/format", all->own[i]))
			continue;
		all->events[all->n_all].system = FTRACE_SYSTEM;
		all->events[all->n_all].name = all->own[i];
		all->n_all++;
	}
	for (i = 0; i < all->n_all; i++) {
		all->events[i].ctx = ctx;
		all->events[i].index = i;
		if (i < all->n)
			all->list[i] = &all->events[i];
	}
	return 0;
fail:
	dkt__events_free(all);
	ctx->events = NULL;
	return dkt_fail_in(ctx, err, "list events");
}

int dkt_events(struct dkt_ctx *ctx, struct dkt_event *const **events, size_t *n)
{
	int err = events_load(ctx);

	*events = err ? NULL : ctx->events->list;
	*n = err ? 0 : ctx->events->n;
	return err;
}

struct dkt_event *dkt_event_find(struct dkt_ctx *ctx, const char *system, const char *name)
{
	struct dkt_event key = { .system = system, .name = name };
	struct dkt_event *event;
	size_t i;

	if (events_load(ctx))
		return NULL;
	event = bsearch(&key, ctx->events->events, ctx->events->n, sizeof(key), event_cmp);
	for (i = ctx->events->n; !event && i < ctx->events->n_all; i++)
		if (!event_cmp(&key, &ctx->events->events[i]))
			event = &ctx->events->events[i];
	return event;
}

const char *dkt_event_system(const struct dkt_event *event)
{
	return event->system;
}

const char *dkt_event_name(const struct dkt_event *event)
{
	return event->name;
}

size_t dkt_event_index(const struct dkt_event *event)
{
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
		return dkt_fail(ctx, -ERANGE, "event %s:%s has number %llu", event->system,
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

struct dkt_event *dkt__event_known(struct dkt_ctx *ctx, int id)
{
	struct dkt_event *event = ctx->events ? ctx->events->by_id[id] : NULL;

	return event && !event->load_err ? event : NULL;
}

struct dkt_event *dkt_event_by_id(struct dkt_ctx *ctx, int id)
{
	struct dkt__events *all = ctx->events;

	if (id <= 0 || id >= MAX_ID || (!all && events_load(ctx)))
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

/* ---- formats ---- */

/* Kernel strings that records point at, for "%s" of a pointer. */
static void load_strings(struct dkt_ctx *ctx)
{
	char *text __cleanup(free) = NULL;

	if (ctx->events->strings)
		return;
	ctx->events->strings = true;
	if (!dkt__tfs_read(ctx, &text, NULL, "printk_formats"))
		tep_parse_printk_formats(ctx->tep, text);
}

static char *resolve_symbol(void *priv, unsigned long long *addr, char **module)
{
	uint64_t offset = 0;
	const char *name = dkt_symbol(priv, *addr, &offset);

	(void)module;
	*addr -= offset;
	return (char *)name;
}

struct tep_handle *dkt__tep(struct dkt_ctx *ctx)
{
	char *page __cleanup(free) = NULL;
	size_t len;

	if (ctx->tep)
		return ctx->tep;
	ctx->tep = tep_alloc();
	if (!ctx->tep)
		return NULL;
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(ctx->tep, sizeof(long));
	tep_set_page_size(ctx->tep, (int)sysconf(_SC_PAGESIZE));
	tep_set_function_resolver(ctx->tep, resolve_symbol, ctx);
	if (!dkt__tfs_read(ctx, &page, &len, "events/header_page"))
		tep_parse_header_page(ctx->tep, page, len, sizeof(long));
	return ctx->tep;
}

static unsigned int field_flags(const struct tep_format_field *field, bool common)
{
	unsigned int flags = common ? DKT_FIELD_COMMON : 0;

	if (field->flags & TEP_FIELD_IS_SIGNED)
		flags |= DKT_FIELD_SIGNED;
	if (field->flags & TEP_FIELD_IS_STRING)
		flags |= DKT_FIELD_STRING;
	if (field->flags & TEP_FIELD_IS_DYNAMIC)
		flags |= DKT_FIELD_DYNAMIC;
	if (field->flags & TEP_FIELD_IS_RELATIVE)
		flags |= DKT_FIELD_RELATIVE;
	if (field->flags & TEP_FIELD_IS_ARRAY)
		flags |= DKT_FIELD_ARRAY;
	if (field->flags & TEP_FIELD_IS_POINTER)
		flags |= DKT_FIELD_POINTER;
	return flags;
}

static void add_fields(struct dkt_event *event, const struct tep_format_field *field, bool common)
{
	for (; field; field = field->next) {
		struct dkt_field *to = &event->fields[event->n_fields++];

		to->name = field->name;
		to->type = field->type;
		to->offset = (uint32_t)field->offset;
		to->size = (uint32_t)field->size;
		to->element = field->elementsize ? field->elementsize : (uint32_t)field->size;
		to->flags = field_flags(field, common);
	}
}

#define PRINT_WORD "print fmt:"

static int event_take_format(struct dkt_event *event, const char *text, size_t len)
{
	struct tep_handle *tep = dkt__tep(event->ctx);
	const char *print;
	int n;

	if (!tep)
		return -ENOMEM;
	/* A print format that cannot be parsed still leaves the fields; printing copes. */
	tep_parse_event(tep, text, len, event->system);
	event->tep = tep_find_event_by_name(tep, event->system, event->name);
	if (!event->tep)
		return dkt_fail(event->ctx, -EINVAL, "parse format of event %s:%s", event->system,
				event->name);
	print = strstr(text, "\n" PRINT_WORD);
	event->print = print ? strdup(print + 1 + strlen(PRINT_WORD)) : NULL;
	n = event->tep->format.nr_common + event->tep->format.nr_fields;
	event->fields = calloc((size_t)n + 1, sizeof(*event->fields));
	if (!event->fields)
		return -ENOMEM;
	add_fields(event, event->tep->format.common_fields, true);
	add_fields(event, event->tep->format.fields, false);
	return 0;
}

static int event_parse(struct dkt_event *event)
{
	char *text __cleanup(free) = NULL;
	size_t len;
	int err = dkt__tfs_read(event->ctx, &text, &len, "events/%s/%s/format", event->system,
				event->name);

	if (err)
		return err;
	if (!dkt__tep(event->ctx))
		return -ENOMEM;
	load_strings(event->ctx);
	return event_take_format(event, text, len);
}

int dkt__event_load(struct dkt_event *event)
{
	if (event->tep || event->fields)
		return 0;
	if (!event->load_err)
		event->load_err = event_parse(event);
	return event->load_err;
}

int dkt_event_fields(struct dkt_event *event, const struct dkt_field **fields, size_t *n)
{
	int err = dkt__event_load(event);

	*fields = err ? NULL : event->fields;
	*n = err ? 0 : event->n_fields;
	return err;
}

const struct dkt_field *dkt_event_field(struct dkt_event *event, const char *name)
{
	size_t i;

	if (dkt__event_load(event))
		return NULL;
	for (i = 0; i < event->n_fields; i++)
		if (!strcmp(event->fields[i].name, name))
			return &event->fields[i];
	return NULL;
}

const char *dkt_event_print_format(struct dkt_event *event)
{
	if (dkt__event_load(event))
		return NULL;
	return event->print ? event->print : "";
}

/* ---- events that no kernel has ---- */

void dkt__defined_free(struct dkt_event *event)
{
	while (event) {
		struct dkt_event *next = event->next;

		free((char *)event->name);
		free((char *)event->system);
		event_clear(event);
		free(event);
		event = next;
	}
}

static struct dkt_event *find_defined(struct dkt_ctx *ctx, const char *system, const char *name)
{
	struct dkt_event *event = ctx->defined;

	while (event && (strcmp(event->system, system) || strcmp(event->name, name)))
		event = event->next;
	return event;
}

int dkt_event_define(struct dkt_ctx *ctx, const char *system, const char *name, const char *format,
		     struct dkt_event **out)
{
	struct dkt_event *event = find_defined(ctx, system, name);
	int err;

	*out = event;
	if (event)
		return 0;
	event = calloc(1, sizeof(*event));
	if (!event)
		return -ENOMEM;
	*event = (struct dkt_event){ .ctx = ctx, .index = ctx->events ? ctx->events->n_all : 0 };
	event->system = strdup(system);
	event->name = strdup(name);
	err = event->system && event->name ? event_take_format(event, format, strlen(format)) :
					     -ENOMEM;
	if (err) {
		dkt__defined_free(event);
		return err;
	}
	event->id = event->tep->id;
	event->next = ctx->defined;
	ctx->defined = event;
	*out = event;
	return 0;
}
