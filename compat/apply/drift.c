/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds changes in the kernel that the log does not have yet, such as loaded modules. */
#include "compat/apply/apply.h"

#include "compat/apply/applying.h"
#include "compat/apply/event_filter.h"
#include "compat/lustre/lustre_masks.h"
#include "compat/lustre/message.h"
#include "compat/lustre/modules.h"
#include "lib/base/io.h"
#include "lib/inside.h"

struct drift {
	struct debuglog *log;
	struct dkt_event *const *all;
	size_t n;
	bool *on; /* by event index */
	struct named named; /* the events that the settings name */
	FILE *out;
};

static DKT_PRINTF(2, 3) void report(struct drift *d, const char *fmt, ...)
{
	va_list ap;

	if (ftell(d->out))
		fputc('\n', d->out);
	va_start(ap, fmt);
	vfprintf(d->out, fmt, ap);
	va_end(ap);
}

static bool has_word(const char *list, const char *word)
{
	const size_t len = strlen(word);

	for (; list && *list; list += strcspn(list, " "), list += *list != '\0')
		if (!strncmp(list, word, len) && strchr(" ", list[len]))
			return true;
	return false;
}

/* ---- events ---- */

static int read_on(struct drift *d)
{
	struct dkt_event *const *events;
	size_t n;
	int err = dkt_events(d->log->ctx, &d->all, &d->n);

	if (!err)
		err = dkl_debuglog_on(d->log, &events, &n);
	if (err)
		return err;
	d->on = calloc(d->n + 1, sizeof(*d->on));
	if (!d->on)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		d->on[dkt__event_index(events[i])] = true;
	return 0;
}

static bool is_missing(const struct drift *d, size_t i)
{
	const struct class_bits *bits = dkl_class_map_event(d->log->map, d->all[i]);

	return !d->on[i] &&
	       dkl_named_has(&d->named, d->all[i],
			     dkl_event_filter_wants_class(bits, &d->log->set)) &&
	       (!bits->fields || dkl_message_is(d->all[i]));
}

/* Reports systems that are new, and systems with an event that another program disabled. */
static void report_missing(struct drift *d)
{
	size_t to, missing;

	for (size_t from = 0; from < d->n; from = to) {
		const char *system = dkt_event_system(d->all[from]);

		missing = 0;
		for (to = from; to < d->n && !strcmp(dkt_event_system(d->all[to]), system); to++)
			missing += is_missing(d, to);
		if (!missing)
			continue;
		if (has_word(d->log->set.systems, system))
			report(d,
			       "%zu events of %s are disabled: another user or program disabled them",
			       missing, system);
		else
			report(d,
			       "%zu events of %s are disabled: they appeared later; the next set_param"
			       " enables them",
			       missing, system);
	}
}

static bool has_system(const struct drift *d, const char *system)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(dkt_event_system(d->all[i]), system))
			return true;
	return false;
}

static int report_gone(struct drift *d)
{
	char *list __cleanup(free) = strdup(d->log->set.systems ? d->log->set.systems : "");
	char *save = NULL;

	if (!list)
		return -ENOMEM;
	for (char *system = strtok_r(list, " ", &save); system; system = strtok_r(NULL, " ", &save))
		if (!has_system(d, system))
			report(d, "events of %s no longer exist: their module was unloaded",
			       system);
	return 0;
}

/* ---- entry and exit of functions ---- */

static int report_functions(struct drift *d)
{
	const char *graph = d->log->set.graph;
	char *list __cleanup(free) = strdup(graph ? graph : "");
	char *names __cleanup(free) = NULL;
	char *save = NULL;
	struct modules modules;
	int err = list ? 0 : -ENOMEM;

	if (err || !graph)
		return err;
	err = dkl_modules_read(d->log->map, d->log->set.subsystem_debug, &modules);
	if (err)
		return err;
	err = dkl_modules_names(&modules, &names);
	for (size_t i = 0; !err && i < modules.n; i++)
		if (!has_word(graph, modules.list[i].name))
			report(d,
			       "functions of %s are not recorded: the module was loaded later; the next set_param"
			       " records them",
			       modules.list[i].name);
	dkl_modules_clear(&modules);
	for (char *module = err ? NULL : strtok_r(list, " ", &save); module;
	     module = strtok_r(NULL, " ", &save))
		if (!has_word(names, module))
			report(d, "functions of %s are no longer recorded: the module was unloaded",
			       module);
	return err;
}

/* ---- Lustre ---- */

static void report_mask(struct drift *d, enum mask_kind kind, const char *name, uint32_t ours)
{
	char text[MASK_TEXT_SIZE];
	uint32_t theirs;

	if (dkl_lustre_mask_read(kind, &theirs) || theirs == ours)
		return;
	dkl_mask_spell(kind, theirs, text);
	report(d, "Lustre's own %s differs: %s", name, text);
}

/* Lustre does not call the tracer for messages that its own masks exclude. */
static void report_lustre(struct drift *d)
{
	struct settings *set = &d->log->set;

	if (dkl_follow_differ(set) & 1u << MASK_SOURCES)
		report(d,
		       "Lustre's libcfs was %s: the next set_param, or apply, sets debug_sources to"
		       " '%s'",
		       dkl_lustre_is_loaded() ? "loaded" : "unloaded",
		       dkl_lustre_is_loaded() ? "lustre" : "kernel functions");
	report_mask(d, MASK_DEBUG, "debug", set->debug);
	report_mask(d, MASK_SUBSYSTEM, "subsystem_debug", set->subsystem_debug);
}

int dkl_debuglog_drift(struct debuglog *log, char **lines)
{
	struct drift d = { .log = log };
	size_t len;
	int err = dkl_debuglog_map(log);

	*lines = NULL;
	if (err || !log->in)
		return err;
	d.out = open_memstream(lines, &len);
	if (!d.out)
		return -ENOMEM;
	err = read_on(&d);
	if (!err)
		err = dkl_event_filter_named(log->ctx, &log->set, &d.named);
	if (!err) {
		report_missing(&d);
		err = report_gone(&d);
	}
	if (!err)
		err = report_functions(&d);
	if (!err)
		report_lustre(&d);
	dkl_named_clear(&d.named);
	free(d.on);
	return dkt__text_end_some(d.out, err, lines);
}
