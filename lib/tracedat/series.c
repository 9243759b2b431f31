/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads trace.dat files that one kernel wrote one after the other as one source. */
#include "lib/tracedat/series.h"

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
	return 0;
}

/* Reports the damage that was found in a file so far. */
static void tell_damage(struct dkt__series *s, struct dkt__series_file *file)
{
	const char *damage = dkt_source_info(file->source)->damage;

	if (damage && !file->told)
		dkt__series_damage(s, file->name, damage);
	file->told |= !!damage;
}

/* ---- files ---- */

static int count_losses(struct dkt__series *s, struct dkt_source *source)
{
	for (int cpu = 0; cpu < dkt_source_info(source)->cpus; cpu++) {
		struct dkt_loss *sum = dkt__reach(s->losses, s->n_losses, (size_t)cpu);

		if (!sum)
			return dkt__no_memory(s->base.ctx);
		dkt__source_add_loss(source, cpu, sum);
	}
	s->base.info.cpus = DKT__MAX(s->base.info.cpus, (int)s->n_losses);
	return 0;
}

static int close_file(struct dkt__series *s, struct dkt__series_file *file)
{
	struct dkt_source *source = file->source;
	uint64_t done = 0, of = 0;
	int err = count_losses(s, source);

	if (!dkt__source_get_bytes(source, &done, &of))
		s->done += done;
	tell_damage(s, file);
	dkt__series_close_file(file);
	return err;
}

/* Makes the file's records those of the context's events, and of the series' streams. */
static int adopt(struct dkt__series *s, struct dkt__series_file *file)
{
	struct dkt__dat *dat = (struct dkt__dat *)file->source;
	struct dkt__streams *streams = &dat->streams;
	int err;

	streams->base.ctx = s->base.ctx;
	streams->events = dkt__event_table(s->base.ctx);
	for (size_t i = 0; i < streams->n; i++)
		streams->list[i].buffer =
			dkt__series_stream(s, dat->buffers[streams->list[i].buffer].name);
	/* Names are asked for even after the last record, when the file is closed. */
	err = dkt__with_words(s->base.ctx, dkt__comms_add(&s->comms, &streams->comms));
	if (!err && s->wants)
		err = dkt__streams_select(&streams->base, s->wants, s->wants_data);
	if (!err && s->filter)
		err = dkt__streams_filter(&streams->base, s->filter);
	return err;
}

/* True if the file has records after those of its window. */
static bool has_more(const struct dkt__streams *streams)
{
	bool more = streams->top;

	for (size_t i = 0; !more && i < streams->n; i++)
		more = streams->list[i].last < streams->list[i].n_pages;
	return more;
}

/* Closes a file that has no more records in the window, unless another window may have some. */
static int end_file(struct dkt__series *s, struct dkt__series_file *file)
{
	if (!s->sliced || !has_more(&((struct dkt__dat *)file->source)->streams))
		return close_file(s, file);
	tell_damage(s, file);
	return 0;
}

/* Leaves the file out. The gap is where its first record would be. */
static int lose_file(struct dkt__series *s, struct dkt__series_file *file, int err,
		     const char *words)
{
	err = leave_out(s, err, words);
	dkt__series_close_file(file);
	file->bad = true;
	return err;
}

/* Adds an open file to the merge if it has records in the window. */
static int place_file(struct dkt__series *s, uint32_t nr)
{
	struct dkt__series_file *file = &s->files[nr];
	int err = dkt__streams_seek(file->source, s->since, s->until);

	if (!err)
		err = dkt_source_next(file->source, &file->next);
	if (err < 0)
		return lose_file(s, file, err, dkt_error(s->base.ctx));
	if (err)
		return end_file(s, file);
	return dkt__with_words(s->base.ctx,
			       dkt__heap_add(&s->heap, (struct dkt__heap_item){ .ts = file->next.ts,
										.order = nr,
										.nr = nr }));
}

/* Opens the next file, if it can be read. */
static int open_next(struct dkt__series *s)
{
	struct dkt__series_file *file = &s->files[s->at++];
	int err;

	if (file->bad || file->empty)
		return 0;
	err = dkt__series_open_file(s, file);
	if (err)
		return lose_file(s, file, err, file->ctx ? dkt_error(file->ctx) : NULL);
	return adopt(s, file);
}

static int add_next(struct dkt__series *s)
{
	const uint32_t nr = (uint32_t)s->at;
	int err = open_next(s);

	return err || !s->files[nr].source ? err : place_file(s, nr);
}

/* ---- records ---- */

/* True if the file begins after the window. */
static bool is_later(const struct dkt__series *s, const struct dkt__series_file *file)
{
	return s->until && file->least >= s->until && file->least != UINT64_MAX;
}

/* True if the next file may have records before the one that is the oldest now. */
static bool is_due(const struct dkt__series *s)
{
	const struct dkt__series_file *file = &s->files[s->at];

	if (s->at == s->n || is_later(s, file))
		return false;
	return !s->heap.n || s->heap.list[0].ts >= file->least;
}

/* Finds the first gap of the window, which is about to be read. */
static void begin_window(struct dkt__series *s)
{
	s->begun = true;
	s->passed = DKT__MAX(s->passed, s->until ? s->until : UINT64_MAX);
	s->gap_cpu = -1;
	s->gap_nr = 0;
	while (s->gap_nr < s->n && s->files[s->gap_nr].least < s->since)
		s->gap_nr++;
}

/* A gap is where the first record after it is: so readers of different windows find it once. */
static void begin_gap(struct dkt__series *s)
{
	bool any = false, lost = false;
	uint64_t ts = 0;

	for (; s->gap_nr < s->at && !is_later(s, &s->files[s->gap_nr]); s->gap_nr++) {
		const struct dkt__series_file *file = &s->files[s->gap_nr];

		if (!file->bad && !file->after_gap && !file->after_pause)
			continue;
		any = true;
		lost |= file->bad || file->after_gap;
		ts = file->least != UINT64_MAX ? file->least :
		     s->heap.n                 ? s->heap.list[0].ts :
						 s->last;
	}
	if (!any)
		return;
	s->gap_cpu = 0;
	s->gap = (struct dkt_record){ .ts = ts, .lost = DKT_LOST_UNKNOWN, .paused = !lost };
}

/* Returns a gap for each CPU in turn, where files are missing. */
static bool take_gap(struct dkt__series *s, struct dkt_record *record)
{
	if (s->gap_cpu < 0 && s->gap_nr < s->at)
		begin_gap(s);
	while (s->gap_cpu >= 0 && s->gap_cpu < s->base.info.cpus) {
		uint32_t cpu = (uint32_t)s->gap_cpu++;

		if (!dkt__cpu_asked(s->opts.cpus, s->opts.n_cpus, cpu))
			continue;
		*record = s->gap;
		record->cpu = cpu;
		return true;
	}
	s->gap_cpu = -1;
	return false;
}

/* Returns the oldest record of the open files, after it has opened those that may have it. */
static int take_oldest(struct dkt__series *s, struct dkt_record *record)
{
	int err = 0;

	if (!s->begun)
		begin_window(s);
	while (!err && is_due(s))
		err = add_next(s);
	if (err)
		return err;
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
	dkt__heap_drop(&s->heap);
	if (err > 0)
		return end_file(s, s->top);
	err = leave_out(s, err, dkt_error(s->base.ctx));
	s->gap_cpu = 0;
	s->gap = (struct dkt_record){ .ts = s->last, .lost = DKT_LOST_UNKNOWN };
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
	return dkt__comms_of(&((struct dkt__series *)source)->comms, record);
}

static int series_loss(struct dkt_source *source, int cpu, struct dkt_loss *loss)
{
	struct dkt__series *s = (struct dkt__series *)source;

	if (cpu < 0 || cpu >= s->base.info.cpus)
		return dkt_fail(s->base.ctx, -EINVAL, "there is no cpu %d", cpu);
	if ((size_t)cpu < s->n_losses)
		*loss = s->losses[cpu];
	for (size_t i = 0; i < s->at; i++)
		if (s->files[i].source)
			dkt__source_add_loss(s->files[i].source, cpu, loss);
	/* Losses after the last page of a file are in no window. */
	if (s->sliced && !(s->opts.flags & DKT_SOURCE_PART) && !s->since && !s->until &&
	    (size_t)cpu < s->n_told)
		loss->lost = DKT__MAX(loss->lost, s->told[cpu]);
	return 0;
}

/* ---- windows ---- */

/* The files before the window have been closed: opens them again when it is their turn. */
static int rewind_files(struct dkt__series *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < s->at; i++)
		if (s->files[i].source)
			err = close_file(s, &s->files[i]);
	s->at = 0;
	s->passed = 0;
	return err;
}

static int series_seek(struct dkt_source *source, uint64_t since, uint64_t until)
{
	struct dkt__series *s = (struct dkt__series *)source;
	int err = 0;

	s->since = since;
	s->until = until;
	if (!s->begun)
		return 0;
	s->sliced = true;
	s->taken = false;
	s->heap.n = 0;
	if (since < s->passed)
		err = rewind_files(s);
	begin_window(s);
	for (uint32_t i = 0; !err && i < s->at; i++)
		if (s->files[i].source)
			err = place_file(s, i);
	return err;
}

/* Returns the last file that begins at the time or before, or the first one. */
static size_t find_file(const struct dkt__series *s, uint64_t time)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->files[i].least <= time)
			nr = i;
	return nr;
}

/* Opens the files up to that one, and closes those that have no record at the time or later. */
static int open_up_to(struct dkt__series *s, size_t nr, uint64_t time)
{
	int err = 0;

	while (!err && s->at <= nr) {
		struct dkt__series_file *file = &s->files[s->at];

		err = open_next(s);
		if (!err && file->source)
			err = dkt__streams_seek(file->source, time, 0);
		if (!err && file->source && !has_more(&((struct dkt__dat *)file->source)->streams))
			err = close_file(s, file);
	}
	return err;
}

/* A slice is within one file, and has the records that other files have of the same time. */
static int series_slice(struct dkt_source *source, uint64_t from, uint64_t bytes, uint64_t *to)
{
	struct dkt__series *s = (struct dkt__series *)source;
	const struct dkt__series_file *last = &s->files[s->n - 1];
	size_t nr = find_file(s, from), i;
	int err;

	/* The place of a gap after the last record is not known before all have been read. */
	if (last->bad && last->least == UINT64_MAX)
		return dkt_fail(s->base.ctx, -EOPNOTSUPP, "the last file cannot be read");
	s->begun = s->sliced = true;
	err = from < s->passed ? rewind_files(s) : 0;
	s->passed = DKT__MAX(s->passed, from);
	if (!err)
		err = open_up_to(s, nr, from);
	*to = UINT64_MAX;
	if (!err && s->files[nr].source)
		err = dkt__streams_slice(s->files[nr].source, from, bytes, to);
	for (i = nr; i < s->n && s->files[i].least <= from; i++)
		;
	if (i < s->n)
		*to = DKT__MIN(*to, s->files[i].least);
	return err;
}

/* ---- the other calls ---- */

static int begun(const struct dkt__series *s)
{
	return s->begun ? dkt_fail(s->base.ctx, -EOPNOTSUPP,
				   "files in succession can only be read on") :
			  0;
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
		if (s->files[i].source &&
		    !dkt__source_get_bytes(s->files[i].source, &one_done, &one_of))
			*done += one_done;
	return 0;
}

static const char *series_stream(const struct dkt_source *source, uint32_t nr)
{
	const struct dkt__series *s = (const struct dkt__series *)source;

	return nr < s->n_streams ? s->streams[nr] : NULL;
}

static const struct dkt__disks *series_disks(const struct dkt_source *source, uint32_t nr)
{
	(void)nr;
	return &((const struct dkt__series *)source)->disks;
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
	free(s->told);
	free(s->damage);
	dkt__comms_clear(&s->comms);
	dkt__disks_clear(&s->disks);
	dkt__heap_clear(&s->heap);
	free(s);
}

const struct dkt__source_ops dkt__series_ops = {
	.next = series_next,
	.comm = series_comm,
	.loss = series_loss,
	.seek = series_seek,
	.slice = series_slice,
	.select = series_select,
	.filter = series_filter,
	.bytes = series_bytes,
	.stream = series_stream,
	.disks = series_disks,
	.close = series_close,
};
