/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints files with several threads, in order; each formats one slice of time at a time. */
#include "ctl/input/jobs.h"

#include <pthread.h>

#include "lib/base/pool.h"
#include "lib/base/stop.h"

/* Bytes of pages in a slice; their text is about three times as long. */
#define SLICE (1 << 20)

/* Slices per thread that are formatted or wait to be written; with 2, threads rarely wait. */
#define AHEAD 2

struct job;

struct jobs {
	struct job *list;
	struct inputs *first; /* those of the calling thread */
	struct record_args *args;
	struct outfile *file;
	pthread_mutex_t lock;
	pthread_cond_t turn;
	uint64_t next; /* the time at which the next slice begins; UINT64_MAX: no more slices */
	uint64_t n_taken, n_written; /* slices */
	struct dkt_buf **texts; /* of slices that are not written yet; NULL: not formatted yet */
	struct dkt_buf **spare;
	size_t n_texts, n_spare;
	bool writing; /* a thread writes */
	bool closed;
	int err; /* of the first thread that failed; the others stop */
};

struct job {
	struct jobs *all;
	struct inputs *in, own;
	struct sink *sink, own_sink;
	struct app app; /* its context has the error message */
	bool ready, failed;
	bool worked; /* has formatted a slice */
};

/* Keeps the first error. Call with the lock held. */
static void fail(struct job *job, int err)
{
	if (!err || job->all->err)
		return;
	job->all->err = err;
	job->failed = true;
}

/* ---- slices ---- */

/* Seeks to the next slice and returns its number. False: no more slices. */
static bool take(struct job *job, uint64_t *nr)
{
	struct jobs *all = job->all;
	uint64_t until = all->first->line.until, end = until ? until : UINT64_MAX, from, to;
	bool more;
	int err;

	pthread_mutex_lock(&all->lock);
	while (all->n_taken - all->n_written == all->n_texts && !all->err)
		pthread_cond_wait(&all->turn, &all->lock);
	from = all->next;
	more = from < end && !all->err && !dkt__stopped();
	err = more ? dkt_source_slice(job->in->line.source, from, SLICE, &to) : 0;
	if (err) {
		/* The files have changed since; other threads do its work, but not that of the first. */
		fail(job, job->in == all->first ? err : 0);
		pthread_cond_broadcast(&all->turn);
		more = false;
	}
	if (more) {
		*nr = all->n_taken++;
		all->next = to < end ? to : UINT64_MAX;
	}
	pthread_mutex_unlock(&all->lock);
	if (more)
		dkt_source_seek(job->in->line.source, from, to < end ? to : until);
	return more;
}

/* Writes the slices whose turn it is. Call with the lock held; writing releases it. */
static void write_ready(struct job *job)
{
	struct jobs *all = job->all;
	struct text_out out = job->sink->out;
	int err;

	all->writing = true;
	while (!all->err && (out.buf = all->texts[all->n_written % all->n_texts])) {
		pthread_mutex_unlock(&all->lock);
		err = dkl_text_out_write(&out);
		pthread_mutex_lock(&all->lock);
		all->texts[all->n_written++ % all->n_texts] = NULL;
		all->spare[all->n_spare++] = out.buf;
		all->closed |= out.closed;
		progress_at(&all->first->progress, all->n_written * SLICE);
		fail(job, err);
		pthread_cond_broadcast(&all->turn);
	}
	all->writing = false;
}

/* Stores the text of a slice, and writes it at its turn unless another thread is writing already. */
static int put(struct job *job, uint64_t nr, int err)
{
	struct jobs *all = job->all;
	struct dkt_buf **buf = &job->sink->out.buf;

	pthread_mutex_lock(&all->lock);
	fail(job, err);
	all->texts[nr % all->n_texts] = *buf;
	if (!all->writing)
		write_ready(job);
	/* Take the buffer that was written last, because it is still in the CPU's cache. */
	*buf = all->spare[--all->n_spare];
	err = all->err;
	pthread_cond_broadcast(&all->turn);
	pthread_mutex_unlock(&all->lock);
	return err;
}

static void work(struct job *job)
{
	uint64_t nr;
	int err = 0;

	while (!err && take(job, &nr)) {
		job->worked = true;
		err = put(job, nr, dkl_pipeline_fill(&job->in->line, job->sink));
	}
}

/* ---- threads ---- */

static int open_again(struct job *job)
{
	const struct jobs *all = job->all;
	int err = 0;

	for (size_t i = 0; !err && i < job->own.n; i++)
		err = input_open_again(&job->app, &all->first->files[i].in, all->args,
				       DKT_SOURCE_PART, &job->own.files[i].in);
	if (!err)
		err = inputs_start(&job->own, all->args, all->first->line.part_of);
	job->own.line.look = NULL;
	return err ? err :
		     dkl_sink_open(&job->own_sink, &all->args->sink, &job->own.line, all->file);
}

/* A thread that cannot open the files again ends; the others do its work. */
static void run(void *data, unsigned int nr)
{
	const struct jobs *all = data;
	struct job *job = &all->list[nr];

	if (!nr || (job->ready && !open_again(job)))
		work(job);
}

static void prepare(struct job *job, struct jobs *all)
{
	struct app *app = all->first->app;

	*job = (struct job){ .all = all, .in = &job->own, .sink = &job->own_sink, .app = *app };
	if (app_new_ctx(app, NULL, &job->app.ctx) || inputs_copy(all->first, &job->own))
		return;
	job->own.app = &job->app;
	job->ready = true;
}

/* Adds a thread's losses to the total. */
static void count(const struct job *job)
{
	const struct pipeline *line = &job->in->line;
	struct losses *losses;

	for (size_t i = 0; job->worked && i < line->n; i++) {
		losses = &job->all->first->line.parts[i].losses;
		dkl_losses_count(losses, line->parts[i].source);
		if (job->in != job->all->first)
			losses_add_gaps(losses, &line->parts[i].losses);
	}
}

static void end(struct job *job)
{
	const struct app *app = job->all->first->app;

	count(job);
	if (job->failed)
		dkt_fail(app->ctx, job->all->err, "%s", dkt_error(job->app.ctx));
	dkl_sink_close(&job->own_sink);
	inputs_clear(&job->own);
	dkt_ctx_free(job->app.ctx);
}

/* The kernel's total of lost records can be higher than the sum of the pages. */
static int raise_losses(const struct inputs *in)
{
	const struct pipeline *line = &in->line;
	int err = 0;

	/* A part of the file has no total. Seek to the beginning: the source is at a slice. */
	if (line->since || line->until || dkt_source_seek(line->source, 0, 0))
		return 0;
	for (size_t i = 0; !err && i < line->n; i++)
		err = dkl_losses_raise(&line->parts[i].losses, line->parts[i].source, NULL);
	return err;
}

static int make_texts(struct jobs *all)
{
	int err;

	all->texts = calloc(all->n_texts, sizeof(*all->texts));
	/* One more, for the buffer that put() returns before it takes another. */
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

int jobs_run(struct inputs *in, struct sink *sink, struct record_args *args, int n,
	     struct outfile *file)
{
	struct jobs all = { .first = in,
			    .args = args,
			    .file = file,
			    .lock = PTHREAD_MUTEX_INITIALIZER,
			    .turn = PTHREAD_COND_INITIALIZER,
			    .next = in->line.since,
			    .n_texts = (size_t)n * AHEAD };
	struct job *jobs __cleanup(free) = calloc((size_t)n, sizeof(*jobs));
	int err = jobs ? make_texts(&all) : -ENOMEM;

	all.list = jobs;
	in->line.look = NULL;
	if (!err) {
		jobs[0] = (struct job){ .all = &all, .in = in, .sink = sink };
		for (int i = 1; i < n; i++)
			prepare(&jobs[i], &all);
		dkt__pool_run((unsigned int)n, run, &all);
		count(&jobs[0]);
		for (int i = 1; i < n; i++)
			end(&jobs[i]);
		err = raise_losses(in);
		err = all.err ? all.err : err;
	}
	free_texts(&all);
	sink->out.closed = all.closed;
	return err;
}
