/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes the page of view: whatever records and files say, its data is JSON, and no text gets out of its place. The
 * input is 'f' and a file, or records of known events with any numbers, on two hosts.
 */
#include <json.h>

#include "ctl/app/groups.h"
#include "ctl/view/view.h"
#include "lib/base/memory.h"
#include "tests/fuzz/made_records.h"

/* Words of HTML in a page, which are those of its template and scripts. */
struct around {
	size_t scripts, comments;
};

struct room {
	struct app app;
	struct inputs in;
	struct record_args args;
	struct view *view;
	struct dkt_event *const *events;
	size_t n_events;
	char paths[2][32], offset[64];
	int fds[2];
};

static size_t count(const char *text, const char *word)
{
	size_t n = 0;

	while ((text = strcasestr(text, word))) {
		text += strlen(word);
		n++;
	}
	return n;
}

static void check_data(char *text)
{
	static const char before[] = "<script type=\"application/json\"";
	char *from = strstr(text, before), *to;
	struct json_object *data;

	must(from && (from = strchr(from, '>')));
	to = strstr(++from, "</script>");
	must(to);
	*to = '\0';
	data = json_tokener_parse(from);
	must(data && json_object_is_type(data, json_type_object));
	json_object_put(data);
}

/* No record adds an element or a comment to the page of none. */
static void check_page(char *text)
{
	static struct around none;
	const struct around has = { count(text, "<script"), count(text, "<!--") };

	if (!none.scripts)
		none = has;
	must(has.scripts && has.scripts == none.scripts && has.comments == none.comments);
	check_data(text);
}

static void write_page(struct room *room)
{
	char *text __cleanup(free) = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	must(f && !view_write(room->view, f) && !fclose(f));
	must(strlen(text) == len);
	check_page(text);
}

/* False: it is no file that can be read. */
static bool open_files(struct room *room, size_t n)
{
	char *paths[] = { room->paths[0], room->paths[1] };

	for (size_t i = 0; i < n; i++)
		snprintf(paths[i], sizeof(room->paths[i]), "/proc/self/fd/%d", room->fds[i]);
	if (n > 1) {
		snprintf(room->offset, sizeof(room->offset), "%s=0", paths[1]);
		OPT_CHANGE(&room->app, input)->offset = room->offset;
	}
	room->app.root = FORMATS;
	must(!dkt_ctx_new(NULL, &room->app.ctx) && !record_args_read(&room->app, &room->args));
	must(!inputs_new(&room->app, paths, n, &room->in));
	if (inputs_open_quietly(&room->in, &room->args))
		return false;
	room->view = calloc(1, sizeof(*room->view));
	must(room->view);
	return !view_init(room->view, &room->app, &room->in, false);
}

static void close_files(struct room *room, size_t n)
{
	if (room->view)
		view_clear(room->view);
	free(room->view);
	inputs_clear(&room->in);
	record_args_clear(&room->args);
	dkt_ctx_free(room->app.ctx);
	for (size_t i = 0; i < n; i++)
		close(room->fds[i]);
}

static void take(void *to, const struct dkt_record *record)
{
	struct room *room = to;
	struct dkt_record with = *record;

	with.stream = record->cpu % 2;
	/* Each file has events of its own. */
	if (with.event)
		with.event = dkt_event_find(room->in.pipeline.parts[with.stream].ctx,
					    dkt_event_system(with.event),
					    dkt_event_name(with.event));
	must(!view_add(room->view, room->in.pipeline.source, &with));
}

static void view_file(const uint8_t *data, size_t size)
{
	struct room room = { .fds = { open_bytes(data, size) } };

	if (open_files(&room, 1) && !inputs_each(&room.in, view_add, room.view) &&
	    !view_finish(room.view))
		write_page(&room);
	close_files(&room, 1);
}

static void view_records(const uint8_t *data, size_t size)
{
	struct room room = { .fds = { open_text(), open_text() } };

	must(open_files(&room, 2));
	must(!dkt_events(room.in.pipeline.parts[0].ctx, &room.events, &room.n_events) &&
	     room.n_events);
	make_records(data, size, room.events, room.n_events, take, &room);
	must(!view_finish(room.view));
	write_page(&room);
	close_files(&room, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool begun;

	if (!begun) {
		setenv("DKTRACE_CLASSES", "share/classes.d", 1);
		setenv("DKTRACE_INTERVALS", "share/intervals.d", 1);
		view_records(NULL, 0);
		begun = true;
	}
	if (size && data[0] == 'f')
		view_file(data + 1, size - 1);
	else
		view_records(data, size);
	return 0;
}
