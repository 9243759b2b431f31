/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Narrows the clocks of the hosts of a collection by what their files have both sides of. */
#include "ctl/input/causes.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "compat/lustre_log/line.h"
#include "compat/lustre_log/rpc_text.h"
#include "ctl/app/groups.h"
#include "ctl/out/bar.h"
#include "fleet/clock/causal.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/pool.h"
#include "lib/base/stop.h"
#include "lib/inside.h"

/* Files of so many bytes in all are read once more unasked: it takes a second at most. */
#define UNASKED_MAX (INT64_C(64) << 20)

/* The pairs that are kept: 2 MB. */
#define KEPT_MAX 32768

struct causes {
	struct inputs *inputs;
	struct inputs read; /* the same files once more, each with one offset for all its times */
	struct causal_kept *kept;
	struct exchange *exchange;
	struct line_readers readers;
	struct causal_host *hosts;
	uint64_t *pairs; /* by file: how many it has a side of */
};

/* ---- reading ---- */

static int add_pair(void *data, const struct dkt__causal_pair *pair)
{
	struct causes *causes = data;
	const int64_t apart = (int64_t)(pair->effect_time - pair->cause_time);
	struct dkt__causal_pair its = *pair;

	/* The clocks of the files again. */
	its.cause_time -= (uint64_t)causes->read.files[pair->cause].offset;
	its.effect_time -= (uint64_t)causes->read.files[pair->effect].offset;
	causes->pairs[pair->cause]++;
	causes->pairs[pair->effect]++;
	return causal_kept_add(causes->kept, &its, apart);
}

static int add_record(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct causes *causes = data;
	const struct pipeline *p = &causes->read.pipeline;
	const uint32_t part = (uint32_t)(pipeline_part(p, record) - p->parts);
	struct log_line line;

	(void)source;
	if (record->event && dkl_line_read(causes->readers.of[part], record, &line))
		return exchange_add_line(causes->exchange, &line);
	return exchange_add(causes->exchange, part, record);
}

static int open_again(struct causes *causes, struct record_args *all)
{
	struct inputs *inputs = causes->inputs;
	char **paths __cleanup(free) = calloc(inputs->n + 1, sizeof(*paths));
	int err = paths ? 0 : dkt__no_memory(inputs->app->ctx);

	for (size_t i = 0; !err && i < inputs->n; i++)
		paths[i] = (char *)inputs->files[i].path;
	if (!err)
		err = inputs_new(inputs->app, paths, inputs->n, &causes->read) ? -EINVAL : 0;
	for (size_t i = 0; !err && i < inputs->n; i++) {
		causes->read.files[i].known = INPUTS_BY_USER;
		causes->read.files[i].offset = inputs->files[i].offset;
	}
	if (!err)
		err = inputs_open_quietly(&causes->read, all);
	/* A directory can become several files. */
	return err || causes->read.n == inputs->n ? err : 1;
}

static int read_files(struct causes *causes)
{
	int err = inputs_exchange(&causes->read, add_pair, causes, &causes->exchange);

	if (!err)
		err = dkl_line_readers_init(&causes->readers, &causes->read.pipeline);
	if (!err)
		err = inputs_each(&causes->read, add_record, causes);
	dkl_line_readers_clear(&causes->readers);
	return err ? err : exchange_finish(causes->exchange);
}

/* ---- using ---- */

/* For the report of offsets: the offset that is known best, and words. */
static int put_accuracy(struct inputs_file *file, uint64_t pairs)
{
	uint64_t best = UINT64_MAX;
	char text[UNIT_SIZE];
	char *words;

	for (size_t i = 1; i + 1 < file->n_points; i++) {
		if (file->points[i].error >= best)
			continue;
		best = file->points[i].error;
		file->offset = file->points[i].offset;
	}
	duration_text(best, text);
	words = dkt__format("%s, and to %s near %" PRIu64 " steps of connections or requests",
			    file->accuracy, text, pairs);
	if (!words)
		return -ENOMEM;
	free(file->accuracy);
	file->accuracy = words;
	return 0;
}

/* Puts the points back between those before and after all measurements. */
static int put_points(struct inputs_file *file, const struct causal_host *host)
{
	const size_t n = host->n;
	struct dkt_clock_point *points = calloc(n + 2, sizeof(*points));

	if (!points)
		return -ENOMEM;
	memcpy(points + 1, host->points, n * sizeof(*points));
	clock_put_ends(points, n);
	free(file->points);
	file->points = points;
	file->n_points = n + 2;
	return 0;
}

static int use(struct causes *causes)
{
	struct inputs *inputs = causes->inputs;
	const struct dkt__causal_pair *pairs;
	uint64_t contradictory;
	size_t n;
	int err;

	pairs = causal_kept_pairs(causes->kept, &n);
	err = causal_narrow(causes->hosts, inputs->n, pairs, n, &contradictory);
	for (size_t i = 0; !err && i < inputs->n; i++) {
		if (!causes->hosts[i].narrowed)
			continue;
		err = put_points(&inputs->files[i], &causes->hosts[i]);
		if (!err)
			err = put_accuracy(&inputs->files[i], causes->pairs[i]);
	}
	if (!err && contradictory)
		app_say("%" PRIu64 " steps of connections or requests contradict the measurements"
			" of the clocks, and are left out",
			contradictory);
	return err;
}

/* Copies what is known of the files. Returns how many of them have a clock that pairs can narrow or rely on. */
static size_t find_hosts(struct causes *causes)
{
	struct inputs *inputs = causes->inputs;
	size_t n = 0;

	for (size_t i = 0; i < inputs->n; i++) {
		const struct inputs_file *file = &inputs->files[i];
		struct causal_host *host = &causes->hosts[i];

		if (!file->in.source || !exchange_has(file->in.ctx))
			continue;
		host->exact = !i || file->known == INPUTS_ONE_CLOCK;
		if (!host->exact && file->known == INPUTS_BY_ROUND_TRIPS && file->n_points > 2) {
			host->points = calloc(file->n_points - 2, sizeof(*host->points));
			if (!host->points)
				return 0;
			host->n = file->n_points - 2;
			memcpy(host->points, file->points + 1, host->n * sizeof(*host->points));
		}
		n += host->exact || host->n;
	}
	return n;
}

static bool is_measured(const struct inputs *inputs)
{
	for (size_t i = 1; i < inputs->n; i++)
		if (inputs->files[i].known == INPUTS_BY_ROUND_TRIPS)
			return true;
	return false;
}

/* The first line of large files must not wait for a pass over all of them. */
static bool is_worth_it(const struct inputs *inputs)
{
	int64_t bytes = 0;
	struct stat st;

	for (size_t i = 0; i < inputs->n; i++)
		if (!stat(inputs->files[i].path, &st))
			bytes += st.st_size;
	return OPT(inputs->app, sink)->clock_error || bytes <= UNASKED_MAX;
}

static int narrow(struct causes *causes, const struct record_args *args)
{
	const struct selection_words words = { .events = EXCHANGE_EVENTS };
	struct record_args all = { .source = args->source, .wants.texts = dkl_rpc_text_wanted };
	struct dkt_ctx *ctx = causes->inputs->app->ctx;
	int err = dkl_selection_read(ctx, &words, &all.selection);

	/* A side on another CPU, or at a time that is not printed, counts too. */
	all.source.cpus = NULL;
	all.source.n_cpus = 0;
	if (!err)
		err = open_again(causes, &all);
	if (!err)
		err = read_files(causes);
	if (!err)
		err = use(causes);
	err = dkl_pipeline_fail(&causes->read.pipeline, DKT__MIN(err, 0));
	inputs_clear(&causes->read);
	record_args_clear(&all);
	return err;
}

int causes_narrow(struct inputs *inputs, const struct record_args *args)
{
	struct causes causes = { .inputs = inputs };
	int err = 0;

	if (!is_measured(inputs) || !is_worth_it(inputs))
		return 0;
	causes.kept = causal_kept_new(KEPT_MAX);
	causes.hosts = calloc(inputs->n, sizeof(*causes.hosts));
	causes.pairs = calloc(inputs->n, sizeof(*causes.pairs));
	if (!causes.kept || !causes.hosts || !causes.pairs)
		err = dkt__no_memory(inputs->app->ctx);
	else if (find_hosts(&causes) > 1)
		err = narrow(&causes, args);
	for (size_t i = 0; causes.hosts && i < inputs->n; i++)
		free(causes.hosts[i].points);
	exchange_free(causes.exchange);
	causal_kept_free(causes.kept);
	free(causes.hosts);
	free(causes.pairs);
	return err;
}

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
		err = dkt_source_seek(job->in->pipeline.source, from, to < end ? to : until);
	/*
	 * If the files have changed since, other threads do its work, but not that of the first, nor a slice that
	 * it has taken.
	 */
	if ((more || job->in == all->first) && dkt__order_fail(&all->order, err))
		job->failed = true;
	return more && !err;
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

static int open_job(struct job *job)
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

	if (!nr || (job->ready && !open_job(job)))
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
