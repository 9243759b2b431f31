/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs analyses beside each other, for the tables of a database. */
#include "answers/tables/answers.h"

#include "lib/base/buf.h"
#include "lib/base/memory.h"

/* Tells a row that an analysis adds which table it is of. */
struct answer_run {
	struct answers *answers;
	size_t job, host;
};

/* ---- the list ---- */

static bool has_periods(const struct analysis *analysis)
{
	return !strncmp(analysis->name, "period", 6);
}

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
	const char *name = answers->jobs[answers->n_jobs - 1].analysis.name;
	struct answer answer = {
		.name = alone ? strdup(name) : dkt__format("%s_%s", name, key),
		.job = answers->n_jobs - 1,
		.nr = nr,
		.set = set,
		.wanted = true,
	};

	if (answer.name && !dkt__append(answers->list, answers->n, answer))
		return 0;
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

int answers_new(struct answers *answers)
{
	/* The analyses of calls have no log, which the command strace is. */
	static const char calls[] = "syscalllog";
	const struct analysis *analysis = NULL;
	int err = 0;

	while (!err && (analysis = analysis_next(analysis)))
		if (analysis->view == VIEW_LOG && !has_periods(analysis))
			err = add_job(answers, analysis);
	while (!err && (analysis = analysis_next(analysis))) {
		struct analysis log = *analysis;

		if (has_periods(analysis))
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
	return dkt__with_words(answers->ctx, err);
}

int answers_each_view(const struct answers *answers, const struct answer *log,
		      int (*fn)(void *data, const struct analysis *analysis, const char *name),
		      void *data)
{
	const struct analysis *mine = &answers->jobs[log->job].analysis, *analysis = NULL;
	int rc = 0;

	if (!log->set)
		return 0;
	while (!rc && (analysis = analysis_next(analysis))) {
		char *name __cleanup(free) = NULL;

		if (analysis->kind != mine->kind || analysis->view == VIEW_LOG ||
		    analysis->view == VIEW_TABLES)
			continue;
		name = mine->kind->n_sets == 1 ?
			       strdup(analysis->name) :
			       dkt__format("%s_%s", analysis->name, log->set->key);
		rc = name ? fn(data, analysis, name) : -ENOMEM;
	}
	return rc;
}

struct reserved {
	const char *name;
	bool found;
};

static int is_view(void *data, const struct analysis *analysis, const char *name)
{
	struct reserved *reserved = data;

	(void)analysis;
	reserved->found |= !strcasecmp(name, reserved->name);
	return 0;
}

bool answers_have(const struct answers *answers, const char *name)
{
	struct reserved reserved = { .name = name };

	for (size_t i = 0; !reserved.found && i < answers->n; i++) {
		reserved.found |= !strcasecmp(answers->list[i].name, name);
		answers_each_view(answers, &answers->list[i], is_view, &reserved);
	}
	return reserved.found;
}

/* ---- columns ---- */

/* A process has a number beside its PID, which another one may have later. */
#define NUMBER "_nr"

enum answer_type answer_type(const struct result_column *column)
{
	switch (column->type) {
	case RESULT_REAL:
	case RESULT_SHARE:
		return ANSWER_REAL;
	case RESULT_TEXT:
	case RESULT_PROCESS:
	case RESULT_IRQ:
	case RESULT_SOFTIRQ:
	case RESULT_DISK:
	case RESULT_SYSCALL:
	case RESULT_PATH:
		return ANSWER_TEXT;
	case RESULT_VALUE:
		return ANSWER_ANY;
	default:
		return ANSWER_INTEGER;
	}
}

int answer_each_column(const struct result_table *table,
		       int (*fn)(void *data, const char *name, enum answer_type type), void *data)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < table->n; i++) {
		const struct result_column *column = &table->columns[i];

		rc = fn(data, column->key, answer_type(column));
		if (!rc && column->number_key)
			rc = fn(data, column->number_key, ANSWER_INTEGER);
		if (!rc && column->type == RESULT_PROCESS) {
			char *key __cleanup(free) = dkt__format("%s" NUMBER, column->key);

			rc = key ? fn(data, key, ANSWER_INTEGER) : -ENOMEM;
		}
	}
	return rc;
}

size_t answer_groups(const struct answer *log, struct answer_group groups[ANSWER_GROUPS])
{
	size_t n = 0;

	for (size_t i = 0; i < SPAN_GROUPS; i++) {
		const int nr = log->set->by[i];
		const struct result_column *column = nr < 0 ? NULL : &log->set->columns[nr];
		const bool process = column && column->type == RESULT_PROCESS;

		if (!column)
			continue;
		snprintf(groups[n].key, sizeof(groups[n].key), "%s%s", column->key,
			 process ? NUMBER : "");
		groups[n++].shown = column->key;
		if (!column->number_key)
			continue;
		snprintf(groups[n].key, sizeof(groups[n].key), "%s",
			 process ? "" : column->number_key);
		groups[n++].shown = column->number_key;
	}
	return n;
}

/* ---- running ---- */

static struct answer_run *run_of(const struct answers *answers, size_t job, size_t host)
{
	return &answers->runs[job * answers->n_hosts + host];
}

static int pass_row(void *data, const struct result_table *table, const struct result_cell *cells)
{
	const struct answer_run *run = data;
	struct answers *answers = run->answers;
	const struct analyze *a = answers->jobs[run->job].of_host[run->host];

	for (size_t i = answers->jobs[run->job].first; i < answers->n; i++) {
		struct answer *answer = &answers->list[i];

		if (answer->job != run->job)
			return 0;
		if (answer->wanted && analyze_table(a, answer->nr) == table)
			return answers->row(answers->data, answer, run->host, cells);
	}
	return 0;
}

static int begin_job(struct answers *answers, size_t nr, struct dkt_ctx *const *ctxs)
{
	struct answer_job *job = &answers->jobs[nr];
	int err = 0;

	job->of_host = calloc(answers->n_hosts, sizeof(struct analyze *));
	if (!job->of_host)
		return -ENOMEM;
	for (size_t i = 0; !err && i < answers->n_hosts; i++) {
		struct analyze_opts opts = { .row = pass_row, .data = run_of(answers, nr, i) };

		*run_of(answers, nr, i) = (struct answer_run){ answers, nr, i };
		err = analyze_new(ctxs[i], &job->analysis, &opts, &job->of_host[i]);
	}
	return err;
}

int answers_begin(struct answers *answers, struct dkt_ctx *const *ctxs, size_t n_hosts)
{
	int err = 0;

	answers->n_hosts = n_hosts;
	answers->runs = calloc(answers->n_jobs * n_hosts + 1, sizeof(struct answer_run));
	answers->begun = calloc(n_hosts + 1, sizeof(*answers->begun));
	if (!answers->runs || !answers->begun)
		return dkt__no_memory(answers->ctx);
	for (size_t i = 0; i < answers->n; i++)
		answers->jobs[answers->list[i].job].wanted |= answers->list[i].wanted;
	for (size_t i = 0; !err && i < answers->n_jobs; i++)
		if (answers->jobs[i].wanted)
			err = begin_job(answers, i, ctxs);
	return dkt__with_words(answers->ctx, err);
}

const struct result_table *answer_table(const struct answers *answers, const struct answer *answer)
{
	return analyze_table(answers->jobs[answer->job].of_host[0], answer->nr);
}

static uint64_t find_wants(const struct answers *answers, struct dkt_event *event)
{
	uint64_t wants = 0;

	for (size_t i = 0; i < answers->n_jobs; i++)
		if (answers->jobs[i].wanted && analyze_wants(answers->jobs[i].of_host[0], event))
			wants |= UINT64_C(1) << i;
	return wants;
}

bool answers_want(const struct answers *answers, struct dkt_event *event)
{
	return find_wants(answers, event);
}

/* Sets the bits of the analyses that take the event. */
static int wants_of(struct answers *answers, struct dkt_event *event, uint64_t *wants)
{
	const uint64_t key = (uintptr_t)event;
	bool added;
	uint32_t nr;

	answers->keys.n_words = 1;
	nr = dkt__keymap_add(&answers->keys, &key, &added);
	if (nr == DKT__KEYMAP_NONE ||
	    (added && dkt__append(answers->wants, answers->n_wants, find_wants(answers, event))))
		return dkt__no_memory(answers->ctx);
	*wants = answers->wants[nr];
	return 0;
}

int answers_record(struct answers *answers, size_t host, struct dkt_source *source,
		   const struct dkt_record *record)
{
	uint64_t wants = UINT64_MAX;
	int err = record->event ? wants_of(answers, record->event, &wants) : 0;

	/* The time of the first record is the beginning for all of them. */
	if (dkt__unlikely(!answers->begun[host] && record->event)) {
		answers->begun[host] = true;
		wants = UINT64_MAX;
	}

	/* Without the bits of jobs that are not there. */
	if (answers->n_jobs < 64)
		wants &= (UINT64_C(1) << answers->n_jobs) - 1;
	for (; !err && wants; wants &= wants - 1) {
		const struct answer_job *job = &answers->jobs[__builtin_ctzll(wants)];

		if (job->wanted)
			err = analyze_record(job->of_host[host], source, record);
	}
	return dkt__with_words(answers->ctx, err);
}

static bool suffices(const struct answers *answers, const struct answer_job *job)
{
	const struct analysis_kind *kind = job->analysis.kind;
	bool *has __cleanup(free) = calloc(kind->n_events, sizeof(*has));

	for (size_t host = 0; has && job->of_host && host < answers->n_hosts; host++)
		for (size_t i = 0; i < kind->n_events; i++)
			has[i] |= analyze_has(job->of_host[host], i);
	return has && analysis_suffices(kind, has);
}

bool answer_suffices(const struct answers *answers, const struct answer *answer)
{
	return suffices(answers, &answers->jobs[answer->job]);
}

/* As in analyze, an analysis without its events has no rows. */
int answers_end(struct answers *answers)
{
	int err = 0;

	for (size_t i = 0; i < answers->n_jobs; i++) {
		const struct answer_job *job = &answers->jobs[i];

		for (size_t host = 0; !err && host < answers->n_hosts && suffices(answers, job);
		     host++)
			err = analyze_end(job->of_host[host]);
	}
	return dkt__with_words(answers->ctx, err);
}

void answers_clear(struct answers *answers)
{
	for (size_t i = 0; i < answers->n_jobs; i++) {
		for (size_t host = 0; answers->jobs[i].of_host && host < answers->n_hosts; host++)
			analyze_free(answers->jobs[i].of_host[host]);
		free(answers->jobs[i].of_host);
	}
	for (size_t i = 0; i < answers->n; i++)
		free(answers->list[i].name);
	free(answers->list);
	free(answers->jobs);
	free(answers->runs);
	free(answers->begun);
	dkt__keymap_clear(&answers->keys);
	free(answers->wants);
	*answers = (struct answers){ 0 };
}
