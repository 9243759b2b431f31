/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies the log's settings to a configuration file. */
#include <inttypes.h>

#include "compat/log/threads.h"
#include "compat/lustre/named.h"
#include "compat/lustre/select.h"
#include "compat/set/functions.h"
#include "compat/set/probes.h"
#include "compat/set/saved.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/inside.h"

/* ---- objects that do not exist yet ---- */

static bool event_may_come(struct debuglog *log, const char *line)
{
	char *words __cleanup(free) = strndup(line, strcspn(line, " \t"));
	struct select *select = NULL;
	bool missing;

	if (!words || !strchr(words, ':') || strpbrk(words, "+,") || dkl_debuglog_map(log))
		return false;
	missing = !dkl_select_new(log->ctx, log->map, words, &select) &&
		  dkl_select_check(log->ctx, select) == -ENOENT;
	dkl_select_free(select);
	return missing;
}

/* True if an event is missing, of which a module may have more. */
static bool named_may_come(struct debuglog *log, const char *line)
{
	struct named named = { 0 };
	bool missing = strchr(line, ':') && !dkl_named_read(log->ctx, line, &named) &&
		       dkl_named_check(log->ctx, &named) == -ENOENT;

	dkl_named_clear(&named);
	return missing;
}

static bool probe_may_come(struct debuglog *log, const char *line)
{
	struct probe_words words;
	bool may = !dkl_probe_words_read(log->ctx, line, &words) &&
		   dkl_probe_words_may_come(log->ctx, &words);

	dkl_probe_words_clear(&words);
	return may;
}

bool dkl_saved_may_come(struct debuglog *log, const struct conf_line *line)
{
	char *message = dkt__error_take(log->ctx);
	bool may = false;

	if (!strcmp(line->key, CONF_PROBE))
		may = probe_may_come(log, line->value);
	else if (!strcmp(line->key, CONF_EVENT))
		may = named_may_come(log, line->value);
	else if (dkl_conf_is_list(line->key))
		may = event_may_come(log, line->value);
	dkt__error_give(log->ctx, 0, message);
	return may;
}

/* ---- lists ---- */

struct list {
	struct debuglog *log;
	const struct dkt__strings *values;
};

/* True if the texts differ only in the number of spaces. */
static bool same_words(const char *a, const char *b)
{
	static const char spaces[] = " \t";

	for (; *a && *b; a++, b++) {
		if (strchr(spaces, *a) && strchr(spaces, *b)) {
			a += strspn(a, spaces) - 1;
			b += strspn(b, spaces) - 1;
		} else if (*a != *b) {
			return false;
		}
	}
	return *a == *b;
}

/* Keeps a line that is not one of the values, and whose object does not exist yet. */
static bool keep(void *data, const struct conf_line *line)
{
	const struct list *list = data;

	for (size_t i = 0; i < list->values->n; i++)
		if (same_words(list->values->list[i], line->value))
			return false;
	return dkl_saved_may_come(list->log, line);
}

static int fill_list(struct debuglog *log, struct conf *conf, const char *key,
		     const struct dkt__strings *values)
{
	struct list list = { log, values };

	return dkl_conf_set_list(conf, key, values, keep, &list);
}

static int fill_entries(struct debuglog *log, struct conf *conf, const char *key,
			const struct entries *entries)
{
	struct dkt__strings lines = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < entries->n; i++)
		err = dkt__strings_take(&lines, dkt__format("%s %s", entries->list[i].events,
							    entries->list[i].text));
	if (!err)
		err = fill_list(log, conf, key, &lines);
	dkt__strings_clear(&lines);
	return err;
}

static int add_probe(struct debuglog *log, const struct user_probe *probe,
		     struct dkt__strings *lines)
{
	char *text __cleanup(free) = NULL;
	int err = 0;

	if (!probe->words)
		err = dkt__probe_text(log->ctx, dkt_probes_at(probe->definition, 0), &text);
	return err ? err :
		     dkt__strings_take(lines,
				       dkt__format("%s%s", probe->words ? probe->words : text,
						   probe->state == PROBE_ON ? "" : " --off"));
}

static int fill_probes(struct debuglog *log, struct conf *conf)
{
	struct dkt__strings lines = { 0 };
	int err = dkl_probes_load(log);

	for (size_t i = 0; !err && i < log->probes->n; i++)
		err = add_probe(log, &log->probes->list[i], &lines);
	if (!err)
		err = fill_list(log, conf, CONF_PROBE, &lines);
	dkt__strings_clear(&lines);
	return err;
}

/* ---- single values ---- */

static int fill_params(const struct settings *set, struct conf *conf)
{
	char text[MASK_TEXT_SIZE];
	int err;

	dkl_mask_spell(MASK_DEBUG, set->debug, text);
	err = dkl_conf_set(conf, "debug", text);
	dkl_mask_spell(MASK_SUBSYSTEM, set->subsystem_debug, text);
	if (!err)
		err = dkl_conf_set(conf, "subsystem_debug", text);
	dkl_mask_spell(MASK_PRINTK, set->printk, text);
	if (!err)
		err = dkl_conf_set(conf, "printk", text);
	dkl_mask_spell(MASK_SOURCES, set->sources, text);
	if (!err)
		err = dkl_conf_set(conf, "debug_sources",
				   set->chosen & 1u << MASK_SOURCES ? text : NULL);
	snprintf(text, sizeof(text), "%" PRIu32, set->debug_mb);
	if (!err)
		err = dkl_conf_set(conf, "debug_mb", set->debug_mb ? text : NULL);
	snprintf(text, sizeof(text), "%" PRIu32, set->user_data);
	if (!err)
		err = dkl_conf_set(conf, "debug_user_data", set->user_data ? text : NULL);
	if (!err && (set->filter || dkl_conf_find(conf, "debug_filter")))
		err = dkl_conf_set(conf, "debug_filter", set->filter ? set->filter : "none");
	return err;
}

static int fill_pids(const struct settings *set, struct conf *conf)
{
	char *processes __cleanup(free) = NULL;
	char *line __cleanup(free) = NULL;
	FILE *out;
	size_t len;
	int err = set->threads.n ? dkl_threads_processes(&set->threads, &processes) : 0;

	if (err || !processes)
		return err ? err : dkl_conf_set(conf, CONF_PIDS, NULL);
	out = open_memstream(&line, &len);
	if (out)
		dkl_threads_print_processes(out, processes, set->children);
	return dkt__text_end(out, 0, &line) ?: dkl_conf_set(conf, CONF_PIDS, line);
}

static int fill_functions(const struct settings *set, struct conf *conf, const char *key,
			  const char *tracer)
{
	char *line __cleanup(free) = NULL;
	int err = dkl_functions_line(set, tracer, &line);

	return err ? err : dkl_conf_set(conf, key, line);
}

int dkl_saved_fill(struct debuglog *log, struct conf *conf)
{
	const struct settings *set = &log->set;
	int err = 0;

	if (strcmp(log->name, DEBUGLOG_DEFAULT) || dkl_conf_find(conf, CONF_INSTANCE))
		err = dkl_conf_set(conf, CONF_INSTANCE, log->name);
	if (!err)
		err = fill_params(set, conf);
	if (!err)
		err = dkl_conf_set(conf, CONF_CPUS, set->cpus);
	if (!err)
		err = fill_pids(set, conf);
	if (!err)
		err = fill_functions(set, conf, CONF_FUNCTION, FUNCTIONS_CALLS);
	if (!err)
		err = fill_functions(set, conf, CONF_GRAPH, FUNCTIONS_GRAPH);
	if (!err)
		err = fill_probes(log, conf);
	if (!err)
		err = fill_list(log, conf, CONF_EVENT, &set->events);
	if (!err)
		err = fill_entries(log, conf, CONF_FILTER, &set->rules);
	return err ? err : fill_entries(log, conf, CONF_TRIGGER, &set->triggers);
}
