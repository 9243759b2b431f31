/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lustre path: where calls and their requests spend their time. */
#include "ctl/lustre_log/path.h"

#include <inttypes.h>

#include "compat/lustre_log/opcode.h"
#include "ctl/out/bar.h"

enum { GROUP, PART, COUNT, MIN, P50, P90, P99, MAX, TOTAL, SHARE, COLUMNS };

static const struct column table_columns[COLUMNS] = {
	[GROUP] = { .key = "group", .none = "-" },
	[PART] = { .key = "part" },
	[COUNT] = { .key = "count", .type = COL_NUMBER },
	[MIN] = { .key = "min", .type = COL_DURATION, .flags = COL_SPARE },
	[P50] = { .key = "p50", .type = COL_DURATION },
	[P90] = { .key = "p90", .type = COL_DURATION, .flags = COL_SPARE },
	[P99] = { .key = "p99", .type = COL_DURATION, .flags = COL_SPARE },
	[MAX] = { .key = "max", .type = COL_DURATION },
	[TOTAL] = { .key = "total", .type = COL_DURATION },
	[SHARE] = { .key = "share", .type = COL_SHARE },
};

const char *const lustre_path_groups[] = {
	"opcode", "call", "job", "client", "target", "none", NULL
};

static const char *const headings[] = {
	[PATH_BY_OPCODE] = "OPCODE", [PATH_BY_CALL] = "CALL",     [PATH_BY_JOB] = "JOB",
	[PATH_BY_CLIENT] = "CLIENT", [PATH_BY_TARGET] = "TARGET", [PATH_BY_NONE] = "CALLS",
};

/* ---- the table of groups ---- */

static struct json_object *group_name(const struct path_view *view, uint32_t key)
{
	if (view->paths.by == PATH_BY_NONE)
		return val_text("all");
	if (view->paths.by != PATH_BY_OPCODE)
		return val_words(path_name(&view->paths, key));
	return lustre_opcode(key);
}

static void add_dist(const struct path_view *view, struct rows *rows,
		     const struct path_group *group, const char *part, const struct dkt__dist *dist)
{
	const uint64_t whole = group->whole.sum;

	if (dist->count)
		rows_add(rows, group_name(view, group->key), val_text(part),
			 val_number(dist->count), val_number(dist->min),
			 val_number(dkt__dist_quantile(dist, 0.5)),
			 val_number(dkt__dist_quantile(dist, 0.9)),
			 val_number(dkt__dist_quantile(dist, 0.99)), val_number(dist->max),
			 val_number(dist->sum),
			 json_object_new_double(whole ? (double)dist->sum / (double)whole : 0));
}

static int compare_groups(const void *a, const void *b)
{
	uint64_t x = (*(const struct path_group *const *)a)->whole.sum;
	uint64_t y = (*(const struct path_group *const *)b)->whole.sum;

	return x > y ? -1 : x < y;
}

/* Without --sort, the parts of a group stay together; the groups that took longest are first. */
static int put_groups(struct path_view *view, struct out *out)
{
	const struct paths *paths = &view->paths;
	const struct path_group **all __cleanup(free) = calloc(paths->n_groups + 1, sizeof(*all));
	struct column columns[COLUMNS];
	struct rows *rows;

	if (!all)
		return -ENOMEM;
	memcpy(columns, table_columns, sizeof(columns));
	columns[GROUP].heading = headings[paths->by];
	rows = rows_new("groups", columns, COLUMNS);
	for (size_t i = 0; i < paths->n_groups; i++)
		all[i] = &paths->groups[i];
	if (paths->n_groups)
		qsort(all, paths->n_groups, sizeof(*all), compare_groups);
	for (size_t i = 0; i < paths->n_groups; i++) {
		add_dist(view, rows, all[i], "whole", &all[i]->whole);
		for (size_t j = 0; j < PATH_PARTS; j++)
			add_dist(view, rows, all[i], dkl_path_part_name((enum path_part)j),
				 &all[i]->parts[j]);
	}
	lustre_put(view->lustre, out, rows,
		   OPT(view->lustre->app, lustre)->sort ? &view->order : NULL, 0);
	return 0;
}

/* ---- the report ---- */

/* Tells on stderr what the files lack. */
static void tell(const struct path_view *view)
{
	const struct paths *paths = &view->paths;
	const struct {
		bool lacks;
		const char *words;
	} lacks[] = {
		{ !paths->servers, "the log of the server (its part is one span, from sending to"
				   " reply)" },
		{ !paths->clients, "the log of the client (only the server's part is there)" },
		{ paths->clients && !paths->with_call,
		  "debug=+vfstrace+iotrace on the client (its own time before and after a request)" },
		{ !paths->locks_told, "debug=+dlmtrace (waits for locks)" },
		{ paths->servers && !paths->disks_told,
		  "a recording of the server with record -c rpctrace+dlmtrace+iotrace (its disks)" },
		{ paths->servers && !paths->cpu_told,
		  "events sched:sched_switch and jbd2:* to a recording of the server (its CPUs and"
		  " journals)" },
	};

	lustre_tell(paths->open_ends, "call",
		    "ended with the last message of the thread: no message tells the end");
	lustre_tell(paths->lost_parts, "call",
		    "had requests whose end is not in the files; the rest of the time is unknown");
	for (size_t i = 0; paths->count && i < ARRAY_SIZE(lacks); i++)
		if (lacks[i].lacks)
			app_say("to see more, add %s", lacks[i].words);
}

static int print(struct path_view *view)
{
	struct out out;
	int err;

	print_begin(view->lustre->app, &out, 0);
	err = put_groups(view, &out);
	path_put_slowest(view, &out);
	out_json(&out, "calls", val_number(view->paths.with_call));
	out_json(&out, "requests_alone", val_number(view->paths.count - view->paths.with_call));
	if (!err)
		tell(view);
	return out_end(&out) ? -ENOMEM : err;
}

/* ---- records ---- */

static int add_line(void *data, const struct log_line *line)
{
	return dkl_paths_add(data, line);
}

static int add_gap(void *data, uint32_t host, const struct dkt_record *gap)
{
	(void)gap;
	dkl_paths_cut(data, host, false);
	return 0;
}

static int restart(void *data, uint32_t host)
{
	dkl_paths_cut(data, host, true);
	return 0;
}

static int add_record(void *data, uint32_t host, const struct dkt_record *record, const char *comm)
{
	return dkl_paths_record(data, host, record, comm);
}

static int read_options(struct path_view *view, enum path_by *by, struct path_wants *wants)
{
	const struct app *app = view->lustre->app;
	const struct lustre_options *given = OPT(app, lustre);
	int nr = given->keys ? app_find_row(app, given->keys, lustre_path_groups,
					    ARRAY_SIZE(lustre_path_groups) - 1,
					    sizeof(*lustre_path_groups)) :
			       0;

	if (nr < 0)
		return EXIT_USAGE;
	*by = (enum path_by)nr;
	*wants = (struct path_wants){ OPCODE_UNKNOWN, given->job, given->file };
	if (given->opcode && !dkl_opcode_find(given->opcode, &wants->opcode))
		return app_usage("--opcode: '%s' is not an opcode, such as OST_READ or 3",
				 given->opcode);
	return lustre_order_read(app, table_columns, COLUMNS, TOTAL, &view->order);
}

int lustre_path(struct lustre *lustre)
{
	struct path_view view = { .lustre = lustre };
	const struct lustre_sink sink = { add_line, add_gap, restart, add_record, &view.paths };
	struct path_wants wants;
	enum path_by by;
	int err = read_options(&view, &by, &wants);

	if (err)
		return err;
	err = dkl_paths_init(&view.paths, lustre->app->ctx, by, &wants, (size_t)lustre->slowest, 0);
	if (!err)
		err = lustre_each(lustre, &sink);
	if (!err)
		err = dkl_paths_finish(&view.paths);
	if (!err && !view.paths.count)
		app_say(view.paths.rpcs.messages ?
				"no request that was selected has ended" :
				"no messages about requests: set debug=+rpctrace before the log"
				" is made");
	if (!err)
		err = print(&view);
	dkl_paths_clear(&view.paths);
	return err;
}
