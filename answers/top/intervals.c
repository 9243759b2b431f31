/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ready-made intervals: how many ended, and how long they took. */
#include "answers/top/state.h"

#include "lib/base/memory.h"

/* An interval that is measured. */
struct measured {
	const struct activity *activity;
	const char *name;
	struct dkt_intervals *pairs;
	struct dkt__dist dist; /* of those that have ended since activity->from */
};

/* A gap can also cancel one that a frame has shown. */
static int add_time(void *data, uint64_t end, uint64_t ns, bool cancelled)
{
	struct measured *measured = data;

	if (!cancelled)
		return dkt__dist_add(&measured->dist, ns);
	if (end >= measured->activity->from)
		dkt__dist_remove(&measured->dist, ns);
	return 0;
}

/* Tells which events of the interval are missing, or else of what it is within. */
static int lacks_events(struct dkt_ctx *ctx, const struct dkt_interval *way,
			struct dkt_event *const *events, size_t n)
{
	const struct dkt_interval *lacking = way;
	uint32_t roles = dkt__interval_roles_of(way, events, n);

	while (roles == (DKT_INTERVAL_BEGIN | DKT_INTERVAL_END) && lacking->outer) {
		lacking = lacking->outer;
		roles = dkt__interval_roles_of(lacking, events, n);
	}
	return dkt_fail(ctx, -ENOENT, "pair '%s': this kernel has no event %s%s%s", way->name,
			roles & DKT_INTERVAL_BEGIN ? "" : lacking->begin, roles ? "" : ", ",
			roles & DKT_INTERVAL_END ? "" : lacking->end);
}

/* Records the events of the interval, and of what it is within. */
static int record_events(struct activity *activity, const struct dkt_interval *way,
			 struct dkt_event *const *events, size_t n)
{
	int err = 0;

	for (; !err && way; way = dkt__interval_outer(way, events, n))
		for (size_t i = 0; !err && i < n; i++)
			if (dkt_interval_roles(way, events[i]))
				err = activity_record_event(activity, events[i]);
	return err;
}

static int open_pairs(struct activity *activity, struct measured *measured,
		      const struct dkt_interval *way, struct dkt_event *const *events, size_t n)
{
	DKT_OPTS(dkt_intervals_opts, opts, .key = way->match, .pair = add_time, .data = measured);
	int err = dkt_intervals_new(activity->ctx, &opts, &measured->pairs);

	if (!err)
		err = dkt_intervals_bind(measured->pairs, way, events, n);
	return err ? err : record_events(activity, way, events, n);
}

static int open_one(struct activity *activity, struct measured *measured, const char *name)
{
	const struct dkt_interval *way = dkt_interval_find(activity->ctx, name), *last = NULL;
	struct dkt_event *const *events;
	size_t n;
	int err = dkt_events(activity->ctx, &events, &n);

	if (err)
		return err;
	for (; way; way = way->next) {
		/* A way for some calls would need a filter for records that others count. */
		if (way->calls)
			continue;
		last = way;
		if (dkt__interval_is_whole(way, events, n))
			break;
	}
	if (!last)
		return dkt_fail(activity->ctx, -ENOENT, "pair '%s': only files have it", name);
	if (!way)
		return lacks_events(activity->ctx, last, events, n);
	measured->activity = activity;
	measured->name = way->name;
	return open_pairs(activity, measured, way, events, n);
}

int intervals_open(struct activity *activity, const char *const *names, size_t n)
{
	int err = 0;

	activity->measured = calloc(n + 1, sizeof(*activity->measured));
	if (!activity->measured)
		return -ENOMEM;
	while (!err && activity->n_measured < n) {
		err = open_one(activity, &activity->measured[activity->n_measured],
			       names[activity->n_measured]);
		activity->n_measured++;
	}
	return err;
}

void intervals_clear(struct activity *activity)
{
	for (size_t i = 0; i < activity->n_measured; i++) {
		dkt_intervals_free(activity->measured[i].pairs);
		dkt__dist_clear(&activity->measured[i].dist);
	}
	free(activity->measured);
}

/* The pairs get all records, so that they know since when a CPU's are lost. */
int intervals_add(struct activity *activity, const struct dkt_record *record)
{
	int err = 0;

	for (size_t i = 0; !err && i < activity->n_measured; i++)
		err = dkt_intervals_add(activity->measured[i].pairs, NULL, record);
	return err;
}

int intervals_take(struct activity *activity, struct activity_frame *frame)
{
	frame->intervals = calloc(activity->n_measured + 1, sizeof(*frame->intervals));
	if (!frame->intervals)
		return -ENOMEM;
	for (; frame->n_intervals < activity->n_measured; frame->n_intervals++) {
		struct measured *measured = &activity->measured[frame->n_intervals];
		struct dkt__dist *dist = &measured->dist;

		frame->intervals[frame->n_intervals] = (struct activity_interval){
			.name = measured->name,
			.count = dist->count,
			.total = dist->sum,
			.p50 = dkt__dist_quantile(dist, 0.5),
			.p90 = dkt__dist_quantile(dist, 0.9),
			.p99 = dkt__dist_quantile(dist, 0.99),
			.max = dist->max,
		};
		dkt__dist_clear(dist);
	}
	return 0;
}
