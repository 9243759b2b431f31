/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files printed by several threads, in order: each makes the text of one slice of time at a time. */
#include "input/report_jobs.h"
#include "base/stop.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of pages in a slice; their text is about three times as long. */
#define SLICE (1 << 20)

/* So many slices for each thread are taken or wait for their turn, so that hardly a thread does. */
#define AHEAD 2

struct jobs {
	const struct report_files *like;
	const struct report_args *args;
	struct progress *progress;
	struct report_met *met;
	pthread_mutex_t lock;
	pthread_cond_t turn;
	uint64_t next; /* time at which the next slice begins; UINT64_MAX: there is none */
	uint64_t n_taken, n_written; /* slices */
	struct dkt_buf **texts; /* of the slices between, by their number; NULL: not ready */
	struct dkt_buf **spare;
	size_t n_texts, n_spare;
	bool writing; /* one of the threads is */
	bool closed;
	int err; /* of the first thread that failed: the others give up */
};

struct job {
	struct jobs *all;
	struct report_files files;
	struct app app; /* its context gets the words of a failure */
	pthread_t thread;
	bool started, failed;
};

/* The words of the first failure are kept. The lock is held. */
static void fail(struct job *job, int err)
{
	struct jobs *all = job->all;

	if (!err || all->err)
		return;
	all->err = inputs_fail(&job->files.in, err);
	job->failed = true;
}

/* ---- slices ---- */

/* The next slice of time and its number. False: there is none. */
static bool take(struct job *job, uint64_t *nr)
{
	struct jobs *all = job->all;
	uint64_t until = all->args->source.until, end = until ? until : UINT64_MAX, from, to;
	bool more;

	pthread_mutex_lock(&all->lock);
	while (all->n_taken - all->n_written == all->n_texts && !all->err)
		pthread_cond_wait(&all->turn, &all->lock);
	from = all->next;
	more = from < end && !all->err && !dkt__stopped();
	if (more) {
		dkt_source_slice(job->files.source, from, SLICE, &to);
		*nr = all->n_taken++;
		all->next = to < end ? to : UINT64_MAX;
	}
	pthread_mutex_unlock(&all->lock);
	if (more)
		dkt_source_seek(job->files.source, from, to < end ? to : until);
	return more;
}

/* Writes the slices whose turn it is. The lock is held, but not while one is written. */
static void write_ready(struct job *job)
{
	struct jobs *all = job->all;
	struct dk_out out = job->files.report->out;
	int err;

	all->writing = true;
	while (!all->err && (out.buf = all->texts[all->n_written % all->n_texts])) {
		pthread_mutex_unlock(&all->lock);
		err = dk_out_write(&out);
		pthread_mutex_lock(&all->lock);
		all->texts[all->n_written++ % all->n_texts] = NULL;
		all->spare[all->n_spare++] = out.buf;
		all->closed |= out.closed;
		progress_at(all->progress, all->n_written * SLICE);
		fail(job, err);
		pthread_cond_broadcast(&all->turn);
	}
	all->writing = false;
}

/* Leaves the text of a slice to be written at its turn, by this thread or one that writes now. */
static int put(struct job *job, uint64_t nr, int err)
{
	struct jobs *all = job->all;
	struct dkt_buf **buf = &job->files.report->out.buf;

	pthread_mutex_lock(&all->lock);
	fail(job, err);
	all->texts[nr % all->n_texts] = *buf;
	if (!all->writing)
		write_ready(job);
	/* The last one that was written is the first to be used again: it is in the cache. */
	*buf = all->spare[--all->n_spare];
	err = all->err;
	pthread_cond_broadcast(&all->turn);
	pthread_mutex_unlock(&all->lock);
	return err;
}

/* All threads have the same words of what was damaged when a file was opened, and may add some. */
static void add_damage(struct report_met *met, const char *damage)
{
	if (!damage || (met->damage && strlen(met->damage) >= strlen(damage)))
		return;
	free(met->damage);
	met->damage = strdup(damage);
}

/* The lock is held. */
static void add_met(const struct job *job)
{
	for (size_t i = 0; i < job->files.in.n; i++) {
		const struct dkt_source *source = job->files.in.files[i].in.source;
		struct report_met *met = &job->all->met[i];

		for (int cpu = 0; cpu < dkt_source_info(source)->cpus; cpu++) {
			struct dkt_loss one;

			dkt_source_loss(job->files.in.files[i].in.source, cpu, &one);
			met->loss[cpu].seen += one.seen;
			met->loss[cpu].bad += one.bad;
			met->loss[cpu].lost += one.lost;
		}
		add_damage(met, dkt_source_info(source)->damage);
	}
}

static void work(struct job *job)
{
	bool met = false;
	uint64_t nr;
	int err = 0;

	while (!err && take(job, &nr)) {
		met = true;
		err = put(job, nr, report_run(job->files.report, NULL, NULL));
	}
	pthread_mutex_lock(&job->all->lock);
	if (met)
		add_met(job);
	pthread_mutex_unlock(&job->all->lock);
}

/* ---- threads ---- */

/* One that cannot open the files again leaves all of it to the others. */
static void *run(void *data)
{
	struct job *job = data;
	const struct jobs *all = job->all;
	int err = report_files_open(&job->files, all->args, all->like->joined, DKT_SOURCE_PART);

	if (!err)
		err = report_files_style(&job->files, all->args);
	if (!err)
		work(job);
	report_files_close(&job->files);
	return NULL;
}

static void start(struct job *job, struct jobs *all)
{
	struct app *app = all->like->in.app;

	job->all = all;
	job->app = *app;
	if (app_new_ctx(app, NULL, &job->app.ctx) || inputs_copy(&all->like->in, &job->files.in))
		return;
	job->files.in.app = &job->app;
	job->started = !pthread_create(&job->thread, NULL, run, job);
}

static void end(struct job *job)
{
	struct app *app = job->all->like->in.app;

	if (job->started)
		pthread_join(job->thread, NULL);
	if (job->failed)
		dkt_fail(app->ctx, job->all->err, "%s", dkt_error(job->app.ctx));
	report_files_close(&job->files);
	dkt_ctx_free(job->app.ctx);
}

static int make_texts(struct jobs *all)
{
	int err;

	all->texts = calloc(all->n_texts, sizeof(*all->texts));
	/* And one that a thread has just written and not taken yet. */
	all->spare = calloc(all->n_texts + 1, sizeof(*all->spare));
	err = all->texts && all->spare ? 0 : -ENOMEM;
	while (!err && all->n_spare < all->n_texts)
		err = dkt_buf_new(&all->spare[all->n_spare++]);
	return err;
}

static void free_texts(struct jobs *all)
{
	for (size_t i = 0; all->texts && i < all->n_texts; i++)
		dkt_buf_free(all->texts[i]);
	while (all->n_spare)
		dkt_buf_free(all->spare[--all->n_spare]);
	free(all->texts);
	free(all->spare);
}

int report_jobs_run(const struct report_files *files, const struct report_args *args,
		    struct progress *progress, struct report_met *met, bool *closed)
{
	struct jobs all = { .like = files,
			    .args = args,
			    .progress = progress,
			    .met = met,
			    .lock = PTHREAD_MUTEX_INITIALIZER,
			    .turn = PTHREAD_COND_INITIALIZER,
			    .next = args->source.since,
			    .n_texts = (size_t)args->jobs * AHEAD };
	struct job *jobs = calloc((size_t)args->jobs, sizeof(*jobs));
	int err = jobs ? make_texts(&all) : -ENOMEM;

	if (!err) {
		jobs[0] = (struct job){ .all = &all, .files = *files };
		for (int i = 1; i < args->jobs; i++)
			start(&jobs[i], &all);
		work(&jobs[0]);
		for (int i = 1; i < args->jobs; i++)
			end(&jobs[i]);
		err = all.err;
	}
	free_texts(&all);
	*closed = all.closed;
	free(jobs);
	return err;
}
