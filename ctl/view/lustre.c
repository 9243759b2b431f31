/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The waterfall of the page: the slowest requests and locks of Lustre's logs, and those without an end. */
#include <inttypes.h>

#include "ctl/view/view.h"
#include "lib/base/buf.h"

/* Rows of each kind. */
#define ROWS 60

/* Calls that the page has: a part of its time has some of them, too. */
#define PATHS 200

int view_lustre_init(struct view *view)
{
	const struct pipeline *p = &view->in->pipeline;
	const struct path_wants all = { .opcode = OPCODE_UNKNOWN };
	int err;

	for (size_t i = 0; i < p->n; i++)
		view->messages |= dkl_line_any(p->parts[i].ctx);
	err = dkl_paths_init(&view->paths, view->app->ctx, PATH_BY_NONE, &all, PATHS, ROWS);
	if (!err)
		err = dkl_line_readers_init(&view->readers, p);
	return dkl_pipeline_fail(p, err);
}

void view_lustre_clear(struct view *view)
{
	dkl_line_readers_clear(&view->readers);
	dkl_waterfall_clear(&view->fall);
	dkl_paths_clear(&view->paths);
}

int view_lustre_add(struct view *view, size_t part, struct dkt_source *source,
		    const struct dkt_record *record)
{
	struct log_line line;
	int err;

	if (!record->event) {
		dkl_paths_cut(&view->paths, (uint32_t)part, false);
		return 0;
	}
	/* Without messages, there is no call of Lustre that a system call or a disk could be a part of. */
	if (!dkl_line_read(view->readers.of[part], record, &line))
		return view->messages ? dkl_paths_record(&view->paths, (uint32_t)part, record,
							 dkt_source_comm(source, record)) :
					0;
	if (dkl_line_is_start(&line))
		dkl_paths_cut(&view->paths, line.host, true);
	err = dkl_paths_add(&view->paths, &line);
	return err ? err : view_hosts_add_line(view, &line);
}

int view_lustre_finish(struct view *view)
{
	struct paths *paths = &view->paths;
	int err = dkl_paths_finish(paths);

	if (!err)
		err = dkl_waterfall_make(&view->fall, view->app->ctx, &paths->rpcs, &paths->locks,
					 ROWS);
	return dkl_pipeline_fail(&view->in->pipeline, err);
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
