/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flight status: the groups, conditions and dumps of a flight recorder. */
#include <inttypes.h>

#include "ctl/app/print.h"
#include "ctl/flight/actions.h"
#include "recording/flight/flight.h"

#define LABELS 12

static const struct column group_columns[] = {
	{ .key = "group" },
	{ .key = "records", .type = COL_NUMBER },
	{ .key = "bytes", .type = COL_BYTES },
	{ .key = "size", .type = COL_BYTES },
	{ .key = "span", .type = COL_DURATION },
	{ .key = "overwritten", .type = COL_NUMBER },
	{ .key = "lost", .type = COL_NUMBER },
	{ .key = "events", .flags = COL_FOLD },
};

static const struct column dump_columns[] = {
	{ .key = "time" },
	{ .key = "bytes", .type = COL_BYTES },
	{ .key = "lost", .type = COL_NUMBER },
	{ .key = "file" },
	{ .key = "reason", .flags = COL_FOLD },
};

static struct json_object *texts(const struct dkt__strings *list)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; array && i < list->n; i++)
		json_object_array_add(array, json_object_new_string(list->list[i]));
	return array;
}

static void put_limits(struct out *out, const struct flight_state *state)
{
	const double keep = (double)state->keep / 1e9, after = (double)state->after / 1e9;

	out_put(out, "dir", val_text(state->dir));
	out_line(out, "dumps", "to %s", state->dir);
	out_put(out, "max_dumps", val_number(state->max_dumps));
	out_put(out, "max_size", val_number(state->max_size));
	out_put(out, "keep_ns", val_number(state->keep));
	out_put(out, "after_ns", val_number(state->after));
	out_put(out, "exec", val_text(state->exec));
	out_put(out, "suppressed", val_number(state->suppressed));
	out_put(out, "merged", val_number(state->merged));
	out_line(out, "limits", "%" PRIu64 " an hour, %.0f MB in all", state->max_dumps,
		 (double)state->max_size / DKT__MB);
	if (state->keep)
		out_line(out, "limits", "deleted after %g s", keep);
	if (state->after)
		out_line(out, "after", "%g s", after);
	out_text(out, "exec", state->exec);
	if (state->suppressed)
		out_line(out, "suppressed", "%" PRIu64 " because the hour has had its dumps",
			 state->suppressed);
	if (state->merged)
		out_line(out, "merged", "%" PRIu64 " into the dump of an earlier incident",
			 state->merged);
	for (size_t i = 0; i < state->conditions.n; i++)
		out_line(out, "when", "%s%s%s", state->conditions.list[i],
			 i < state->ways.n ? ": " : "",
			 i < state->ways.n ? state->ways.list[i] : "");
	out_put(out, "error", val_text(state->error));
	out_put(out, "note", val_text(state->note));
	if (state->error)
		out_line(out, "attention", "the last dump failed: %s", state->error);
	if (state->note)
		out_line(out, "attention", "the last dump is a recording in progress: %s",
			 state->note);
}

static struct rows *group_rows(struct app *app, const struct flight_state *state)
{
	struct rows *rows = rows_new("groups", group_columns, ARRAY_SIZE(group_columns));

	for (size_t i = 0; i < state->groups.n; i++) {
		struct flight_fill fill = { 0 };
		struct flight_group group;
		bool known = !flight_open(app->ctx, app->instance, state->groups.list[i], &group) &&
			     !flight_fill(&group, &fill);

		flight_close(&group);
		rows_add(rows, val_text(state->groups.list[i]),
			 known ? val_number(fill.records) : NULL,
			 known ? val_number(fill.bytes) : NULL,
			 known ? val_number(fill.size) : NULL, known ? val_number(fill.span) : NULL,
			 known ? val_number(fill.overwritten) : NULL,
			 known ? val_number(fill.lost) : NULL,
			 val_text(known ? state->words.list[i] : "removed by another program"));
	}
	return rows;
}

static struct rows *dump_rows(const struct flight_state *state)
{
	struct rows *rows = rows_new("dumps", dump_columns, ARRAY_SIZE(dump_columns));
	const size_t dir = strlen(state->dir);

	for (size_t i = 0; i < state->dumps.n; i++) {
		const struct flight_dump *dump = &state->dumps.list[i];
		const char *name = strncmp(dump->file, state->dir, dir) ? dump->file :
									  dump->file + dir + 1;

		rows_add(rows, val_when(dump->time), val_number(dump->bytes),
			 val_number(dump->lost), val_text(name), val_text(dump->reason));
	}
	return rows;
}

/* In a pipe, lines are not folded. */
static void put_killed(struct out *out)
{
	out_line(out, "attention", "the process was killed; its instances still record");
	out_line(out, "", "'dktrace flight dump' writes what they hold");
	out_line(out, "", "'dktrace flight stop' removes them");
}

int flight_action_status(struct app *app)
{
	pid_t pid = service_holder(&flight_service, app->instance);
	struct flight_state state;
	struct out out;
	int err = flight_load(app->ctx, app->instance, &state);

	if (!err)
		err = dkt_tracefs_open(app->ctx, 0);
	if (err) {
		flight_clear(&state);
		return app_fail(app);
	}
	print_begin(app, &out, LABELS);
	out_put(&out, "pid", pid ? val_number((uint64_t)pid) : NULL);
	out_put(&out, "recording", val_bool(true));
	out_put(&out, "started", val_when(state.started));
	if (pid)
		out_line(&out, "recorder", "process %d", (int)pid);
	else
		put_killed(&out);
	put_limits(&out, &state);
	out_put(&out, "when", texts(&state.conditions));
	out_put(&out, "ways", texts(&state.ways));
	out_rows(&out, group_rows(app, &state));
	out_rows(&out, dump_rows(&state));
	flight_clear(&state);
	err = out_end(&out);
	if (err)
		return app_fail(app);
	return pid ? 0 : EXIT_FAILURE;
}
