/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The latencies of the page: each ready-made pair whose events a file has. */
#include "ctl/view/view.h"

#define SLOWEST 10

/* ---- records ---- */

static int add_pair(void *data, uint64_t end, uint64_t ns, bool cancelled)
{
	struct view_pair *pair = data;

	return heat_add(&pair->heat, pair->axis, end, ns, cancelled);
}

static void pair_free(struct view_pair *pair)
{
	if (!pair)
		return;
	latency_set_clear(&pair->set);
	heat_clear(&pair->heat);
	free(pair);
}

/* Sets *pair to NULL if the file lacks events or fields of the row. */
static int open_pair(struct view *view, const struct dkt_interval *row, size_t part,
		     struct view_pair **out)
{
	struct view_pair *pair = calloc(1, sizeof(*pair));
	struct dkt_ctx *ctx = view->in->pipeline.parts[part].ctx;
	DKT_OPTS(dkt_intervals_opts, opts, .slowest = SLOWEST, .pair = add_pair, .data = pair);
	int err = pair ? latency_find(ctx, row, false, &pair->set) : -ENOMEM;

	*out = NULL;
	if (!err && pair->set.usable) {
		pair->row = row;
		pair->part = part;
		pair->axis = &view->axis;
		err = latency_set_open(&pair->set, ctx, NULL, &opts);
		if (!err) {
			*out = pair;
			return 0;
		}
	}
	pair_free(pair);
	return err == -ENOENT ? 0 : err;
}

int view_pairs_init(struct view *view)
{
	const struct dkt_interval *list;
	struct view_pair *pair;
	size_t n;
	int err = dkt_interval_list(view->app->ctx, &list, &n);

	if (err)
		return err;
	for (size_t part = 0; !err && part < view->in->pipeline.n; part++)
		for (size_t i = 0; !err && i < n; i++) {
			err = open_pair(view, &list[i], part, &pair);
			if (!err && pair)
				err = dkt__append(view->pairs, view->n_pairs, pair);
		}
	return dkl_pipeline_fail(&view->in->pipeline, err);
}

int view_pairs_add(struct view *view, struct dkt_source *source, const struct dkt_record *record)
{
	const struct pipeline *p = &view->in->pipeline;
	size_t part = p->part_of ? p->part_of[record->stream] : 0;
	int err = 0;

	for (size_t i = 0; !err && i < view->n_pairs; i++)
		if (view->pairs[i]->part == part)
			err = dkt_intervals_add(view->pairs[i]->set.pairs, source, record);
	return err;
}

int view_pairs_finish(struct view *view)
{
	int err = 0;

	for (size_t i = 0; !err && i < view->n_pairs; i++) {
		err = dkt_intervals_finish(view->pairs[i]->set.pairs);
		if (!err)
			err = heat_fold(&view->pairs[i]->heat, &view->axis);
	}
	return err;
}

void view_pairs_clear(struct view *view)
{
	while (view->n_pairs)
		pair_free(view->pairs[--view->n_pairs]);
	free(view->pairs);
}

/* ---- JSON ---- */

/* Rows of the heat map for each power of two. */
#define PARTS 4

/* Appends the cells of a column: row, count, row, count ... Row 0 begins at 2^0 ns. */
static struct json_object *cells(const struct dkt__dist *dist)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int power = 0; power < 64; power++)
		for (unsigned int i = 0; i < PARTS; i++) {
			uint64_t n = dkt__dist_part(dist, power, i, PARTS);

			if (!n)
				continue;
			json_object_array_add(list, val_number(PARTS * power + i));
			json_object_array_add(list, val_number(n));
		}
	return list;
}

/* A column: its number, count, p50, p90, p99, maximum, cells. */
static struct json_object *column(uint32_t nr, const struct dkt__dist *dist)
{
	static const double parts[] = { 0.5, 0.9, 0.99 };
	struct json_object *object = json_object_new_array();

	json_object_array_add(object, val_number(nr));
	json_object_array_add(object, val_number(dist->count));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		json_object_array_add(object, val_number(dkt__dist_quantile(dist, parts[i])));
	json_object_array_add(object, val_number(dist->max));
	json_object_array_add(object, cells(dist));
	return object;
}

static struct json_object *heat_json(const struct heat *heat)
{
	struct json_object *columns = json_object_new_array();

	for (uint32_t i = 0; i < HEAT_COLUMNS; i++)
		if (heat->columns[i].count)
			json_object_array_add(columns, column(i, &heat->columns[i]));
	return columns;
}

static struct json_object *pair_json(struct view *view, struct view_pair *pair)
{
	struct pipeline *p = &view->in->pipeline;
	struct latency_report report = { .app = view->app,
					 .ctx = p->parts[pair->part].ctx,
					 .pairs = pair->set.pairs,
					 .source = p->source,
					 .disks = p->parts[pair->part].source,
					 .words = true,
					 .title = pair->row->keys ? pair->row->keys : "" };
	struct latency_view order;
	struct json_object *object = json_object_new_object();
	char title[LATENCY_TITLE_SIZE];

	losses_add_to(&report.all, &p->parts[pair->part].losses);
	/* As latency sorts without an option. */
	latency_view_read(&order, view->app, NULL);
	report.sort = order.sort;
	latency_title(report.title, title);
	json_object_object_add(object, "name", val_text(pair->row->name));
	json_object_object_add(object, "file", view_file_json(view, pair->part));
	json_object_object_add(object, "help", val_text(pair->row->about));
	json_object_object_add(object, "by", val_words(title));
	json_object_object_add(object, "numbers", latency_json(&report));
	json_object_object_add(object, "heat", heat_json(&pair->heat));
	return object;
}

/* If rows of one file have the same name, only the first with pairs is shown, as by latency. */
static bool is_shown(const struct view *view, size_t nr)
{
	const struct view_pair *pair = view->pairs[nr];
	struct dkt_intervals_info info;

	for (size_t i = 0; i < nr; i++) {
		const struct view_pair *before = view->pairs[i];

		dkt_intervals_info(before->set.pairs, &info, sizeof(info));
		if (info.pairs && before->part == pair->part &&
		    !strcmp(before->row->name, pair->row->name))
			return false;
	}
	dkt_intervals_info(pair->set.pairs, &info, sizeof(info));
	return info.pairs;
}

struct json_object *view_pairs_json(struct view *view)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < view->n_pairs; i++)
		if (is_shown(view, i))
			json_object_array_add(list, pair_json(view, view->pairs[i]));
	return list;
}
