/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the events to count: those of perf(1), tracepoints by globs and filters, classes. */
#include "recording/stat/events.h"

#include "compat/lustre/class.h"
#include "compat/lustre/named.h"
#include "compat/lustre/select.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"

/* As perf stat's; the machine has no task whose clock it could be. */
static const char usual[] = "context-switches,cpu-migrations,page-faults,cycles,instructions,"
			    "branches,branch-misses";

struct finder {
	struct dkt_ctx *ctx;
	struct stat_events *events;
	struct class_map *map; /* NULL: not read yet */
};

/* ---- rows ---- */

static void clear_row(struct stat_row *row)
{
	free(row->name);
	free(row->events);
}

void stat_events_clear(struct stat_events *events)
{
	for (size_t i = 0; i < events->n; i++) {
		free(events->list[i].name);
		free(events->list[i].filter);
	}
	for (size_t i = 0; i < events->n_rows; i++)
		clear_row(&events->rows[i]);
	free(events->list);
	free(events->rows);
	*events = (struct stat_events){ 0 };
}

bool stat_event_in_kernel(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		attr->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

/* Adds a row without events, whose name it takes over. */
static int add_row(struct finder *finder, char *name, bool is_class)
{
	struct stat_events *events = finder->events;
	int err = name ? dkt__append(events->rows, events->n_rows,
				     (struct stat_row){ .name = name, .is_class = is_class }) :
			 -ENOMEM;

	if (err)
		free(name);
	return dkt__with_words(finder->ctx, err);
}

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* Returns the index of that event among those that have a counter, or their number. */
static size_t find_event(const struct stat_events *events, const char *name, const char *filter)
{
	size_t i = 0;

	while (i < events->n && (strcmp(events->list[i].name, name) != 0 ||
				 !same_text(events->list[i].filter, filter)))
		i++;
	return i;
}

/* Adds an event to the last row. Takes over its name and filter. */
static int add_event(struct finder *finder, struct stat_event *event)
{
	struct stat_events *events = finder->events;
	struct stat_row *row = &events->rows[events->n_rows - 1];
	const size_t at = event->name ? find_event(events, event->name, event->filter) : 0;
	int err = event->name ? 0 : -ENOMEM;

	if (!err && at == events->n)
		err = dkt__append(events->list, events->n, *event);
	if (err || events->list[at].name != event->name) {
		free(event->name);
		free(event->filter);
	}
	if (!err)
		err = dkt__append(row->events, row->n, at);
	return dkt__with_words(finder->ctx, err);
}

/* ---- events that are no tracepoints ---- */

static int add_fixed(struct finder *finder, const char *word, const struct dkt__perf_event *perf)
{
	struct stat_event event = { .name = strdup(word), .perf = *perf };
	int err;

	if (stat_event_in_kernel(&perf->attr) && perf->attr.exclude_kernel) {
		free(event.name);
		return dkt_fail(finder->ctx, -EINVAL,
				"%s: it happens in the kernel, so that there is nothing to count "
				"without the kernel; write it without modifiers",
				word);
	}
	err = add_row(finder, strdup(word), false);
	if (!err)
		return add_event(finder, &event);
	free(event.name);
	return err;
}

/* ---- tracepoints ---- */

/* Adds a tracepoint to the last row. letters: modifiers or "". */
static int add_tracepoint(struct finder *finder, struct dkt_event *tracepoint, const char *letters,
			  const char *filter)
{
	const int id = dkt_event_id(tracepoint);
	struct stat_event event = { .tracepoint = tracepoint, .perf.scale = 1 };

	if (id < 0)
		return id;
	event.perf.attr.type = PERF_TYPE_TRACEPOINT;
	event.perf.attr.config = (uint64_t)id;
	if (*letters)
		dkt__perf_modifiers(letters, &event.perf.attr);
	event.name = dkt__format("%s:%s%s%s", dkt_event_system(tracepoint),
				 dkt_event_name(tracepoint), *letters ? ":" : "", letters);
	if (filter && *filter) {
		event.filter = strdup(filter);
		if (!event.filter) {
			free(event.name);
			return dkt__no_memory(finder->ctx);
		}
	}
	return add_event(finder, &event);
}

static int add_named(struct finder *finder, const struct named *named, struct dkt_event *tracepoint,
		     const char *letters)
{
	char *filter __cleanup(free) = NULL;
	const struct named_word *lacks;
	int err = dkl_named_filter(named, tracepoint, &filter, &lacks);

	if (!err)
		err = add_row(finder,
			      dkt__format("%s:%s%s%s%s%s%s", dkt_event_system(tracepoint),
					  dkt_event_name(tracepoint), *letters ? ":" : "", letters,
					  *filter ? "[" : "", filter, *filter ? "]" : ""),
			      false);
	return err ? dkt__with_words(finder->ctx, err) :
		     add_tracepoint(finder, tracepoint, letters, filter);
}

/* Removes the event from all rows that have it, and rows that have no other. */
static void remove_event(struct stat_events *events, const struct dkt_event *tracepoint)
{
	size_t left = 0;

	for (size_t i = 0; i < events->n_rows; i++) {
		struct stat_row *row = &events->rows[i];
		size_t n = 0;

		for (size_t k = 0; k < row->n; k++)
			if (events->list[row->events[k]].tracepoint != tracepoint)
				row->events[n++] = row->events[k];
		if (!n && row->n)
			clear_row(row);
		else
			events->rows[left++] = *row;
		if (n)
			events->rows[left - 1].n = n;
	}
	events->n_rows = left;
}

/* Cuts modifiers off, as of "sched:*:k", and returns them, or "". */
static const char *cut_letters(char *word)
{
	struct perf_event_attr attr = { 0 };
	char *last = strrchr(word, ':');

	if (!last || !dkt__perf_modifiers(last + 1, &attr))
		return "";
	*last = '\0';
	return last + 1;
}

static int add_tracepoints(struct finder *finder, char *word)
{
	const char *letters = cut_letters(word);
	struct dkt_event *const *all;
	struct named named = { 0 };
	size_t n;
	int err = dkl_named_read(finder->ctx, word, &named);

	if (!err)
		err = dkl_named_check(finder->ctx, &named);
	if (!err)
		err = dkt_events(finder->ctx, &all, &n);
	for (size_t i = 0; !err && i < n; i++) {
		if (!dkl_named_word_has(&named.list[0], dkt_event_system(all[i]),
					dkt_event_name(all[i])))
			continue;
		if (named.list[0].without)
			remove_event(finder->events, all[i]);
		else
			err = add_named(finder, &named, all[i], letters);
	}
	dkl_named_clear(&named);
	return err;
}

/* ---- classes ---- */

static int read_map(struct finder *finder)
{
	return finder->map ? 0 : dkl_class_map_open(finder->ctx, NULL, &finder->map);
}

/* Adds a tracepoint that is already counted to the last row, as far as it belongs to a class. */
static int add_member(struct finder *finder, const struct stat_event *event, const char *belongs)
{
	const char *letters = event->name + strlen(dkt_event_system(event->tracepoint)) + 1 +
			      strlen(dkt_event_name(event->tracepoint));
	char *both __cleanup(free) = NULL;

	letters += *letters == ':';
	if (!event->filter || !*belongs)
		return add_tracepoint(finder, event->tracepoint, letters,
				      event->filter ? event->filter : belongs);
	both = dkt__format("(%s) && (%s)", event->filter, belongs);
	return both ? add_tracepoint(finder, event->tracepoint, letters, both) :
		      dkt__no_memory(finder->ctx);
}

/* The same for each time that it is counted by itself. */
static int add_counted(struct finder *finder, const struct stat_events *from,
		       const struct dkt_event *tracepoint, const char *belongs)
{
	int err = 0;

	for (size_t i = 0; !err && i < from->n_rows; i++) {
		const struct stat_row *row = &from->rows[i];

		if (!row->is_class && from->list[row->events[0]].tracepoint == tracepoint)
			err = add_member(finder, &from->list[row->events[0]], belongs);
	}
	return err;
}

/* Adds the events of the class to the last row: those that are counted by themselves; from NULL: all. */
static int add_members(struct finder *finder, const struct select *select,
		       const struct stat_events *from)
{
	size_t n;
	struct dkt_event *const *list = dkl_select_events(select, &n);
	int err = 0;

	for (size_t i = 0; !err && i < n; i++) {
		char *belongs __cleanup(free) = NULL;

		err = dkt__with_words(finder->ctx, dkl_select_condition(select, list[i], &belongs));
		if (!err)
			err = from ? add_counted(finder, from, list[i], belongs) :
				     add_tracepoint(finder, list[i], "", belongs);
	}
	return err;
}

static int add_class(struct finder *finder, const char *name, const struct stat_events *from)
{
	struct select *select = NULL;
	int err = read_map(finder);

	if (!err)
		err = dkl_select_new(finder->ctx, finder->map, name, &select);
	if (!err)
		err = add_row(finder, strdup(name), true);
	if (!err)
		err = add_members(finder, select, from);
	dkl_select_free(select);
	return err;
}

static int add_classes(struct finder *finder, uint32_t mask, const struct stat_events *from)
{
	int err = 0;

	for (unsigned int bit = 0; !err && bit < MASK_BITS; bit++)
		if (mask >> bit & 1 && *dkl_mask_name(MASK_DEBUG, bit))
			err = add_class(finder, dkl_mask_name(MASK_DEBUG, bit), from);
	return err;
}

/* ---- a row a class ---- */

/* Moves rows to the end of other rows; their indices are of the other list of events. */
static int move_row(struct finder *finder, const struct stat_events *from, size_t nr)
{
	int err = add_row(finder, strdup(from->rows[nr].name), from->rows[nr].is_class);

	for (size_t i = 0; !err && i < from->rows[nr].n; i++) {
		const struct stat_event *event = &from->list[from->rows[nr].events[i]];
		struct stat_event copy = *event;

		copy.name = strdup(event->name);
		copy.filter = event->filter ? strdup(event->filter) : NULL;
		err = add_event(finder, &copy);
	}
	return err;
}

/* Returns the classes of a row that is a tracepoint; 0: it is none, or is in no class. */
static uint32_t classes_of(const struct finder *finder, const struct stat_events *events,
			   const struct stat_row *row)
{
	const struct dkt_event *tracepoint = events->list[row->events[0]].tracepoint;

	return !row->is_class && tracepoint ?
		       dkl_class_map_event(finder->map, tracepoint)->classes :
		       0;
}

/* Replaces the tracepoints' rows by one for each class; what is in no class keeps a row of its own. */
static int group_by_class(struct finder *finder)
{
	struct stat_events from = *finder->events;
	uint32_t classes = 0;
	int err = read_map(finder);

	*finder->events = (struct stat_events){ 0 };
	for (size_t i = 0; !err && i < from.n_rows; i++) {
		const struct stat_row *row = &from.rows[i];
		const uint32_t of = row->n ? classes_of(finder, &from, row) : 0;

		classes |= of;
		if (!of)
			err = move_row(finder, &from, i);
	}
	if (!err)
		err = add_classes(finder, classes, &from);
	stat_events_clear(&from);
	return err;
}

/* ---- words ---- */

/* A PMU's terms have commas between slashes; a tracepoint's filter, between brackets. */
static const char *word_end(const char *word)
{
	const char *slash = word + strcspn(word, "/[,");

	if (*slash == '/')
		slash = strchr(slash + 1, '/');
	else
		slash = NULL;
	return slash ? slash + strcspn(slash, ",") : dkl_named_word_end(word, ",");
}

/* True for NAME and NAME:MODIFIERS. */
static bool is_plain(const char *word)
{
	const char *colon = strchr(word, ':');
	struct perf_event_attr attr = { 0 };

	return *word != '-' && !word[strcspn(word, "*?[")] &&
	       (!colon || dkt__perf_modifiers(colon + 1, &attr));
}

static void try_name(void *data, const char *name)
{
	dkt__guess_try(data, name);
}

static int unknown(struct dkt_ctx *ctx, const char *word)
{
	struct dkt__guess guess;

	dkt__guess_start(&guess, word, strlen(word));
	dkl_mask_guess(MASK_DEBUG, &guess);
	dkt__perf_event_names(try_name, &guess);
	dkl_select_guess(&guess, ctx);
	return dkt_fail(ctx, -ENOENT, "there is no event or class '%s'%s", word,
			dkt__guess_words(&guess));
}

static int add_word(struct finder *finder, char *word)
{
	struct dkt__perf_event perf;
	int err;

	if (dkl_mask_bit(MASK_DEBUG, word, strlen(word)) >= 0)
		return add_class(finder, word, NULL);
	err = dkt__perf_event_fixed(finder->ctx, word, &perf);
	if (!err)
		return add_fixed(finder, word, &perf);
	if (err != -ENOENT || strchr(word, '/'))
		return err;
	err = is_plain(word) ? dkt__perf_event_find(finder->ctx, word, &perf) : 0;
	if (err)
		return err == -ENOENT ? unknown(finder->ctx, word) : err;
	return add_tracepoints(finder, word);
}

static int add_words(struct finder *finder, const char *text)
{
	int err = 0;

	for (const char *p = text; !err && *p;) {
		const char *end;
		char *word __cleanup(free) = NULL;

		p += strspn(p, ", \t\n");
		end = word_end(p);
		if (end == p)
			break;
		word = strndup(p, (size_t)(end - p));
		err = word ? add_word(finder, word) : dkt__no_memory(finder->ctx);
		p = end;
	}
	return err;
}

static int find_all(struct finder *finder, const struct stat_wish *wish)
{
	uint32_t mask = 0;
	int err = 0;

	finder->events->usual = !wish->events && !wish->classes;
	if (finder->events->usual) {
		err = add_words(finder, wish->machine ? "cpu-clock" : "task-clock");
		return err ? err : add_words(finder, usual);
	}
	if (wish->events)
		err = add_words(finder, wish->events);
	if (!err && wish->classes)
		err = dkl_mask_option(finder->ctx, "class", MASK_DEBUG, wish->classes, &mask);
	if (!err)
		err = add_classes(finder, mask, NULL);
	if (!err && wish->per_class)
		err = group_by_class(finder);
	if (!err && !finder->events->n_rows)
		err = dkt_fail(finder->ctx, -EINVAL, "--event: '%s' names no event", wish->events);
	return err;
}

int stat_events_find(struct dkt_ctx *ctx, const struct stat_wish *wish, struct stat_events *events)
{
	struct finder finder = { .ctx = ctx, .events = events };
	int err = find_all(&finder, wish);

	dkl_class_map_free(finder.map);
	return err;
}
