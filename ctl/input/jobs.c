/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints files with several threads, in order; each formats one slice of time at a time. */
#include "ctl/input/jobs.h"

#include "lib/base/pool.h"
#include "lib/base/stop.h"
#include "lib/inside.h"

/* Bytes of pages in a slice; their text is about three times as long. */
#define SLICE (1 << 20)

struct job;

struct jobs {
	struct job *list;
	struct inputs *first; /* those of the calling thread */
	struct record_args *args;
	struct outfile *file;
	struct dkt__order order; /* of slices; its lock protects the members below */
	uint64_t next; /* the time at which the next slice begins; UINT64_MAX: no more slices */
	bool closed;
};

struct job {
	struct jobs *all;
	struct inputs *in, own;
	struct sink *sink, own_sink;
	struct app app; /* its context has the error message */
	bool ready, failed;
	bool worked; /* has formatted a slice */
};

/* ---- slices ---- */

/* Seeks to the next slice and returns its number. False: no more slices. */
static bool take(struct job *job, uint64_t *nr)
{
	struct jobs *all = job->all;
	uint64_t until = all->first->pipeline.until, end = until ? until : UINT64_MAX, from, to;
	bool more;
	int err;

	pthread_mutex_lock(&all->order.lock);
	from = all->next;
	more = from < end && !all->order.err && !dkt__stopped();
	err = more ? dkt__source_slice(job->in->pipeline.source, from, SLICE, &to) : 0;
	more = more && !err;
	if (more) {
		*nr = all->order.taken++;
		all->next = to < end ? to : UINT64_MAX;
	}
	pthread_mutex_unlock(&all->order.lock);
	if (more)
		dkt_source_seek(job->in->pipeline.source, from, to < end ? to : until);
	/* If the files have changed since, other threads do its work, but not that of the first. */
	if (job->in == all->first && dkt__order_fail(&all->order, err))
		job->failed = true;
	return more;
}

/* Writes the text of a slice at its turn. */
static int put(struct job *job, uint64_t nr)
{
	struct jobs *all = job->all;
	int err = dkt__order_wait(&all->order, nr);

	if (err)
		return err;
	err = dkl_text_out_write(&job->sink->out);
	all->closed |= job->sink->out.closed;
	progress_at(&all->first->progress, (nr + 1) * SLICE);
	if (!err)
		dkt__order_next(&all->order);
	return err;
}

static void work(struct job *job)
{
	uint64_t nr;
	int err = 0;

	while (!err && take(job, &nr)) {
		job->worked = true;
		err = dkl_pipeline_fill(&job->in->pipeline, job->sink);
		if (!err)
			err = put(job, nr);
		if (dkt__order_fail(&job->all->order, err))
			job->failed = true;
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
		err = inputs_start(&job->own, all->args, all->first->pipeline.part_of);
	job->own.pipeline.look = NULL;
	return err ? err :
		     dkl_sink_open(&job->own_sink, &all->args->sink, &job->own.pipeline, all->file);
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
	const struct pipeline *pipeline = &job->in->pipeline;
	struct losses *losses;

	for (size_t i = 0; job->worked && i < pipeline->n; i++) {
		losses = &job->all->first->pipeline.parts[i].losses;
		dkl_losses_count(losses, pipeline->parts[i].source);
		if (job->in != job->all->first)
			losses_add_gaps(losses, &pipeline->parts[i].losses);
	}
}

static void end(struct job *job)
{
	const struct app *app = job->all->first->app;

	count(job);
	if (job->failed)
		dkt_fail(app->ctx, job->all->order.err, "%s", dkt_error(job->app.ctx));
	dkl_sink_close(&job->own_sink);
	inputs_clear(&job->own);
	dkt_ctx_free(job->app.ctx);
}

/* The kernel's total of lost records can be higher than the sum of the pages. */
static int raise_losses(const struct inputs *in)
{
	const struct pipeline *pipeline = &in->pipeline;
	int err = 0;

	/* A part of the file has no total. Seek to the beginning: the source is at a slice. */
	if (pipeline->since || pipeline->until || dkt_source_seek(pipeline->source, 0, 0))
		return 0;
	for (size_t i = 0; !err && i < pipeline->n; i++)
		err = dkl_losses_raise(&pipeline->parts[i].losses, pipeline->parts[i].source, NULL);
	return err;
}

int jobs_run(struct inputs *in, struct sink *sink, struct record_args *args, int n,
	     struct outfile *file)
{
	struct jobs all = { .first = in,
			    .args = args,
			    .file = file,
			    .order = DKT__ORDER_INIT,
			    .next = in->pipeline.since };
	struct job *jobs __cleanup(free) = calloc((size_t)n, sizeof(*jobs));
	int err = jobs ? 0 : -ENOMEM;

	all.list = jobs;
	in->pipeline.look = NULL;
	if (!err) {
		jobs[0] = (struct job){ .all = &all, .in = in, .sink = sink };
		for (int i = 1; i < n; i++)
			prepare(&jobs[i], &all);
		dkt__pool_run((unsigned int)n, run, &all);
		count(&jobs[0]);
		for (int i = 1; i < n; i++)
			end(&jobs[i]);
		err = raise_losses(in);
		err = all.order.err ? all.order.err : err;
	}
	sink->out.closed = all.closed;
	return err;
}
