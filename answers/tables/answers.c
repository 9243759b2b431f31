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

/* Adds an analysis to those that take the records of an event. */
static int add_taker(struct answers *answers, struct answer_takers *takers, uint32_t job)
{
	uint32_t *jobs =
		dkt__arena_grow(&answers->arena, takers->jobs, takers->n, sizeof(*takers->jobs));

	if (!jobs)
		return -ENOMEM;
	takers->jobs = jobs;
	jobs[takers->n++] = job;
	return 0;
}

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

static const struct analysis *analysis_of(const struct answer_job *job, size_t host)
{
	return job->kinds ? period_run_analysis(job->kinds[host]) : &job->analysis;
}

/* Makes the kind of an interval for each host. */
static int make_kinds(struct answers *answers, struct answer_job *job, struct dkt_ctx *const *ctxs)
{
	int err = 0;

	job->kinds = calloc(answers->n_hosts, sizeof(struct period_run *));
	if (!job->kinds)
		return -ENOMEM;
	for (size_t i = 0; !err && i < answers->n_hosts; i++) {
		const struct analysis log = { .name = job->analysis.name, .view = VIEW_LOG };

		err = period_run_of_pair(ctxs[i], &log, answers->ctx, job->interval,
					 &job->kinds[i]);
	}
	if (err)
		return err;
	/* The last set is that of the interval; others are those that it is within. */
	answers->list[job->first].nr = analysis_of(job, 0)->kind->n_sets - 1;
	answers->list[job->first].set =
		&analysis_of(job, 0)->kind->sets[answers->list[job->first].nr];
	return 0;
}

static int begin_job(struct answers *answers, uint32_t nr, struct dkt_ctx *const *ctxs)
{
	struct answer_job *job = &answers->jobs[nr];
	int err = job->interval ? make_kinds(answers, job, ctxs) : 0;

	job->of_host = calloc(answers->n_hosts, sizeof(struct analyze *));
	if (!job->of_host)
		return -ENOMEM;
	for (size_t i = 0; !err && i < answers->n_hosts; i++) {
		struct analyze_opts opts = { .row = pass_row, .data = run_of(answers, nr, i) };

		*run_of(answers, nr, i) = (struct answer_run){ answers, nr, i };
		err = analyze_new(ctxs[i], analysis_of(job, i), &opts, &job->of_host[i]);
	}
	return err ? err : add_taker(answers, &answers->all, nr);
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
	for (uint32_t i = 0; !err && i < answers->n_jobs; i++)
		if (answers->jobs[i].wanted)
			err = begin_job(answers, i, ctxs);
	return dkt__with_words(answers->ctx, err);
}

const struct result_table *answer_table(const struct answers *answers, const struct answer *answer)
{
	return analyze_table(answers->jobs[answer->job].of_host[0], answer->nr);
}

/* Analyses with their own kind take the same events of each host. */
static bool takes(const struct answers *answers, const struct answer_job *job,
		  struct dkt_event *event)
{
	const size_t n = job->interval ? answers->n_hosts : 1;

	for (size_t host = 0; job->wanted && host < n; host++)
		if (analyze_wants(job->of_host[host], event))
			return true;
	return false;
}

bool answers_want(const struct answers *answers, struct dkt_event *event)
{
	for (size_t i = 0; i < answers->n_jobs; i++)
		if (takes(answers, &answers->jobs[i], event))
			return true;
	return false;
}

/* Sets *takers to the analyses that take the event. */
static int takers_of(struct answers *answers, struct dkt_event *event,
		     const struct answer_takers **takers)
{
	const uint64_t key = (uintptr_t)event;
	struct answer_takers found = { 0 };
	bool added;
	uint32_t nr;
	int err = 0;

	answers->keys.n_words = 1;
	nr = dkt__keymap_add(&answers->keys, &key, &added);
	if (nr == DKT__KEYMAP_NONE)
		return -ENOMEM;
	for (uint32_t i = 0; added && !err && i < answers->n_jobs; i++)
		if (takes(answers, &answers->jobs[i], event))
			err = add_taker(answers, &found, i);
	if (!err && added)
		err = dkt__append(answers->takers, answers->n_takers, found);
	*takers = &answers->takers[nr];
	return err;
}

int answers_record(struct answers *answers, size_t host, struct dkt_source *source,
		   const struct dkt_record *record)
{
	const struct answer_takers *takers = &answers->all;
	int err = 0;

	/* The time of the first record is the beginning for all of them. */
	if (dkt__likely(record->event && answers->begun[host]))
		err = takers_of(answers, record->event, &takers);
	answers->begun[host] |= record->event != NULL;
	for (uint32_t i = 0; !err && i < takers->n; i++)
		err = analyze_record(answers->jobs[takers->jobs[i]].of_host[host], source, record);
	return dkt__with_words(answers->ctx, err);
}

/* True if the records of these hosts, which have one kind, had the events. */
static bool hosts_suffice(const struct answer_job *job, const struct analysis_kind *kind,
			  size_t first, size_t end)
{
	bool *has __cleanup(free) = calloc(kind->n_events, sizeof(*has));

	for (size_t host = first; has && host < end; host++)
		for (size_t i = 0; i < kind->n_events; i++)
			has[i] |= analyze_has(job->of_host[host], i);
	return has && analysis_suffices(kind, has);
}

static bool suffices(const struct answers *answers, const struct answer_job *job)
{
	bool suffice = false;

	if (!job->of_host)
		return false;
	if (!job->interval)
		return hosts_suffice(job, job->analysis.kind, 0, answers->n_hosts);
	for (size_t host = 0; !suffice && host < answers->n_hosts; host++)
		suffice = hosts_suffice(job, analysis_of(job, host)->kind, host, host + 1);
	return suffice;
}

bool answer_suffices(const struct answers *answers, const struct answer *answer)
{
	return suffices(answers, &answers->jobs[answer->job]);
}

const char *answer_event(const struct answers *answers, const struct answer *answer)
{
	return analysis_of(&answers->jobs[answer->job], 0)->kind->events[0].name;
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
		const struct answer_job *job = &answers->jobs[i];

		for (size_t host = 0; job->of_host && host < answers->n_hosts; host++)
			analyze_free(job->of_host[host]);
		for (size_t host = 0; job->kinds && host < answers->n_hosts; host++)
			period_run_free(job->kinds[host]);
		free(job->of_host);
		free(job->kinds);
	}
	for (size_t i = 0; i < answers->n; i++)
		free(answers->list[i].name);
	free(answers->list);
	free(answers->jobs);
	free(answers->runs);
	free(answers->begun);
	dkt__keymap_clear(&answers->keys);
	dkt__strings_clear(&answers->names);
	free(answers->takers);
	dkt__arena_free(&answers->arena);
	*answers = (struct answers){ 0 };
}
