/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wanted set of a private instance: the events to record, and the filter of each. */
#include "compat/set/wanted.h"

#include "compat/apply/event_filter.h"
#include "compat/lustre/event_names.h"
#include "compat/lustre/lustre_masks.h"
#include "compat/lustre/message.h"
#include "compat/lustre/message/cdebug.h"
#include "compat/lustre/modules.h"
#include "compat/set/filters.h"
#include "compat/set/param.h"
#include "compat/set/wanted/parts.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/inside.h"

/* ---- words ---- */

static int read_masks(struct dkt_ctx *ctx, const struct wanted_words *words, struct settings *set)
{
	int err = 0;

	*set = (struct settings){ .subsystem_debug = dkl_mask_all(MASK_SUBSYSTEM),
				  .sources = dkl_lustre_sources(dkl_lustre_is_loaded()) };
	if (words->classes)
		err = dkl_mask_option(ctx, "class", MASK_DEBUG, words->classes, &set->debug);
	if (!err && words->subsystems)
		err = dkl_mask_option(ctx, "subsystem", MASK_SUBSYSTEM, words->subsystems,
				      &set->subsystem_debug);
	if (!err && words->sources)
		err = dkl_mask_option(ctx, "sources", MASK_SOURCES, words->sources, &set->sources);
	/* Without a class no event of Lustre is wanted. */
	if (!set->debug)
		set->sources = 0;
	return err;
}

/* COMM is a rule, because a filter is skipped as a whole for events that lack one of its fields. */
static int read_limits(struct dkt_ctx *ctx, const struct wanted_words *words, struct settings *set)
{
	const struct filter_wish wish = { .comm = words->comms };
	char *comm __cleanup(free) = NULL;
	int err = words->pids ? dkl_threads_of_processes(ctx, words->pids, &set->threads) : 0;

	set->children = words->children;
	if (!err)
		err = dkl_filters_text(ctx, &wish, &comm);
	if (!err && comm)
		err = dkl_entries_add(&set->rules, SELECT_ALL, comm);
	if (!err && words->cpus) {
		set->cpus = strdup(words->cpus);
		err = set->cpus ? 0 : -ENOMEM;
	}
	if (!err && words->filter) {
		set->filter = strdup(words->filter);
		err = set->filter ? 0 : -ENOMEM;
	}
	if (!err && words->events)
		err = dkt__strings_add(&set->events, words->events);
	return dkt__with_words(ctx, err);
}

/* ---- notes ---- */

/* Events without a field of the filter are recorded all the same, as with debug_filter. */
static int note_filter(struct wanted *wanted)
{
	const struct filter_report *report = &wanted->parts->report;
	char *names __cleanup(free) = report->n_missed ? dkl_names_by_system(report->missed) : NULL;

	if (!report->n_missed)
		return 0;
	if (!names)
		return -ENOMEM;
	return dkl_note_add(&wanted->notes,
			    dkt__format("%zu of %zu events have the filter; the others do not have"
					" its fields and are recorded without it: %s",
					report->took, report->took + report->n_missed, names));
}

static int note_named(struct wanted *wanted)
{
	char *lacking = NULL;
	int err = dkl_named_lacking(wanted->ctx, &wanted->parts->filter.named, &lacking);

	return err || !lacking ? err : dkl_note_add(&wanted->notes, lacking);
}

/* The probe itself records words, and one more the strings that they point to. */
static int note_strings(struct wanted *wanted)
{
	struct dkt_event *const words = dkt_event_find(wanted->ctx, CDEBUG_GROUP, CDEBUG_NAME);
	struct dkt_event *const strings = dkt_event_find(wanted->ctx, CDEBUG_GROUP, CDEBUG_STRINGS);
	bool has_words = false, has_strings = !strings;

	for (size_t i = 0; i < wanted->n; i++) {
		has_words |= wanted->list[i].event == words;
		has_strings |= wanted->list[i].event == strings;
	}
	if (!has_words || has_strings)
		return 0;
	return dkl_note_add(&wanted->notes,
			    strdup("messages of Lustre are recorded without their strings;"
				   " 'dktrace:cdebug*' records them, too"));
}

/* Lustre tests its own mask before it calls the tracer. */
static int note_lustre(struct wanted *wanted)
{
	const struct settings *set = &wanted->parts->set;
	char text[MASK_TEXT_SIZE];
	uint32_t theirs;

	if (!(set->sources & MASK_FROM_LUSTRE) || dkl_lustre_mask_read(MASK_DEBUG, &theirs) ||
	    !(set->debug & ~theirs))
		return 0;
	dkl_mask_format(MASK_DEBUG, set->debug & ~theirs, text);
	return dkl_note_add(&wanted->notes,
			    dkt__format("Lustre's own mask is without these classes, so it sends"
					" no messages of them: %s; 'lctl set_param debug=+...'"
					" adds them",
					text));
}

/* ---- probes on Lustre's messages ---- */

/* All other events can be recorded without the probe, so a failure is only noted. */
static int create_messages(struct wanted *wanted, const struct wanted_words *words)
{
	struct wanted_parts *parts = wanted->parts;
	int err = 0;

	if (parts->set.sources & MASK_FROM_LUSTRE ||
	    (words->events && dkl_cdebug_is_named(words->events)))
		err = dkl_cdebug_lend(wanted->ctx, &parts->messages_new);
	if (!err || err == -ENOMEM)
		return err;
	return dkl_note_add(&wanted->notes, dkt__format("messages of Lustre are not recorded: %s",
							dkt_error(wanted->ctx)));
}

static void remove_messages(struct wanted *wanted)
{
	if (wanted->parts->messages_new)
		dkl_cdebug_take_back(wanted->ctx);
}

/* ---- events ---- */

static int append(struct wanted *wanted, struct dkt_event *event, char *filter)
{
	struct wanted_event one = { .event = event, .filter = filter };
	int err = dkt__append(wanted->list, wanted->n, one);

	if (err)
		free(filter);
	return dkt__with_words(wanted->ctx, err);
}

static bool is_wanted(const struct wanted_parts *parts, struct dkt_event *event)
{
	const struct class_bits *bits = dkl_class_map_event(parts->map, event);

	if (dkl_own_probes_have(&parts->probes, event))
		return true;
	return dkl_event_filter_wants(&parts->filter, event) &&
	       (!bits->fields || dkl_message_is(event));
}

static int find_events(struct wanted *wanted)
{
	const struct wanted_parts *parts = wanted->parts;
	struct dkt_event *const *all;
	size_t n;
	int err = dkt_events(wanted->ctx, &all, &n);

	for (size_t i = 0; !err && i < n; i++) {
		char *filter = NULL;

		if (!is_wanted(parts, all[i]))
			continue;
		err = dkl_event_filter(&parts->filter, all[i], &filter);
		if (!err)
			err = append(wanted, all[i], filter);
	}
	if (!err && !wanted->n)
		err = dkt_fail(wanted->ctx, -ENOENT, "%s%s%s",
			       parts->set.debug ? "this kernel has no events for these classes" :
						  "no event is named",
			       wanted->notes ? "; " : "", wanted->notes ? wanted->notes : "");
	return err;
}

/* --filter must fit an event. */
static int check_filter(struct wanted *wanted)
{
	const struct wanted_parts *parts = wanted->parts;
	struct dkt_event **events __cleanup(free) = NULL;
	int err;

	if (!parts->filter.expr || parts->report.took)
		return 0;
	events = calloc(wanted->n + 1, sizeof(struct dkt_event *));
	if (!events)
		return dkt__no_memory(wanted->ctx);
	for (size_t i = 0; i < wanted->n; i++)
		events[i] = wanted->list[i].event;
	err = dkt__expr_check_any(parts->filter.expr, events, wanted->n, 0);
	return err ? dkt__fail_in(wanted->ctx, -EINVAL, "--filter") : 0;
}

/* ---- stacks ---- */

static int mark_stacks(struct wanted *wanted, const struct named_word *word)
{
	const bool all = !strcmp(word->glob, SELECT_ALL);
	size_t n = 0;

	for (size_t i = 0; i < wanted->n; i++) {
		struct wanted_event *to = &wanted->list[i];

		if (!all && !dkl_named_word_has(word, dkt_event_system(to->event),
						dkt_event_name(to->event)))
			continue;
		to->stack = true;
		n++;
	}
	return n ? 0 :
		   dkt_fail(wanted->ctx, -ENOENT, "--stack: no recorded event matches '%s'",
			    word->glob);
}

static int read_stacks(struct wanted *wanted, const char *text)
{
	struct named *stacks = &wanted->parts->stacks;
	int err = dkl_named_read(wanted->ctx, text, stacks);

	if (err)
		return dkt__fail_in(wanted->ctx, err, "--stack");
	for (size_t i = 0; !err && i < stacks->n; i++)
		err = stacks->list[i].filter ?
			      dkt_fail(wanted->ctx, -EINVAL,
				       "--stack: %s has a filter; give it to --event",
				       stacks->list[i].glob) :
			      mark_stacks(wanted, &stacks->list[i]);
	return err;
}

/* ---- the set ---- */

static int read_filters(struct wanted *wanted)
{
	struct wanted_parts *parts = wanted->parts;
	size_t len;
	int err = dkl_class_map_open(wanted->ctx, NULL, &parts->map);

	if (err)
		return err;
	parts->filter = (struct event_filter){
		.ctx = wanted->ctx, .map = parts->map, .set = &parts->set, .report = &parts->report
	};
	err = dkl_event_filter_read(&parts->filter);
	if (!err)
		err = dkl_named_check(wanted->ctx, &parts->filter.named);
	if (!err)
		err = dkl_modules_read(parts->map, parts->set.subsystem_debug, &parts->modules);
	if (!err)
		err = dkl_modules_sites(&parts->modules, &parts->sites);
	parts->filter.sites = parts->sites;
	parts->filter.missed = open_memstream(&parts->report.missed, &len);
	return err;
}

/* Returns the set that has created the probes of these words; NULL: none has. */
static const struct wanted *find_probes(const struct wanted *wanted, const char *lines)
{
	for (; wanted && wanted->parts; wanted = wanted->parts->earlier)
		if (wanted->parts->lines && !wanted->parts->shared &&
		    !strcmp(wanted->parts->lines, lines))
			return wanted;
	return NULL;
}

static int create_probes(struct wanted *wanted, const struct wanted_words *words)
{
	struct wanted_parts *parts = wanted->parts;
	const struct wanted *from = find_probes(words->before, words->probes);

	parts->lines = strdup(words->probes);
	if (!parts->lines)
		return dkt__no_memory(wanted->ctx);
	parts->shared = from;
	if (!from)
		return dkl_own_probes_create(wanted->ctx, words->owner, words->probes,
					     &parts->probes);
	parts->probes = from->parts->probes;
	return 0;
}

static int resolve(struct wanted *wanted, const struct wanted_words *words)
{
	struct wanted_parts *parts = wanted->parts;
	int err = read_masks(wanted->ctx, words, &parts->set);

	if (!err)
		err = read_limits(wanted->ctx, words, &parts->set);
	/* These create events, so the catalogue is read after them. */
	if (!err)
		err = create_messages(wanted, words);
	if (!err && words->probes)
		err = create_probes(wanted, words);
	if (!err)
		err = read_filters(wanted);
	if (!err)
		err = find_events(wanted);
	if (parts->filter.missed)
		fclose(parts->filter.missed);
	if (!err)
		err = check_filter(wanted);
	if (!err && words->stacks)
		err = read_stacks(wanted, words->stacks);
	if (!err)
		err = note_filter(wanted) ?: note_named(wanted) ?: note_strings(wanted);
	return err ? err : note_lustre(wanted);
}

int dkl_wanted_none(struct dkt_ctx *ctx, struct wanted **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return dkt__no_memory(ctx);
	(*out)->ctx = ctx;
	return 0;
}

int dkl_wanted_new(struct dkt_ctx *ctx, const struct wanted_words *words, struct wanted **out)
{
	struct wanted *wanted;
	int err = dkl_wanted_none(ctx, &wanted);

	*out = NULL;
	if (err)
		return err;
	wanted->parts = calloc(1, sizeof(*wanted->parts));
	err = wanted->parts ? resolve(wanted, words) : -ENOMEM;
	if (err) {
		dkl_wanted_free(wanted);
		return dkt__with_words(ctx, err);
	}
	*out = wanted;
	return 0;
}

int dkl_wanted_add(struct wanted *wanted, struct dkt_event *event, struct dkt_expr *filter)
{
	char *text = NULL;
	int err = filter ? dkt_expr_text(filter, event, &text) : 0;

	if (err && err != -ENOENT)
		return err;
	return append(wanted, event, text);
}

static void free_parts(struct wanted *wanted)
{
	struct wanted_parts *parts = wanted->parts;

	dkl_event_filter_clear(&parts->filter);
	dkl_filter_report_clear(&parts->report);
	dkl_named_clear(&parts->stacks);
	dkl_modules_clear(&parts->modules);
	free(parts->sites);
	dkl_class_map_free(parts->map);
	dkl_settings_clear(&parts->set);
	/* Removing a probe forgets the catalogue, so nothing that uses events may be left. */
	if (!parts->shared)
		dkl_own_probes_remove(wanted->ctx, &parts->probes);
	remove_messages(wanted);
	free(parts->lines);
	dkl_wanted_free(parts->earlier);
	free(parts);
}

void dkl_wanted_free(struct wanted *wanted)
{
	char *message;

	if (!wanted)
		return;
	message = dkt__error_take(wanted->ctx);
	for (size_t i = 0; i < wanted->n; i++)
		free(wanted->list[i].filter);
	free(wanted->list);
	if (wanted->parts)
		free_parts(wanted);
	free(wanted->notes);
	dkt__error_give(wanted->ctx, 0, message);
	free(wanted);
}

void dkl_wanted_replace(struct wanted *wanted, struct wanted *before)
{
	struct wanted_parts *parts = before ? before->parts : NULL;

	if (parts && ((parts->lines && !parts->shared) || parts->messages_new)) {
		wanted->parts->earlier = before;
		return;
	}
	if (parts) {
		wanted->parts->earlier = parts->earlier;
		parts->earlier = NULL;
	}
	dkl_wanted_free(before);
}
