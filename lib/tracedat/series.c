/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads trace.dat files that one kernel wrote one after the other as one source. */
#include "tracedat/series.h"

#include <inttypes.h>

/* ---- damage ---- */

/* So many damaged files are named. */
#define DAMAGE_MAX 10

static void append_damage(struct dkt__series *s, const char *fmt, ...) DKT_PRINTF(2, 3);

static void append_damage(struct dkt__series *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	dkt__damage(&s->damage, fmt, ap);
	va_end(ap);
	s->base.info.damage = s->damage;
}

void dkt__series_damage(struct dkt__series *s, const char *name, const char *words)
{
	if (s->n_damaged++ < DAMAGE_MAX)
		append_damage(s, "%s%s%s", name ? name : "", name ? ": " : "", words);
	else if (s->n_damaged == DAMAGE_MAX + 1)
		append_damage(s, "and other files");
}

/* Leaves out the file, or the rest of it. Only lack of memory is an error of the whole. */
static int leave_out(struct dkt__series *s, int err, const char *words)
{
	if (err == -ENOMEM)
		return dkt__no_memory(s->base.ctx);
	dkt__series_damage(s, NULL, words && *words ? words : strerror(-err));
	s->gap_cpu = 0;
	return 0;
}

/* ---- files ---- */

static int count_losses(struct dkt__series *s, struct dkt_source *source)
{
	struct dkt_loss *sum, loss;

	for (int cpu = 0; cpu < dkt_source_info(source)->cpus; cpu++) {
		sum = dkt__reach(s->losses, s->n_losses, (size_t)cpu);
		if (!sum)
			return dkt__no_memory(s->base.ctx);
		if (dkt_source_loss(source, cpu, &loss, sizeof(loss)))
			continue;
		sum->seen += loss.seen;
		sum->lost += loss.lost;
		sum->bad += loss.bad;
	}
	s->base.info.cpus = DKT__MAX(s->base.info.cpus, (int)s->n_losses);
	return 0;
}

static int close_file(struct dkt__series *s, struct dkt__series_file *file)
{
	struct dkt_source *source = file->source;
	uint64_t done = 0, of = 0;
	int err = count_losses(s, source);

	if (!dkt_source_bytes(source, &done, &of))
		s->done += done;
	if (dkt_source_info(source)->damage)
		dkt__series_damage(s, file->name, dkt_source_info(source)->damage);
	dkt__series_close_file(file);
	return err;
}

/* Makes the file's records those of the context's events, and of the series' streams. */
static int adopt(struct dkt__series *s, struct dkt__series_file *file)
{
	struct dkt__dat *dat = (struct dkt__dat *)file->source;
	struct dkt__streams *it = &dat->streams;
	int err;

	it->base.ctx = s->base.ctx;
	it->events = dkt__event_table(s->base.ctx);
	for (size_t i = 0; i < it->n; i++)
		it->list[i].buffer = dkt__series_stream(s, dat->buffers[it->list[i].buffer].name);
	/* Names are asked for even after the last record, when the file is closed. */
	s->comm = NULL;
	err = dkt__with_words(s->base.ctx, dkt__comms_add(&s->comms, &it->comms));
	if (!err && s->wants)
		err = dkt__streams_select(&it->base, s->wants, s->wants_data);
	if (!err && s->filter)
		err = dkt__streams_filter(&it->base, s->filter);
	return err ? err : dkt__streams_seek(&it->base, s->since, s->until);
}

/* Opens the next file, and adds it to the merge if it has records. */
static int open_next(struct dkt__series *s)
{
	uint32_t nr = (uint32_t)s->at++;
	struct dkt__series_file *file = &s->files[nr];
	int err;

	if (file->after_gap || file->bad)
		s->gap_cpu = 0;
	if (file->bad || file->empty)
		return 0;
	err = dkt__series_open_file(s, file);
	if (err) {
		err = leave_out(s, err, file->ctx ? dkt_error(file->ctx) : NULL);
		dkt__series_close_file(file);
		return err;
	}
	err = adopt(s, file);
	if (!err)
		err = dkt_source_next(file->source, &file->next);
	if (err < 0)
		err = leave_out(s, err, dkt_error(s->base.ctx)) ?: DKT_NEXT_END;
	if (err < 0)
		return err;
	if (err)
		return close_file(s, file);
	return dkt__with_words(s->base.ctx,
			       dkt__heap_add(&s->heap, (struct dkt__heap_item){ .ts = file->next.ts,
										.order = nr,
										.nr = nr }));
}

/* ---- records ---- */

/* True if the next file may have records before the one that is the oldest now. */
static bool is_due(const struct dkt__series *s)
{
	const struct dkt__series_file *file = &s->files[s->at];

	if (s->at == s->n || (s->until && file->least >= s->until && file->least != UINT64_MAX))
		return false;
	return !s->heap.n || s->heap.list[0].ts >= file->least;
}

/* Returns a gap for each CPU in turn, where files are missing. */
static bool take_gap(struct dkt__series *s, struct dkt_record *record)
{
	while (s->gap_cpu >= 0 && s->gap_cpu < s->base.info.cpus) {
		uint32_t cpu = (uint32_t)s->gap_cpu++;

		if (!dkt__cpu_asked(s->opts.cpus, s->opts.n_cpus, cpu))
			continue;
		*record = (struct dkt_record){ .ts = s->heap.n ? s->heap.list[0].ts : s->last,
					       .cpu = cpu,
					       .lost = DKT_LOST_UNKNOWN };
		return true;
	}
	s->gap_cpu = -1;
	return false;
}

/* Returns the oldest record of the open files, after it has opened those that may have it. */
static int take_oldest(struct dkt__series *s, struct dkt_record *record)
{
	int err = 0;

	while (!err && is_due(s))
		err = open_next(s);
	if (err)
		return err;
	s->begun = true;
	if (take_gap(s, record))
		return 0;
	if (!s->heap.n)
		return DKT_NEXT_END;
	s->top = &s->files[s->heap.list[0].nr];
	s->taken = true;
	s->bound = dkt__heap_bound(&s->heap);
	if (s->at < s->n)
		s->bound = DKT__MIN(s->bound, s->files[s->at].least);
	*record = s->top->next;
	return 0;
}

/* The step past the last record returned err; puts its file in its place among the others. */
static int settle(struct dkt__series *s, int err, const struct dkt_record *record)
{
	s->taken = false;
	s->last = s->top->next.ts;
	if (!err) {
		s->top->next = *record;
		dkt__heap_move(&s->heap, record->ts);
		return 0;
	}
	if (err < 0)
		err = leave_out(s, err, dkt_error(s->base.ctx));
	else
		err = 0;
	dkt__heap_drop(&s->heap);
	return err ? err : close_file(s, s->top);
}

static int series_next(struct dkt_source *source, struct dkt_record *record)
{
	struct dkt__series *s = (struct dkt__series *)source;
	int err;

	if (dkt__likely(s->taken)) {
		err = dkt__streams_next(s->top->source, record);
		if (dkt__likely(!err && record->ts < s->bound)) {
			s->top->next.ts = record->ts;
			return 0;
		}
		err = settle(s, err, record);
		if (err)
			return err;
	}
	return take_oldest(s, record);
}

static const char *series_comm(struct dkt_source *source, const struct dkt_record *record)
{
	struct dkt__series *s = (struct dkt__series *)source;

	if (dkt__unlikely(record->pid != s->pid || !s->comm)) {
		s->pid = record->pid;
		s->comm = record->pid ? dkt__comms_get(&s->comms, record->pid) : "<idle>";
		if (!s->comm)
			s->comm = "<...>";
	}
	return s->comm;
}

static int series_loss(struct dkt_source *source, int cpu, struct dkt_loss *loss)
{
	struct dkt__series *s = (struct dkt__series *)source;
	struct dkt_loss one;

	if (cpu < 0 || cpu >= s->base.info.cpus)
		return dkt_fail(s->base.ctx, -EINVAL, "there is no cpu %d", cpu);
	if ((size_t)cpu < s->n_losses)
		*loss = s->losses[cpu];
	for (size_t i = 0; i < s->at; i++) {
		struct dkt_source *its = s->files[i].source;

		if (!its || cpu >= dkt_source_info(its)->cpus ||
		    dkt_source_loss(its, cpu, &one, sizeof(one)))
			continue;
		loss->seen += one.seen;
		loss->lost += one.lost;
		loss->bad += one.bad;
	}
	return 0;
}

/* ---- the other calls ---- */

static int begun(const struct dkt__series *s)
{
	return s->begun ? dkt_fail(s->base.ctx, -EOPNOTSUPP,
				   "files in succession can only be read on") :
			  0;
}

static int series_seek(struct dkt_source *source, uint64_t since, uint64_t until)
{
	struct dkt__series *s = (struct dkt__series *)source;
	int err = begun(s);

	if (!err) {
		s->since = since;
		s->until = until;
	}
	return err;
}

static int series_select(struct dkt_source *source, dkt_event_fn wants, void *data)
{
	struct dkt__series *s = (struct dkt__series *)source;
	int err = begun(s);

	if (!err) {
		s->wants = wants;
		s->wants_data = data;
	}
	return err;
}

static int series_filter(struct dkt_source *source, struct dkt_expr *expr)
{
	struct dkt__series *s = (struct dkt__series *)source;
	int err = begun(s);

	if (!err)
		s->filter = expr;
	return err;
}

static int series_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of)
{
	const struct dkt__series *s = (const struct dkt__series *)source;
	uint64_t one_done, one_of;

	*done = s->done;
	*of = s->bytes;
	for (size_t i = 0; i < s->at; i++)
		if (s->files[i].source && !dkt_source_bytes(s->files[i].source, &one_done, &one_of))
			*done += one_done;
	return 0;
}

static const char *series_stream(const struct dkt_source *source, uint32_t nr)
{
	const struct dkt__series *s = (const struct dkt__series *)source;

	return nr < s->n_streams ? s->streams[nr] : NULL;
}

void dkt__series_cut(struct dkt__series *s, size_t n)
{
	while (s->n > n) {
		s->n--;
		dkt__series_close_file(&s->files[s->n]);
		free(s->files[s->n].path);
	}
}

static void series_close(struct dkt_source *source)
{
	struct dkt__series *s = (struct dkt__series *)source;

	dkt__series_cut(s, 0);
	free(s->files);
	free(s->streams);
	free(s->losses);
	free(s->damage);
	free((int *)s->opts.cpus);
	dkt__comms_clear(&s->comms);
	dkt__heap_clear(&s->heap);
	free(s);
}

static const struct dkt__source_ops series_ops = {
	.next = series_next,
	.comm = series_comm,
	.loss = series_loss,
	.seek = series_seek,
	.select = series_select,
	.filter = series_filter,
	.bytes = series_bytes,
	.stream = series_stream,
	.close = series_close,
};

/* ---- opening ---- */

static int take_opts(struct dkt__series *s, const struct dkt_source_opts *opts)
{
	struct dkt_ctx *ctx = s->base.ctx;
	int *cpus;

	s->opts = *opts;
	s->opts.cpus = NULL;
	s->opts.since = s->opts.until = 0;
	s->opts.fd = 0;
	s->opts.name = NULL;
	if (opts->buffer)
		s->opts.buffer = dkt__ctx_strndup(ctx, opts->buffer, strlen(opts->buffer));
	cpus = opts->n_cpus ? calloc(opts->n_cpus, sizeof(*cpus)) : NULL;
	if ((opts->buffer && !s->opts.buffer) || (opts->n_cpus && !cpus))
		return dkt__no_memory(ctx);
	if (cpus)
		memcpy(cpus, opts->cpus, opts->n_cpus * sizeof(*cpus));
	s->opts.cpus = cpus;
	return 0;
}

static int take_files(struct dkt__series *s, const struct dkt_series_file *files, size_t n)
{
	struct dkt_ctx *ctx = s->base.ctx;
	struct dkt_series_file file;
	int err = 0;

	s->files = calloc(n + 1, sizeof(*s->files));
	if (!s->files)
		return dkt__no_memory(ctx);
	for (size_t i = 0; !err && i < n; i++) {
		const struct dkt_series_file *its =
			(const void *)((const char *)files + i * files->sz);
		struct dkt__series_file *to = &s->files[s->n];
		const char *slash;

		if (its->sz != files->sz)
			return dkt_fail(ctx, -EINVAL, "the files of a series differ in sz");
		err = dkt__opts_take(ctx, dkt_series_file, &file, its);
		if (err)
			break;
		if (!file.path)
			return dkt_fail(ctx, -EINVAL, "a file of a series has no path");
		to->path = strdup(file.path);
		if (!to->path)
			return dkt__no_memory(ctx);
		s->n++;
		slash = strrchr(to->path, '/');
		to->name = slash ? slash + 1 : to->path;
		to->after_gap = file.after_gap;
	}
	return err;
}

static int open_series(struct dkt__series *s, const struct dkt_series_file *files, size_t n,
		       const struct dkt_source_opts *opts, size_t *taken)
{
	struct dkt_source_opts mine;
	int err = dkt__source_opts_take(s->base.ctx, &mine, opts);

	if (!err)
		err = take_opts(s, &mine);
	if (!err)
		err = take_files(s, files, n);
	if (!err)
		err = dkt__series_survey(s);
	if (err)
		return err;
	*taken = s->n;
	dkt__source_times(&s->base, &mine, &s->since, &s->until);
	return 0;
}

int dkt_source_series(struct dkt_ctx *ctx, const struct dkt_series_file *files, size_t n,
		      const struct dkt_source_opts *opts, size_t *taken, struct dkt_source **source)
{
	struct dkt__series *s;

	dkt__needs(ctx, dkt__clear(source) && dkt__clear(taken) && ctx && files);
	if (!n)
		return dkt_fail(ctx, -EINVAL, "a series needs a file");
	if (ctx->given || ctx->events)
		return dkt_fail(ctx, -EBUSY, "open %s: the context belongs to another kernel",
				files->path);
	s = calloc(1, sizeof(*s));
	if (!s)
		return dkt__no_memory(ctx);
	s->base = (struct dkt_source){ .ops = &series_ops, .ctx = ctx };
	s->gap_cpu = -1;
	return dkt__source_opened(&s->base, open_series(s, files, n, opts, taken), source);
}
