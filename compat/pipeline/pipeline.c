/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Passes records from sources through a selection to a sink or a function. */
#include "compat/pipeline/pipeline.h"

#include "compat/pipeline/sink.h"
#include "lib/base/buf.h"
#include "lib/base/clock_at.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "lib/base/util.h"
#include "lib/inside.h"

/* Records between two checks of the buffer's size and the progress. */
#define BATCH 1024

/*
 * Two recordings of one host are of the same boot if their offsets to the wall clock differ by less
 * than this, in ns.
 */
#define SAME_BOOT 1000000000

/* ---- records ---- */

static bool is_chosen(const struct pipeline *p, const struct dkt_record *record)
{
	struct chooser *chooser = pipeline_part(p, record)->chooser;

	return !chooser ||
	       (chooser_takes(chooser, record, p->source) && dkl_chooser_in_rate(chooser, record));
}

/* Selected or not: a part of a message comes before it is known whether the message is selected. */
static inline void note_message(const struct pipeline *p, const struct dkt_record *record)
{
	struct message_reader *messages = pipeline_part(p, record)->messages;

	if (messages && !p->joined)
		dkl_message_reader_keep(messages, record);
}

/*
 * Passes a batch of records to fn, or to the sink if fn is NULL. Returns the last result of
 * dkt_source_next(). *stop is the first result of fn or the sink that is not 0.
 */
static int run_batch(struct pipeline *p, struct sink *sink, pipeline_fn fn, void *data, int *stop)
{
	struct dkt_record record;
	int err = 0;

	for (int i = 0; i < BATCH && !*stop; i++) {
		err = dkt_source_next(p->source, &record);
		if (err)
			break;
		note_message(p, &record);
		if (p->selection && !is_chosen(p, &record))
			continue;
		if (p->several_clocks && record.event)
			bounds_range_add(&pipeline_part(p, &record)->range, record.ts);
		if (!record.event)
			losses_add_gap(&pipeline_part(p, &record)->losses, &record);
		*stop = fn ? fn(data, p->source, &record) : sink_put(sink, &record);
	}
	return err;
}

/* Writes what there is, and waits for more from the writer of a pipe. */
static int wait_for_more(const struct pipeline *p, struct sink *sink, bool writes)
{
	int err = writes ? dkl_text_out_write(&sink->out) : 0;

	if (!err)
		err = dkt_source_wait(p->source, -1);
	return err == -EINTR ? 0 : err;
}

/* Passes the incomplete messages. Without all records, nobody knows whether a message is. */
static int run_left(struct pipeline *p, struct sink *sink, pipeline_fn fn, void *data)
{
	struct dkt_record record;
	int err = 0;

	if (p->joined || p->selection || p->until)
		return 0;
	p->ended = true;
	for (size_t i = 0; i < p->n; i++) {
		struct pipeline_part *part = &p->parts[i];

		while (!err && part->messages && !part->on &&
		       dkl_message_reader_left(part->messages, &record)) {
			p->incomplete++;
			err = fn ? fn(data, p->source, &record) : sink_put(sink, &record);
		}
	}
	return err;
}

static int run(struct pipeline *p, struct sink *sink, bool writes, pipeline_fn fn, void *data)
{
	int err = 0, stop = 0;

	while (!err && !stop && (p->later || !dkt__stopped())) {
		err = run_batch(p, sink, fn, data, &stop);
		if (err == DKT_NEXT_LATER && !stop)
			err = p->later ? p->later(p->data) : wait_for_more(p, sink, writes);
		if (err == DKT_NEXT_END && !stop)
			stop = run_left(p, sink, fn, data);
		if (!err && !stop && writes)
			stop = dkl_text_out_write_if_full(&sink->out);
		if (p->look)
			p->look(p->data);
	}
	return stop ? stop : dkl_pipeline_fail(p, DKT__MIN(err, 0));
}

int dkl_pipeline_each(struct pipeline *p, pipeline_fn fn, void *data)
{
	return run(p, NULL, false, fn, data);
}

int dkl_pipeline_fill(struct pipeline *p, struct sink *sink)
{
	return run(p, sink, false, NULL, NULL);
}

int dkl_pipeline_print(struct pipeline *p, struct sink *sink)
{
	int err = dkl_sink_begin(sink);

	if (!err)
		err = run(p, sink, sink_is_text(sink), NULL, NULL);
	return err ? err : dkl_sink_finish(sink);
}

int dkl_pipeline_count(struct pipeline *p)
{
	int err = 0;

	for (size_t i = 0; i < p->n; i++)
		/* A CPU whose counts are unknown counts 0. */
		if (dkl_losses_count(&p->parts[i].losses, p->parts[i].source) == -ENOMEM)
			err = dkt__with_words(p->ctx, -ENOMEM);
	return err;
}

/* ---- what is asked for ---- */

int dkl_pipeline_map(const struct pipeline *p, struct pipeline_part *part)
{
	if (part->map || part->classless)
		return 0;
	return dkl_class_map_open(part->ctx, p->classes, &part->map);
}

int dkl_pipeline_messages(struct pipeline_part *part)
{
	return part->messages ? 0 : dkl_message_reader_new(part->ctx, &part->messages);
}

static int choose(const struct pipeline *p, struct pipeline_part *part, struct selection *selection)
{
	int err = 0;

	if (dkl_selection_by_class(selection)) {
		err = dkl_pipeline_map(p, part);
		if (!err)
			err = dkl_legacy_style_new(part->ctx, part->map, part->messages,
						   &part->legacy);
	}
	return err ? err :
		     dkl_chooser_open(part->ctx, part->source, selection, part->legacy,
				      &part->chooser);
}

static int set_window(struct pipeline *p, struct selection *selection)
{
	struct pipeline_part *first = &p->parts[0];
	int err = dkl_selection_window(selection, first->ctx, dkt_source_info(p->source), &p->since,
				       &p->until);

	if (err || (!p->since && !p->until))
		return dkl_pipeline_fail(p, err);
	err = dkt_source_seek(p->source, p->since, p->until);
	if (err == -EOPNOTSUPP)
		return dkt_fail(p->ctx, err, "%s can only be read from beginning to end",
				p->n > 1 ? "one of the files" : first->name);
	return dkl_pipeline_fail(p, err);
}

int dkl_pipeline_select(struct pipeline *p, struct selection *selection)
{
	int err = set_window(p, selection);

	if (err || dkl_selection_is_all(selection))
		return err;
	p->selection = selection;
	for (size_t i = 0; !err && i < p->n; i++)
		err = choose(p, &p->parts[i], selection);
	return dkl_pipeline_fail(p, err);
}

int dkl_pipeline_check_events(struct pipeline *p, const struct selection *selection)
{
	for (size_t i = 0; i < p->n; i++)
		if (dkl_chooser_check_events(p->parts[i].ctx, selection) != -ENOENT)
			return 0;
	return p->n ? dkt_fail(p->ctx, -ENOENT, "%s", dkt_error(p->parts[0].ctx)) : 0;
}

int dkl_pipeline_fail(const struct pipeline *p, int err)
{
	const struct pipeline_part *part;

	/* The pipeline was not initialised: another context has the message. */
	if (err >= 0 || !p->ctx)
		return err;
	/* A call that had no memory may have left the message of an earlier failure. */
	if (err == -ENOMEM)
		return dkt__with_words(p->ctx, err);
	for (size_t i = 0; i < p->n; i++) {
		part = &p->parts[i];
		if (part->ctx == p->ctx || !*dkt_error(part->ctx))
			continue;
		return p->n > 1 ?
			       dkt_fail(p->ctx, err, "%s: %s", part->name, dkt_error(part->ctx)) :
			       dkt_fail(p->ctx, err, "%s", dkt_error(part->ctx));
	}
	return *dkt_error(p->ctx) ? err : dkt_fail(p->ctx, err, "%s", strerror(-err));
}

/* ---- parts ---- */

int dkl_pipeline_init(struct pipeline *p, struct dkt_ctx *ctx, size_t n)
{
	*p = (struct pipeline){ .ctx = ctx, .parts = calloc(n + 1, sizeof(*p->parts)) };
	return p->parts ? 0 : dkt__no_memory(ctx);
}

void dkl_pipeline_add(struct pipeline *p, struct dkt_ctx *ctx, struct dkt_source *source,
		      const char *name)
{
	p->parts[p->n++] = (struct pipeline_part){ .ctx = ctx, .source = source, .name = name };
	p->source = source;
}

/* Counts like the merged source: at least one. */
static size_t count_streams(const struct dkt_source *source)
{
	uint32_t n = 1;

	while (dkt_source_stream(source, n))
		n++;
	return n;
}

int dkl_pipeline_merge(struct pipeline *p, struct dkt_merge_part *parts)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += count_streams(p->parts[i].source);
	p->part_of = calloc(n, sizeof(*p->part_of));
	if (!p->part_of)
		return dkt__no_memory(p->ctx);
	for (size_t i = 0; i < p->n; i++) {
		parts[i].source = p->parts[i].source;
		p->parts[i].offset = parts[i].offset;
		for (size_t j = count_streams(p->parts[i].source); j; j--)
			p->part_of[p->n_streams++] = i;
	}
	p->source = NULL;
	return dkt_source_merge(parts, p->n, &p->source);
}

int dkl_pipeline_find_clocks(struct pipeline *p)
{
	const size_t n = count_streams(p->source);

	p->clocks = calloc(n, sizeof(*p->clocks));
	if (!p->clocks)
		return dkt__no_memory(p->ctx);
	p->n_clocks = n;
	for (size_t i = 0; i < n; i++)
		if (!dkt__source_clock(p->source, (uint32_t)i, &p->clocks[i], sizeof(*p->clocks)))
			p->several_clocks = true;
	for (size_t i = 0; i < n && !p->several_clocks; i++)
		p->clocks[i].exact = true;
	return 0;
}

uint64_t dkl_pipeline_worst_error(const struct pipeline *p, size_t i)
{
	uint64_t worst = p->clocks ? 0 : BOUNDS_UNKNOWN;

	for (size_t nr = 0; nr < p->n_clocks; nr++)
		if (!p->part_of || p->part_of[nr] == i)
			worst = DKT__MAX(worst,
					 dkl_bounds_worst(&p->clocks[nr], &p->parts[i].range));
	return worst;
}

static bool same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

bool dkl_pipeline_same_boot(const struct dkt_source *one, const struct dkt_source *other)
{
	const struct dkt_source_info *a = dkt_source_info(one), *b = dkt_source_info(other);

	return one == other ||
	       (same(a->host, b->host) && same(a->clock, b->clock) &&
		(!a->has_wall || !b->has_wall || llabs(a->wall - b->wall) < SAME_BOOT));
}

static void add_words(struct dkt_buf *buf, const char *name, const char *words)
{
	if (words)
		dkt_buf_printf(buf, "%s%s%s%s", buf->len ? "; " : "", name ? name : "",
			       name ? ": " : "", words);
}

int dkl_pipeline_lacks(const struct pipeline *p, char **words)
{
	const bool several = p->n + p->n_absent > 1;
	struct dkt_buf buf = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < p->n; i++) {
		const struct pipeline_part *part = &p->parts[i];
		char *one __cleanup(free) = NULL;

		err = dkl_losses_damage(part->lacks, dkt_source_info(part->source), &one);
		add_words(&buf, several ? part->name : NULL, one);
	}
	for (size_t i = 0; i < p->n_absent; i++)
		add_words(&buf, p->absent[i].path, p->absent[i].lacks);
	*words = !err && buf.len ? strndup(buf.data, buf.len) : NULL;
	err = err || buf.err || (buf.len && !*words) ? -ENOMEM : 0;
	free(buf.data);
	return err;
}

void dkl_pipeline_clear(struct pipeline *p)
{
	if (p->part_of)
		dkt_source_close(p->source);
	for (size_t i = 0; i < p->n; i++) {
		dkl_chooser_free(p->parts[i].chooser);
		dkl_legacy_style_free(p->parts[i].legacy);
		dkl_message_reader_free(p->parts[i].messages);
		dkl_class_map_free(p->parts[i].map);
		dkl_losses_clear(&p->parts[i].losses);
	}
	free(p->parts);
	free(p->part_of);
	free(p->clocks);
	*p = (struct pipeline){ 0 };
}

static struct dkt_clock_point find(const struct dkt_source_clock *clock, uint64_t ts)
{
	struct dkt_clock_point at = { .error = clock->exact ? 0 : BOUNDS_UNKNOWN,
				      .own_error = BOUNDS_UNKNOWN };

	dkt__clock_at(clock->points, clock->n_points, ts, &at);
	if (clock->exact)
		at.error = 0;
	return at;
}

uint64_t dkl_bounds_error(const struct dkt_source_clock *clock, uint64_t ts)
{
	return find(clock, ts).error;
}

uint64_t dkl_bounds_worst(const struct dkt_source_clock *clock, const struct bounds_range *range)
{
	uint64_t worst = 0;

	if (clock->exact)
		return 0;
	if (!clock->n_points)
		return BOUNDS_UNKNOWN;
	for (size_t i = 0; i < clock->n_points; i++)
		worst = DKT__MAX(worst, clock->points[i].error);
	if (range->any)
		worst = DKT__MAX(worst, DKT__MAX(dkl_bounds_error(clock, range->first),
						 dkl_bounds_error(clock, range->last)));
	return worst;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > BOUNDS_UNKNOWN - b ? BOUNDS_UNKNOWN : a + b;
}

/*
 * Two hosts are as far apart as both are from the clock that all are merged on, or from that of the host which
 * measured them: the smaller sum holds.
 */
static bool is_certain(const struct bounds_last *before, const struct bounds_last *now)
{
	const uint64_t error =
		DKT__MIN(sum(before->error, now->error), sum(before->own_error, now->own_error));

	return !before->clock || (error != BOUNDS_UNKNOWN && now->ts - before->ts > error);
}

bool dkl_bounds_order_add(struct bounds_order *order, const struct dkt_source_clock *clock,
			  uint64_t ts, uint64_t *error)
{
	const struct dkt_clock_point at = find(clock, ts);
	const struct bounds_last now = { clock, ts, at.error, at.own_error };

	if (order->last.clock && order->last.clock->host != clock->host)
		order->other = order->last;
	order->last = now;
	*error = at.error;
	return is_certain(&order->other, &now);
}
