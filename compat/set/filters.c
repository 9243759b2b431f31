/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets filters as a user writes them: on classes, events, threads, programs, CPUs. */
#include "compat/set/filters.h"
#include "compat/apply/apply.h"
#include "compat/apply/audit.h"

#include <inttypes.h>

#include "compat/log/threads.h"
#include "compat/lustre/programs.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/parse.h"
#include "lib/inside.h"

/* ---- conditions ---- */

static int threads_condition(const struct threads *threads, struct conditions *all)
{
	struct dkt_buf buf = { 0 };
	char *text __cleanup(free) = NULL;

	for (size_t i = 0; i < threads->n; i++)
		dkt_buf_printf(&buf, "%scommon_pid == %d", i ? " || " : "", (int)threads->list[i]);
	text = dkt__buf_take(&buf);
	return text ? dkl_conditions_add(all, text) : -ENOMEM;
}

static int comm_condition(struct dkt_ctx *ctx, const char *comms, struct conditions *all)
{
	struct dkt__strings programs = { 0 };
	char *text __cleanup(free) = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int err = out ? dkl_programs_read(ctx, comms, &programs) : -ENOMEM;

	if (!err)
		dkl_programs_print(out, &programs);
	dkt__strings_clear(&programs);
	err = dkt__text_end(out, err, &text);
	return err ? err : dkl_conditions_add(all, text);
}

/* Compares ranges, because older kernels do not support CPUS{0-3,5}. */
static int cpus_condition(struct dkt_ctx *ctx, const char *cpus, struct conditions *all)
{
	char *text __cleanup(free) = NULL;
	struct dkt_buf buf = { 0 };
	const char *p = cpus, *between = "";
	uint64_t from, to;
	bool bad;

	do {
		bad = dkt__take_range(&p, UINT32_MAX, &from, &to) || (*p && *p != ',');
		if (from == to)
			dkt_buf_printf(&buf, "%sCPU == %" PRIu64, between, from);
		else
			dkt_buf_printf(&buf, "%s(CPU >= %" PRIu64 " && CPU <= %" PRIu64 ")",
				       between, from, to);
		between = " || ";
	} while (!bad && *p++);
	text = dkt__buf_take(&buf);
	if (!text)
		return -ENOMEM;
	return bad ? dkt_fail(ctx, -EINVAL, "'%.60s' is not a list of CPUs such as 0-3,5", cpus) :
		     dkl_conditions_add(all, text);
}

/* Builds the expression for the events that the words select. */
static int wish_conditions(struct dkt_ctx *ctx, const struct filter_wish *wish,
			   struct conditions *all)
{
	struct threads threads = { 0 };
	int err = 0;

	if (wish->words && wish->pids)
		err = dkl_threads_of_processes(ctx, wish->pids, &threads);
	if (!err && threads.n)
		err = threads_condition(&threads, all);
	dkl_threads_clear(&threads);
	if (!err && wish->comm)
		err = comm_condition(ctx, wish->comm, all);
	if (!err && wish->words && wish->cpus)
		err = cpus_condition(ctx, wish->cpus, all);
	return err || !wish->expr ? err : dkl_conditions_add(all, wish->expr);
}

int dkl_filters_text(struct dkt_ctx *ctx, const struct filter_wish *wish, char **text)
{
	struct conditions all = { 0 };
	int err = wish_conditions(ctx, wish, &all);

	*text = err ? NULL : all.text;
	if (err)
		free(all.text);
	return err;
}

/* ---- rules ---- */

/* Fails if none of the events has the fields. */
static int check_rule(struct debuglog *log, struct entry *entry)
{
	const struct entries one = { entry, 1 };
	struct rules *rules;
	struct dkt_event *const *events;
	size_t n;
	int err = dkl_rules_new(log->ctx, log->map, &one, &rules);

	if (err)
		return err;
	err = dkl_select_check(log->ctx, rules->list[0].select);
	events = dkl_select_events(rules->list[0].select, &n);
	if (!err)
		err = dkt__expr_check_any(rules->list[0].expr, events, n, 0);
	dkl_rules_free(rules);
	return err;
}

static int set_rule(struct debuglog *log, const char *words, const char *expr, struct settings *set)
{
	const size_t old = dkl_entries_find(&set->rules, words, NULL);
	struct entry entry = { (char *)(uintptr_t)words, (char *)(uintptr_t)expr };
	int err;

	/* The settings file has one line for each rule. */
	if (strpbrk(expr, "\n"))
		return dkt_fail(log->ctx, -EINVAL, "a filter is one line");
	err = check_rule(log, &entry);
	if (err)
		return err;
	if (old < set->rules.n)
		dkl_entries_remove(&set->rules, old);
	return dkl_entries_add(&set->rules, words, expr);
}

/* ---- setting ---- */

static int set_limits(struct dkt_ctx *ctx, const struct filter_wish *wish, struct settings *set)
{
	struct threads threads = { 0 };
	int err = wish->pids ? dkl_threads_of_processes(ctx, wish->pids, &threads) : 0;

	if (err) {
		dkl_threads_clear(&threads);
		return err;
	}
	if (wish->pids) {
		dkl_threads_clear(&set->threads);
		set->threads = threads;
		set->children = wish->children;
	}
	if (!wish->cpus)
		return 0;
	free(set->cpus);
	set->cpus = strdup(wish->cpus);
	return set->cpus ? 0 : -ENOMEM;
}

int dkl_filters_take(struct debuglog *log, const char *line, struct settings *set)
{
	const size_t len = strcspn(line, " \t");
	const char *expr = line + len + strspn(line + len, " \t");
	char *words __cleanup(free) = strndup(line, len);
	int err = words ? dkl_debuglog_map(log) : -ENOMEM;

	if (err)
		return err;
	if (!*expr)
		return dkt_fail(log->ctx, -EINVAL, "expected EVENTS EXPR");
	return set_rule(log, words, expr, set);
}

int dkl_filters_take_pids(struct dkt_ctx *ctx, const char *line, struct settings *set)
{
	struct filter_wish wish = { 0 };
	const char *boot = NULL;
	const struct option_word known[] = {
		{ "--boot", &boot, NULL },
		{ "--children", NULL, &wish.children },
	};
	char *copy __cleanup(free) = strdup(line);
	char **list __cleanup(free) = NULL;
	size_t n;
	int err = copy ? dkl_option_words(ctx, copy, known, ARRAY_SIZE(known), &list, &n) : -ENOMEM;

	if (!err && n != 1)
		err = dkt_fail(ctx, -EINVAL, "expected processes such as 1234,1235");
	if (!err)
		err = dkl_threads_check_boot(ctx, boot);
	if (err)
		return err;
	wish.pids = list[0];
	return set_limits(ctx, &wish, set);
}

int dkl_filters_set(struct debuglog *log, const struct filter_wish *wish, const char **words)
{
	const char *on = wish->words ? wish->words : SELECT_ALL;
	struct conditions all = { 0 };
	struct settings set __cleanup(settings) = { 0 };
	int err = dkl_select_check_words(log->ctx, on);

	*words = NULL;
	if (!err)
		err = dkl_debuglog_map(log);
	if (!err)
		err = dkl_settings_copy(&set, &log->set);
	if (!err && !wish->words)
		err = set_limits(log->ctx, wish, &set);
	if (!err)
		err = wish_conditions(log->ctx, wish, &all);
	if (!err && all.n) {
		*words = on;
		err = set_rule(log, on, all.text, &set);
	}
	if (!err)
		err = dkl_debuglog_apply(log, &set, NULL);
	free(all.text);
	return err;
}

static void clear_threads(struct settings *set)
{
	dkl_threads_clear(&set->threads);
	set->children = false;
}

static void clear_cpus(struct settings *set)
{
	free(set->cpus);
	set->cpus = NULL;
}

static int clear_one(struct dkt_ctx *ctx, struct settings *set, const char *words)
{
	const size_t i = dkl_entries_find(&set->rules, words, NULL);

	if (!strcmp(words, FILTERS_PIDS) && set->threads.n)
		clear_threads(set);
	else if (!strcmp(words, FILTERS_CPUS) && set->cpus)
		clear_cpus(set);
	else if (i < set->rules.n)
		dkl_entries_remove(&set->rules, i);
	else
		return dkt_fail(ctx, -ENOENT,
				"no filter is set on '%s'; 'dktrace filter list' shows all", words);
	return 0;
}

int dkl_filters_clear(struct debuglog *log, const char *words)
{
	struct settings set __cleanup(settings) = { 0 };
	int err = dkl_settings_copy(&set, &log->set);

	if (err)
		return err;
	if (words) {
		err = clear_one(log->ctx, &set, words);
	} else {
		dkl_entries_clear(&set.rules);
		clear_threads(&set);
		clear_cpus(&set);
	}
	if (err)
		return err;
	/* If nothing is recorded, do not create an instance. */
	if (log->in)
		return dkl_debuglog_apply(log, &set, NULL);
	err = dkl_settings_save(log->ctx, log->dirfd, DEBUGLOG_SETTINGS, &set);
	if (!err)
		dkl_audit_change(log, &log->set, &set);
	return err;
}

/* ---- the result ---- */

static bool is_among(struct dkt_event *const *events, size_t n, const struct dkt_event *event)
{
	for (size_t i = 0; i < n; i++)
		if (events[i] == event)
			return true;
	return false;
}

int dkl_filters_count(struct debuglog *log, const struct rule *rule, struct filter_count *count)
{
	struct dkt_event **on __cleanup(free) = NULL;
	struct dkt_event *const *events;
	struct dkt_buf missed = { 0 };
	size_t n_on = 0, n;
	int err = log->in ? dkt_instance_get_events(log->in, &on, &n_on) : 0;

	*count = (struct filter_count){ 0 };
	if (err)
		return err;
	events = dkl_select_events(rule->select, &n);
	for (size_t i = 0; i < n; i++) {
		if (dkt_expr_check(rule->expr, events[i]))
			dkt_buf_printf(&missed, "%s%s:%s", count->lacking++ ? ", " : "",
				       dkt_event_system(events[i]), dkt_event_name(events[i]));
		else if (is_among(on, n_on, events[i]))
			count->on++;
		else
			count->off++;
	}
	count->missed = dkt__buf_take(&missed);
	return count->missed ? 0 : -ENOMEM;
}
