/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The waterfall of the page: the slowest requests and locks of Lustre's logs, and those without an end. */
#include <inttypes.h>

#include "ctl/view/view.h"
#include "lib/base/buf.h"

/* Rows of each kind. */
#define ROWS 60

int view_lustre_init(struct view *view)
{
	int err = dkl_waterfall_init(&view->fall, view->app->ctx, ROWS);

	if (!err)
		err = dkl_line_readers_init(&view->readers, &view->in->pipeline);
	return dkl_pipeline_fail(&view->in->pipeline, err);
}

void view_lustre_clear(struct view *view)
{
	dkl_line_readers_clear(&view->readers);
	dkl_waterfall_clear(&view->fall);
}

int view_lustre_add(struct view *view, size_t part, const struct dkt_record *record)
{
	struct log_line line;
	int err;

	if (!record->event) {
		dkl_waterfall_gap(&view->fall, (uint32_t)part);
		return 0;
	}
	if (!dkl_line_read(view->readers.of[part], record, &line))
		return 0;
	if (dkl_line_is_start(&line))
		dkl_waterfall_restart(&view->fall, line.host);
	err = dkl_waterfall_add(&view->fall, &line);
	return err ? err : view_hosts_add_line(view, &line);
}

/* A span: kind, file, beginning, end, 1 if it did not end. */
static struct json_object *span_json(const struct view *view, const struct waterfall_span *span)
{
	struct json_object *object = json_object_new_array();

	json_object_array_add(object, val_text(dkl_waterfall_name(span->kind)));
	json_object_array_add(object, val_number(span->host));
	json_object_array_add(object, view_time_json(view, span->from));
	json_object_array_add(object, view_time_json(view, span->to));
	json_object_array_add(object, val_number(span->open));
	return object;
}

/* The id is a text: it can have more digits than a number of a script. */
static struct json_object *row_json(const struct view *view, const struct waterfall_row *row)
{
	char *id __cleanup(free) = dkt__format(row->is_lock ? "0x%" PRIx64 : "%" PRIu64, row->id);
	struct json_object *object = json_object_new_object(), *spans = json_object_new_array();
	char label[128];

	dkl_waterfall_label(row, label, sizeof(label));
	for (size_t i = 0; i < row->n; i++)
		json_object_array_add(spans, span_json(view, &row->spans[i]));
	json_object_object_add(object, "lock", val_bool(row->is_lock));
	json_object_object_add(object, "id", val_text(id));
	json_object_object_add(object, "label", val_text(label));
	json_object_object_add(object, "from", view_time_json(view, row->from));
	json_object_object_add(object, "ns", val_number(row->to - row->from));
	json_object_object_add(object, "nid", val_words(row->nid));
	json_object_object_add(object, "thread", val_words(row->thread));
	json_object_object_add(object, "job", val_words(row->job));
	json_object_object_add(object, "space", val_words(row->ns));
	json_object_object_add(object, "spans", spans);
	return object;
}

struct json_object *view_lustre_json(const struct view *view)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < view->fall.n; i++)
		json_object_array_add(list, row_json(view, &view->fall.rows[i]));
	return list;
}
