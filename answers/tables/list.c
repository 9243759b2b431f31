/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists the tables of all analyses and ready-made intervals, and the names that they take. */
#include "answers/analyze/period_pair.h"
#include "answers/tables/answers.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/inside.h"

/* ---- names ---- */

/* Returns the name of a view on the log of an interval, as that of the analysis of periods; NULL: memory is out. */
static char *view_of_interval(const char *log, const struct analysis *periods)
{
	return dkt__format("%s%s", log, periods->name + strlen("period"));
}

int answers_each_view(const struct answers *answers, const struct answer *log,
		      int (*fn)(void *data, const struct analysis *analysis, const char *name),
		      void *data)
{
	const struct answer_job *job = &answers->jobs[log->job];
	const struct analysis *analysis = NULL;
	int rc = 0;

	if (!log->log)
		return 0;
	while (!rc && (analysis = analysis_next(analysis))) {
		char *name __cleanup(free) = NULL;

		if (analysis->view == VIEW_LOG || analysis->view == VIEW_TABLES ||
		    (job->interval ? !analysis_takes_periods(analysis) :
				     analysis->kind != job->analysis.kind))
			continue;
		name = job->interval ? view_of_interval(log->name, analysis) :
		       analysis->kind->n_sets == 1 ?
				       strdup(analysis->name) :
				       dkt__format("%s_%s", analysis->name, log->set->key);
		rc = name ? fn(data, analysis, name) : -ENOMEM;
	}
	return rc;
}

/* Tables and views that describe the others, and names that SQLite keeps for itself. */
static bool is_own(const char *name)
{
	static const char *const names[] = {
		"hosts",         "files",     "disks",
		"losses",        "events",    "classes",
		"rates",         "latencies", "latencies_by_minute",
		"dktrace_batch",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcasecmp(names[i], name))
			return true;
	return !strncasecmp(name, "sqlite_", strlen("sqlite_"));
}

bool answers_have(const struct answers *answers, const char *name)
{
	for (size_t i = 0; i < answers->names.n; i++)
		if (!strcasecmp(answers->names.list[i], name))
			return true;
	return is_own(name);
}

static int add_name(void *data, const struct analysis *analysis, const char *name)
{
	(void)analysis;
	return dkt__strings_add(data, name);
}

/* Notes the names of the last table and of the views on it. */
static int add_names(struct answers *answers)
{
	const struct answer *answer = &answers->list[answers->n - 1];
	int err = dkt__strings_add(&answers->names, answer->name);

	return err ? err : answers_each_view(answers, answer, add_name, &answers->names);
}

/* ---- analyses ---- */

/* True if the list has a log of the intervals that the analysis counts. */
static bool has_log(const struct answers *answers, const struct analysis *analysis)
{
	for (size_t i = 0; i < answers->n_jobs; i++)
		if (answers->jobs[i].analysis.kind == analysis->kind &&
		    answers->jobs[i].analysis.view == VIEW_LOG)
			return true;
	return false;
}

static int add_table(struct answers *answers, size_t nr, const char *key, bool alone,
		     const struct span_set *set)
{
	const struct answer_job *job = &answers->jobs[answers->n_jobs - 1];
	const char *name = job->analysis.name;
	struct answer answer = {
		.name = alone ? strdup(name) : dkt__format("%s_%s", name, key),
		.job = answers->n_jobs - 1,
		.nr = nr,
		.log = job->analysis.view == VIEW_LOG,
		.set = set,
		.wanted = true,
	};

	if (answer.name && !dkt__append(answers->list, answers->n, answer))
		return add_names(answers);
	free(answer.name);
	return -ENOMEM;
}

static int add_job(struct answers *answers, const struct analysis *analysis)
{
	const struct analysis_kind *kind = analysis->kind;
	size_t n = analysis->view == VIEW_LOG ? kind->n_sets : kind->n_tables;
	const struct answer_job job = { .analysis = *analysis, .first = answers->n };
	int err = dkt__append(answers->jobs, answers->n_jobs, job);

	for (size_t i = 0; !err && i < n; i++)
		err = analysis->view == VIEW_LOG ?
			      add_table(answers, i, kind->sets[i].key, n == 1, &kind->sets[i]) :
			      add_table(answers, i, kind->tables[i].key,
					n == 1 && analysis->view == VIEW_TABLES, NULL);
	return err;
}

static int add_analyses(struct answers *answers)
{
	/* The analyses of calls have no log, which the command strace is. */
	static const char calls[] = "syscalllog";
	const struct analysis *analysis = NULL;
	int err = 0;

	while (!err && (analysis = analysis_next(analysis)))
		if (analysis->view == VIEW_LOG && !analysis_takes_periods(analysis))
			err = add_job(answers, analysis);
	while (!err && (analysis = analysis_next(analysis))) {
		struct analysis log = *analysis;

		if (analysis_takes_periods(analysis))
			continue;
		if (analysis->kind->n_sets && !has_log(answers, analysis)) {
			log.name = calls;
			log.view = VIEW_LOG;
			err = add_job(answers, &log);
		}
		if (!err && analysis->kind->n_tables &&
		    (analysis->view == VIEW_TABLES || analysis->view == VIEW_STATS))
			err = add_job(answers, analysis);
	}
	return err;
}

/* ---- ready-made intervals ---- */

/* The kind of an interval comes with the host, whose kernel has the events of one way to measure it. */
static int add_interval(struct answers *answers, const struct dkt_interval *interval, char *name)
{
	const struct answer_job job = { .analysis = { .name = name, .view = VIEW_LOG },
					.interval = interval->name,
					.first = answers->n };
	const struct answer answer = {
		.name = name, .job = answers->n_jobs, .log = true, .wanted = true
	};
	int err;

	if (dkt__append(answers->list, answers->n, answer)) {
		free(name);
		return -ENOMEM;
	}
	err = dkt__append(answers->jobs, answers->n_jobs, job);
	return err ? err : add_names(answers);
}

/* True if the name or one of the views on it belongs to another table. */
static bool is_taken(const struct answers *answers, const char *log)
{
	const struct analysis *analysis = NULL;
	bool taken = answers_have(answers, log);

	while (!taken && (analysis = analysis_next(analysis))) {
		char *name __cleanup(free) = NULL;

		if (!analysis_takes_periods(analysis) || analysis->view == VIEW_LOG)
			continue;
		name = view_of_interval(log, analysis);
		taken = name && answers_have(answers, name);
	}
	return taken;
}

/* A program that was copied alone still has all other tables. */
static int lacks_intervals(struct answers *answers)
{
	char *why __cleanup(free) = dkt__error_take(answers->ctx);

	dkt__log(answers->ctx, DKT_LOG_WARN, "%s: there are no tables of ready-made intervals",
		 why ? why : "intervals");
	return 0;
}

static int add_intervals(struct answers *answers)
{
	const struct dkt_interval *list;
	size_t n;
	int err = dkt_interval_list(answers->ctx, &list, &n);

	if (err == -ENOENT)
		return lacks_intervals(answers);
	for (size_t i = 0; !err && i < n; i++) {
		const struct dkt_interval *interval = &list[i];
		char *name;

		if (dkt_interval_find(answers->ctx, interval->name) != interval ||
		    (interval->analysis && analysis_find(interval->analysis)))
			continue;
		name = period_pair_name(interval->name);
		if (!name)
			return -ENOMEM;
		if (is_taken(answers, name))
			free(name);
		else
			err = add_interval(answers, interval, name);
	}
	return err;
}

int answers_new(struct answers *answers)
{
	int err = add_analyses(answers);

	if (!err)
		err = add_intervals(answers);
	return dkt__with_words(answers->ctx, err);
}
