/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Exchanges between hosts: connections and requests of which two files have a side each. */
#include "ctl/view/view.h"
#include "lib/base/memory.h"

/* The page has the longest ones. */
#define WAYS_MAX 100

static uint64_t length(const struct exchange_way *way)
{
	return way->steps[way->n - 1].time - way->steps[0].time;
}

static int longest_first(const void *one, const void *other)
{
	const uint64_t a = length(one), b = length(other);

	return a < b ? 1 : -(a > b);
}

/* Keeps twice as many and then drops the shorter half. */
static int keep(void *data, const struct exchange_way *way)
{
	struct view *view = data;

	view->all_ways++;
	if (view->n_ways == 2 * WAYS_MAX) {
		qsort(view->ways, view->n_ways, sizeof(*view->ways), longest_first);
		view->n_ways = WAYS_MAX;
	}
	view->ways[view->n_ways++] = *way;
	return 0;
}

int view_hosts_init(struct view *view)
{
	int err;

	if (view->in->pipeline.n < 2)
		return 0;
	err = inputs_exchange(view->in, NULL, NULL, &view->exchange);
	view->ways = calloc(2 * WAYS_MAX, sizeof(*view->ways));
	if (!err && !view->ways)
		err = -ENOMEM;
	if (!err)
		exchange_tell_ways(view->exchange, keep, view);
	return dkt__with_words(view->app->ctx, err);
}

void view_hosts_clear(struct view *view)
{
	exchange_free(view->exchange);
	free(view->ways);
}

int view_hosts_add(struct view *view, size_t part, const struct dkt_record *record)
{
	int err = view->exchange ? exchange_add(view->exchange, (uint32_t)part, record) : 0;

	return dkt__with_words(view->app->ctx, err);
}

int view_hosts_add_line(struct view *view, const struct log_line *line)
{
	int err = view->exchange ? exchange_add_line(view->exchange, line) : 0;

	return dkt__with_words(view->app->ctx, err);
}

int view_hosts_finish(struct view *view)
{
	int err = view->exchange ? exchange_finish(view->exchange) : 0;

	if (view->n_ways)
		qsort(view->ways, view->n_ways, sizeof(*view->ways), longest_first);
	view->n_ways = DKT__MIN(view->n_ways, (size_t)WAYS_MAX);
	return dkt__with_words(view->app->ctx, err);
}

/* A step: file, time, words. */
static struct json_object *steps_json(const struct view *view, const struct exchange_way *way)
{
	struct json_object *steps = json_object_new_array();

	for (size_t i = 0; i < way->n; i++) {
		struct json_object *object = json_object_new_array();

		json_object_array_add(object, val_number(way->steps[i].host));
		json_object_array_add(object, view_time_json(view, way->steps[i].time));
		json_object_array_add(object, val_text(way->steps[i].what));
		json_object_array_add(steps, object);
	}
	return steps;
}

struct json_object *view_hosts_json(const struct view *view)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < view->n_ways; i++) {
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "label", val_text(view->ways[i].label));
		json_object_object_add(object, "from",
				       view_time_json(view, view->ways[i].steps[0].time));
		json_object_object_add(object, "ns", val_number(length(&view->ways[i])));
		json_object_object_add(object, "steps", steps_json(view, &view->ways[i]));
		json_object_array_add(list, object);
	}
	return list;
}
