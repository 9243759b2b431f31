/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* list: lists classes, subsystems, events, fields and ready-made counts, by name or glob. */
#include <fnmatch.h>

#include "compat/lustre/class.h"
#include "compat/lustre/event_names.h"
#include "compat/lustre/select.h"
#include "compat/set/counts.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/app/value.h"
#include "lib/base/buf.h"
#include "lib/inside.h"

struct list {
	struct app *app;
	char **globs; /* select names */
	int n_globs;
	enum mask_kind kind; /* of list_bits() */
	struct class_map *map;
	struct dkt_event *const *events;
	size_t n_events;
	struct rows *rows;
};

static bool is_selected(const struct list *list, const char *name)
{
	for (int i = 0; i < list->n_globs; i++)
		if (!fnmatch(list->globs[i], name, FNM_CASEFOLD))
			return true;
	return !list->n_globs;
}

static int load_map(struct list *list)
{
	int err = dkl_class_map_open(list->app->ctx, NULL, &list->map);

	return err ? err : dkt_events(list->app->ctx, &list->events, &list->n_events);
}

/* ---- classes and subsystems ---- */

static int list_bits(struct list *list)
{
	for (unsigned int bit = 0; bit < MASK_BITS; bit++) {
		const char *name = dkl_mask_name(list->kind, bit);
		const char *none = dkl_class_map_none(list->map, list->kind, bit);
		char *about __cleanup(free) = NULL;

		if (!*name || !is_selected(list, name))
			continue;
		about = dkt__format("%s%s%s", dkl_class_map_about(list->map, list->kind, bit),
				    none ? "; no events on this kernel: " : "", none ? none : "");
		if (!about)
			return -ENOMEM;
		rows_add(list->rows, val_text(name), val_number(1u << bit),
			 val_number(dkl_class_map_count(list->map, list->kind, bit)),
			 val_words(about));
	}
	return 0;
}

/* ---- events ---- */

/* A glob without a colon may also be of the event's name alone. */
static bool is_selected_event(const struct list *list, const struct dkt_event *event,
			      const char *name)
{
	for (int i = 0; i < list->n_globs; i++)
		if (!strchr(list->globs[i], ':') &&
		    !fnmatch(list->globs[i], dkt_event_name(event), FNM_CASEFOLD))
			return true;
	return is_selected(list, name);
}

static char *bit_names(enum mask_kind kind, uint32_t mask)
{
	char text[MASK_TEXT_SIZE];

	if (mask == UINT32_MAX)
		return strdup("all");
	dkl_mask_format(kind, mask, text);
	return strdup(mask ? text : "");
}

/* Returns the format string of the event's print format, without the arguments. */
static char *describe_event(struct dkt_event *event)
{
	const char *from = dkt__event_print_format(event), *to;

	from = from ? strchr(from, '"') : NULL;
	if (!from)
		return strdup("");
	for (to = ++from; *to && *to != '"'; to++)
		to += to[0] == '\\' && to[1];
	return strndup(from, (size_t)(to - from));
}

static int list_events(struct list *list)
{
	/* A description needs the event's format. Parsing all formats takes a quarter of a second. */
	bool describe = list->n_globs || OPT(list->app, print)->json || OPT(list->app, print)->csv;

	for (size_t i = 0; i < list->n_events; i++) {
		const struct class_bits *bits = dkl_class_map_event(list->map, list->events[i]);
		char *name __cleanup(free) = dkl_event_full_name(list->events[i]);
		char *classes __cleanup(free) = bit_names(MASK_DEBUG, bits->classes);
		char *subsystems __cleanup(free) = bit_names(MASK_SUBSYSTEM, bits->subsystems);
		char *about __cleanup(free) = NULL;

		if (!name)
			return -ENOMEM;
		if (!is_selected_event(list, list->events[i], name))
			continue;
		about = describe ? describe_event(list->events[i]) : NULL;
		rows_add(list->rows, val_text(name), val_words(classes), val_words(subsystems),
			 val_words(about));
	}
	return 0;
}

/* ---- fields ---- */

static int list_fields_of(struct list *list, struct dkt_event *event, const char *name)
{
	const struct dkt_field *const *fields;
	size_t n;
	int err = dkt_event_fields(event, &fields, &n);

	for (size_t i = 0; !err && i < n; i++) {
		bool is_signed = fields[i]->flags & DKT_FIELD_SIGNED;

		rows_add(list->rows, val_text(name), val_text(fields[i]->name),
			 val_text(fields[i]->type), val_number(fields[i]->offset),
			 val_number(fields[i]->size), val_number(is_signed), val_bool(is_signed));
	}
	return err;
}

static int list_fields(struct list *list)
{
	int err = 0;

	for (size_t i = 0; !err && i < list->n_events; i++) {
		char *name __cleanup(free) = dkl_event_full_name(list->events[i]);

		if (!name)
			return -ENOMEM;
		if (is_selected_event(list, list->events[i], name))
			err = list_fields_of(list, list->events[i], name);
	}
	return err;
}

/* ---- ready-made counts ---- */

static bool has_events(const struct list *list, const struct count *count)
{
	struct select *select = NULL;
	int err = dkl_select_new(list->app->ctx, list->map, count->events, &select);

	if (!err)
		err = dkl_select_check(list->app->ctx, select);
	dkl_select_free(select);
	return !err;
}

/* Adds the row of that name that this kernel can use, otherwise the first one. */
static int add_count(struct list *list, const struct count *first)
{
	const struct count *count = first;
	char *about __cleanup(free) = NULL;

	while (count && !has_events(list, count))
		count = dkl_count_find(first->name, count);
	about = dkt__format("%s%s", first->help,
			    count ? "" : " (this kernel does not have the events)");
	if (!about)
		return -ENOMEM;
	count = count ? count : first;
	rows_add(list->rows, val_text(count->name), val_text(count->events), val_text(count->keys),
		 val_words(count->vals), val_words(count->filter), val_text(about));
	return 0;
}

static int list_counts(struct list *list)
{
	const struct count *count = NULL;
	int err = 0;

	while (!err && (count = dkl_count_next(count)))
		if (count == dkl_count_find(count->name, NULL) && is_selected(list, count->name))
			err = add_count(list, count);
	return err;
}

/* ---- rows ---- */

#define MAX_COLUMNS 7

static const struct {
	const char *name;
	int (*run)(struct list *list);
	enum mask_kind kind;
	bool needs_glob; /* there is too much to list without one */
	struct column columns[MAX_COLUMNS];
} lists[] = {
	/* clang-format off */
	{ "classes", list_bits, MASK_DEBUG, false,
	  { { .key = "name" }, { .key = "mask", .type = COL_MASK }, { .key = "events", .type = COL_NUMBER }, { .key = "description", .flags = COL_FOLD } } },
	{ "subsystems", list_bits, MASK_SUBSYSTEM, false,
	  { { .key = "name" }, { .key = "mask", .type = COL_MASK }, { .key = "events", .type = COL_NUMBER }, { .key = "description", .flags = COL_FOLD } } },
	{ "events", list_events, 0, false,
	  { { .key = "event" }, { .key = "classes" }, { .key = "subsystems" }, { .key = "description", .flags = COL_FOLD } } },
	{ "fields", list_fields, 0, true,
	  { { .key = "event" }, { .key = "field" }, { .key = "type", .flags = COL_FOLD },
	    { .key = "offset", .type = COL_NUMBER, .heading = "OFFSET(B)" }, { .key = "size", .type = COL_NUMBER, .heading = "SIZE(B)" },
	    { .key = "signed", .type = COL_NUMBER, .flags = COL_PEOPLE }, { .key = "signed", .type = COL_BOOL, .flags = COL_DATA } } },
	{ "counts", list_counts, 0, false,
	  { { .key = "name" }, { .key = "events", .flags = COL_DATA }, { .key = "keys" }, { .key = "vals", .flags = COL_DATA },
	    { .key = "filter", .flags = COL_DATA }, { .key = "description", .flags = COL_FOLD } } },
	/* clang-format on */
};

static int run_list(struct list *list, int i)
{
	size_t n = 0;
	int err;

	while (n < MAX_COLUMNS && lists[i].columns[n].key)
		n++;
	err = dkt_tracefs_open(list->app->ctx, 0);
	if (!err)
		err = load_map(list);
	if (!err) {
		list->kind = lists[i].kind;
		list->rows = rows_new(lists[i].name, lists[i].columns, n);
		err = lists[i].run(list);
	}
	err = print_rows(list->app, err, list->rows, "nothing matches");
	dkl_class_map_free(list->map);
	return err;
}

int cmd_list(struct app *app, int argc, char **argv)
{
	struct list list = { .app = app, .globs = argv + 2, .n_globs = argc - 2 };
	int i = app_find_row(app, argv[1], lists, ARRAY_SIZE(lists), sizeof(*lists));

	if (i < 0)
		return EXIT_USAGE;
	if (lists[i].needs_glob && !list.n_globs)
		return app_usage("list fields: needs an event or a glob of events, such as"
				 " 'block:*'");
	for (int j = 0; j < list.n_globs; j++)
		if (value_select(app->ctx, "list", list.globs[j]))
			return app_usage("%s", dkt_error(app->ctx));
	return run_list(&list, i) ? app_fail(app) : 0;
}
