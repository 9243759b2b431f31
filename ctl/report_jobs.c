/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files printed by several threads, in order: each makes the text of one slice of time at a time. */
#include "report_jobs.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of pages in a slice; their text is about three times as long. */
#define SLICE (4 << 20)

struct jobs {
	const struct report_args *args;
	struct progress *progress;
	pthread_mutex_t lock;
	pthread_cond_t turn;
	uint64_t next; /* time at which the next slice begins; UINT64_MAX: there is none */
	uint64_t n_taken, n_written; /* slices */
	int err; /* of the first thread that failed: the others give up */
	bool closed;
};

struct job {
	struct jobs *all;
	pthread_t thread;
	struct report_files files;
};

/* The next slice of time and its number. False: there is none. */
static bool take(struct job *job, uint64_t *nr)
{
	struct jobs *all = job->all;
	uint64_t from, to, end = all->args->source.until ? all->args->source.until : UINT64_MAX;
	bool more;

	pthread_mutex_lock(&all->lock);
	from = all->next;
	more = from < end && !all->err && !dk_out_stopped(&job->files.report->out);
	if (more) {
		dkt_source_slice(job->files.source, from, SLICE, &to);
		*nr = all->n_taken++;
		all->next = to < end ? to : UINT64_MAX;
	}
	pthread_mutex_unlock(&all->lock);
	if (more)
		dkt_source_seek(job->files.source, from, to < end ? to : all->args->source.until);
	return more;
}

/* Waits for the slice's turn and writes it. */
static int put(struct job *job, uint64_t nr, int err)
{
	struct jobs *all = job->all;

	pthread_mutex_lock(&all->lock);
	while (all->n_written != nr && !all->err)
		pthread_cond_wait(&all->turn, &all->lock);
	if (!err && !all->err) {
		/* Nobody else is at its turn, so this may take its time. */
		pthread_mutex_unlock(&all->lock);
		err = dk_out_write(&job->files.report->out);
		pthread_mutex_lock(&all->lock);
	}
	all->n_written++;
	progress_at(all->progress, all->n_written * SLICE);
	if (err && !all->err)
		all->err = err;
	all->closed |= job->files.report->out.closed;
	err = all->err;
	pthread_cond_broadcast(&all->turn);
	pthread_mutex_unlock(&all->lock);
	return err;
}

static void *work(void *data)
{
	struct job *job = data;
	uint64_t nr;
	int err = 0;

	while (!err && take(job, &nr))
		err = put(job, nr, report_run(job->files.report, NULL, NULL));
	return NULL;
}

static void add_losses(const struct job *job, struct dkt_loss *const *loss)
{
	size_t i;
	int cpu;

	for (i = 0; i < job->files.in.n; i++) {
		struct dkt_source *source = job->files.in.files[i].in.source;

		for (cpu = 0; cpu < dkt_source_info(source)->cpus; cpu++) {
			struct dkt_loss one;

			dkt_source_loss(source, cpu, &one);
			loss[i][cpu].seen += one.seen;
			loss[i][cpu].bad += one.bad;
			loss[i][cpu].lost += one.lost;
		}
	}
}

static int open_job(const struct report_files *like, struct job *job)
{
	const struct report_args *args = job->all->args;
	int err = inputs_copy(&like->in, &job->files.in);

	if (!err)
		err = report_files_open(&job->files, args, like->joined, DKT_SOURCE_PART);
	return err ? err : report_files_style(&job->files, args);
}

static int run(struct app *app, struct job *jobs, int n)
{
	int i, started, err = 0;

	for (started = 0; !err && started < n; started++)
		err = -pthread_create(&jobs[started].thread, NULL, work, &jobs[started]);
	if (err)
		started--;
	/* Fewer of them do the same. */
	if (!started)
		return dkt_fail(app->ctx, err, "start a thread: %s", strerror(-err));
	for (i = 0; i < started; i++)
		pthread_join(jobs[i].thread, NULL);
	for (i = 0; i < started; i++)
		if (jobs[0].all->err)
			inputs_fail(&jobs[i].files.in, jobs[0].all->err);
	return jobs[0].all->err;
}

int report_jobs_run(const struct report_files *files, const struct report_args *args,
		    struct progress *progress, struct dkt_loss *const *loss, bool *closed)
{
	struct jobs all = { .args = args,
			    .progress = progress,
			    .lock = PTHREAD_MUTEX_INITIALIZER,
			    .turn = PTHREAD_COND_INITIALIZER,
			    .next = args->source.since };
	struct job *jobs = calloc((size_t)args->jobs, sizeof(*jobs));
	int i, n, err = jobs ? 0 : -ENOMEM;

	for (n = 0; !err && n < args->jobs; n++) {
		jobs[n].all = &all;
		err = open_job(files, &jobs[n]);
	}
	if (!err)
		err = run(files->in.app, jobs, n);
	for (i = 0; i < n; i++) {
		if (!err)
			add_losses(&jobs[i], loss);
		report_files_close(&jobs[i].files);
	}
	*closed = all.closed;
	free(jobs);
	return err;
}
