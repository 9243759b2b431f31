/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The calls of the page: the slowest ways through Lustre, span by span. */
#include <inttypes.h>

#include "ctl/lustre_log/lustre_log.h"
#include "ctl/view/view.h"
#include "lib/base/buf.h"

/* The page has so many spans of a call: the longest. */
#define SPANS 50

/* An XID is a text: it can have more digits than a number of a script. NULL: 0. */
static struct json_object *xid_json(uint64_t xid)
{
	char *text __cleanup(free) = xid ? dkt__format("%" PRIu64, xid) : NULL;

	return val_text(text);
}

static struct json_object *known_time(const struct view *view, uint64_t ts)
{
	return ts ? view_time_json(view, ts) : NULL;
}

/* Who has the lock: NID, file, PID, and when he got the callback, took it, and gave the lock back. */
static struct json_object *held_json(const struct view *view, const struct path_span *span)
{
	const struct lock_pair *held = &span->held;
	struct json_object *list = json_object_new_array();

	if (!span->holder) {
		json_object_put(list);
		return NULL;
	}
	json_object_array_add(list, val_words(path_name(&view->paths, span->holder)));
	json_object_array_add(list, held->has_client ? val_number(held->client) : NULL);
	json_object_array_add(list, held->has_client ? val_number(held->pid) : NULL);
	json_object_array_add(list, known_time(view, held->sent));
	json_object_array_add(list, known_time(view, held->received));
	json_object_array_add(list, known_time(view, held->returned));
	return list;
}

/* A span: part, file, beginning, end, XID, holder. */
static struct json_object *span_json(const struct view *view, const struct path_span *span)
{
	struct json_object *object = json_object_new_array();

	json_object_array_add(object, val_text(dkl_path_part_name(span->part)));
	json_object_array_add(object, val_number(span->host));
	json_object_array_add(object, view_time_json(view, span->from));
	json_object_array_add(object, view_time_json(view, span->to));
	json_object_array_add(object, xid_json(span->xid));
	json_object_array_add(object, held_json(view, span));
	return object;
}

static struct json_object *path_json(const struct view *view, const struct path *path)
{
	const struct paths *paths = &view->paths;
	const uint64_t shortest = dkl_path_spans_shortest(&path->spans, SPANS);
	struct json_object *object = json_object_new_object(), *spans = json_object_new_array();
	size_t left_out = 0;

	for (size_t i = 0; i < path->spans.n; i++) {
		const struct path_span *span = &path->spans.list[i];

		if (span->to - span->from < shortest)
			left_out++;
		else
			json_object_array_add(spans, span_json(view, span));
	}
	json_object_object_add(object, "call", val_words(path_name(paths, path->call)));
	json_object_object_add(object, "file", val_words(path_name(paths, path->file)));
	json_object_object_add(object, "fid", val_words(path_name(paths, path->fid)));
	json_object_object_add(object, "opcode", lustre_opcode(path->opcode));
	json_object_object_add(object, "xid", xid_json(path->xid));
	json_object_object_add(object, "requests", val_number(path->requests));
	json_object_object_add(object, "job", val_words(path_name(paths, path->job)));
	json_object_object_add(object, "client", val_words(path_name(paths, path->client)));
	json_object_object_add(object, "target", val_words(path_name(paths, path->target)));
	json_object_object_add(object, "host", val_number(path->host));
	json_object_object_add(object, "from", view_time_json(view, path->from));
	json_object_object_add(object, "ns", val_number(path->to - path->from));
	json_object_object_add(object, "spans", spans);
	json_object_object_add(object, "left_out", val_number(left_out));
	return object;
}

struct json_object *view_paths_json(const struct view *view)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < view->paths.n_slowest; i++)
		json_object_array_add(list, path_json(view, &view->paths.slowest[i]));
	return list;
}
