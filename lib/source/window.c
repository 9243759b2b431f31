/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests each record against a source's time window, for kinds of sources that cannot seek. */
#include "lib/source.h"

struct window {
	struct dkt_source base;
	struct dkt_source *from;
	uint64_t since, until;
	bool begun;
	int *cpus;
	size_t n_cpus;
};

static bool cpu_asked(const struct window *w, uint32_t cpu)
{
	return dkt__cpu_asked(w->cpus, w->n_cpus, cpu);
}

static int window_next(struct dkt_source *source, struct dkt_record *record)
{
	struct window *w = (struct window *)source;
	int err;

	w->begun = true;
	do
		err = dkt_source_next(w->from, record);
	while (!err && (record->ts < w->since || !cpu_asked(w, record->cpu)));
	source->info = *dkt_source_info(w->from);
	return !err && w->until && record->ts >= w->until ? 1 : err;
}

static const char *window_comm(struct dkt_source *source, const struct dkt_record *record)
{
	return dkt_source_comm(((struct window *)source)->from, record);
}

static int window_loss(struct dkt_source *source, int cpu, struct dkt_loss *loss)
{
	struct window *w = (struct window *)source;

	return cpu_asked(w, (uint32_t)cpu) ?
		       dkt_source_get_loss(w->from, cpu, loss, sizeof(*loss)) :
		       0;
}

static const char *window_stream(const struct dkt_source *source, uint32_t nr)
{
	return dkt_source_stream(((const struct window *)source)->from, nr);
}

static const struct dkt__disks *window_disks(const struct dkt_source *source, uint32_t nr)
{
	return dkt__source_disks(((const struct window *)source)->from, nr);
}

static struct dkt_source *window_part(struct dkt_source *source, uint32_t nr)
{
	struct window *w = (struct window *)source;

	return w->from->ops->part ? w->from->ops->part(w->from, nr) : source;
}

/* Works only before the first record: this source cannot go back to records already read. */
static int window_seek(struct dkt_source *source, uint64_t since, uint64_t until)
{
	struct window *w = (struct window *)source;

	if (w->begun)
		return -EOPNOTSUPP;
	w->since = since;
	w->until = until;
	return 0;
}

static int window_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of)
{
	return dkt_source_get_bytes(((const struct window *)source)->from, done, of);
}

static int window_wait(struct dkt_source *source, int timeout_ms)
{
	return dkt_source_wait(((struct window *)source)->from, timeout_ms);
}

static int window_fd(const struct dkt_source *source)
{
	return dkt__source_fd(((const struct window *)source)->from);
}

static int window_wake(struct dkt_source *source)
{
	return dkt_source_wake(((struct window *)source)->from);
}

static int window_done(struct dkt_source *source, bool last)
{
	return dkt__source_done(((struct window *)source)->from, last);
}

static void window_close(struct dkt_source *source)
{
	struct window *w = (struct window *)source;

	dkt_source_close(w->from);
	free(w->cpus);
	free(w);
}

static const struct dkt__source_ops window_ops = {
	.next = window_next,
	.comm = window_comm,
	.loss = window_loss,
	.seek = window_seek,
	.bytes = window_bytes,
	.wait = window_wait,
	.fd = window_fd,
	.wake = window_wake,
	.done = window_done,
	.close = window_close,
	.stream = window_stream,
	.disks = window_disks,
	.part = window_part,
};

int dkt__source_window(const struct dkt_source_opts *opts, struct dkt_source **source)
{
	const struct dkt_source_info *info = dkt_source_info(*source);
	struct window *w = calloc(1, sizeof(*w));

	if (w && opts->n_cpus)
		w->cpus = calloc(opts->n_cpus, sizeof(*w->cpus));
	if (!w || (opts->n_cpus && !w->cpus)) {
		dkt__no_memory((*source)->ctx);
		dkt_source_close(*source);
		*source = NULL;
		free(w);
		return -ENOMEM;
	}
	w->base = (struct dkt_source){ .ops = &window_ops, .ctx = (*source)->ctx, .info = *info };
	w->from = *source;
	dkt__source_times(&w->base, opts, &w->since, &w->until);
	if (opts->n_cpus)
		memcpy(w->cpus, opts->cpus, opts->n_cpus * sizeof(*w->cpus));
	w->n_cpus = opts->n_cpus;
	*source = &w->base;
	return 0;
}
