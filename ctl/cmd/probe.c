/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* probe: creates events on functions, source lines, programs and tracepoints at run time. */
#include <inttypes.h>
#include <limits.h>

#include "compat/apply/apply.h"
#include "compat/io/say.h"
#include "compat/lustre/message/cdebug.h"
#include "compat/set/probes/joined.h"
#include "ctl/app/commands.h"
#include "ctl/app/print.h"
#include "ctl/app/privileges.h"
#include "ctl/app/value.h"
#include "lib/base/buf.h"
#include "lib/base/parse.h"
#include "lib/inside.h"

struct probe_options {
	const char *debug_file, *exec, *group, *kind, *max, *name, *pid, *sql;
	bool dry_run, enable, force;
};

static const char *const probe_kinds[] = { "kprobe", "uprobe",    "fprobe", "tracepoint",
					   "event",  "synthetic", NULL };

OPT_OWN(probe,
	{ "debug-file", 0, "FILE", AT(probe, debug_file), "read the debug information from FILE" },
	{ "dry-run", 0, NULL, AT(probe, dry_run), "print the definitions; create nothing" },
	{ "enable", 0, NULL, AT(probe, enable), "enable the probe in the instance" },
	{ "exec", 'x', "FILE", AT(probe, exec), "probe the program or library FILE instead of the kernel", .flags = OPT_PROGRAM },
	{ "force", 0, NULL, AT(probe, force), "add: also inside an instruction, which crashes the program" },
	{ "group", 'g', "GROUP", AT(probe, group), "create the event in GROUP (default dktrace)" },
	{ "kind", 0, "KIND", AT(probe, kind), "choose the kind: kprobe, uprobe, fprobe, tracepoint, event, synthetic", .words = probe_kinds },
	{ "max", 0, "N", AT(probe, max), "fail if a glob or a line needs more than N probes (default 100)" },
	{ "name", 0, "NAME", AT(probe, name), "name the event (default: after the place)" },
	{ "pid", 'p', "PID", AT(probe, pid), "probe the program of process PID; with --exec: find FILE as PID sees it", .flags = OPT_PROCESS },
	{ "sql", 0, "STATEMENT", AT(probe, sql), "create an event from two: SELECT ... FROM EVENT AS start JOIN EVENT AS end ON ...; with --name" },
);

static const char *kind_words(const struct dkt_probe *probe)
{
	if (!probe->on_return)
		return dkl_probe_kind_name(probe->kind);
	return probe->kind == DKT_PROBE_UPROBE ? "uretprobe" :
	       probe->kind == DKT_PROBE_FPROBE ? "fexit" :
						 "kretprobe";
}

/* ---- add ---- */

static int read_opts(const struct app *app, struct dkt_probe_opts *opts)
{
	const struct probe_options *given = OPT(app, probe);
	int64_t number;

	opts->group = given->group;
	opts->name = given->name;
	opts->exec = given->exec;
	opts->debug_file = given->debug_file;
	opts->inside = given->force;
	opts->max = PROBE_WORDS_MAX;
	if (given->pid && dkt__parse_int(given->pid, 1, INT_MAX, &number))
		return app_usage("probe add --pid %s: not a process ID", given->pid);
	opts->pid = given->pid ? (pid_t)number : 0;
	if (given->max && dkt__parse_int(given->max, 1, 1000000, &number))
		return app_usage("probe add --max %s: not a number of probes", given->max);
	if (given->max)
		opts->max = (size_t)number;
	opts->kind = given->kind ? dkl_probe_kind_find(given->kind) : DKT_PROBE_ANY;
	if (given->kind && !opts->kind)
		return app_usage(
			"probe add --kind %s: the kinds are kprobe, uprobe, fprobe, tracepoint,"
			" event, synthetic",
			given->kind);
	if (opts->kind == DKT_PROBE_UPROBE && !opts->exec && !opts->pid)
		return app_usage("probe add --kind uprobe: needs --exec or --pid");
	return 0;
}

/* "FUNCTION %return" is the place "FUNCTION%return", which is then in *joined. */
static int read_words(const struct app *app, char **argv, struct probe_words *words, char **joined)
{
	int rc;

	*words = (struct probe_words){ .opts.sz = sizeof(words->opts), .place = argv[0] };
	rc = read_opts(app, &words->opts);
	if (!rc && argv[1] && !strcmp(argv[1], "%return")) {
		*joined = dkt__format("%s%%return", argv[0]);
		words->place = *joined ? *joined : argv[0];
		argv++;
	}
	words->args = (const char *const *)argv + 1;
	while (argv[1 + words->n_args])
		words->n_args++;
	return rc;
}

static int print_definitions(struct app *app, const struct dkt_probes *probes)
{
	const struct dkt_probe *probe;

	for (size_t i = 0; (probe = dkt_probes_at(probes, i)); i++) {
		char *text __cleanup(free) = NULL;

		if (dkt__probe_text(app->ctx, probe, &text))
			return app_fail(app);
		dkl_say_line(stdout, "%s", text);
	}
	return 0;
}

static void print_result(const struct app *app, struct debuglog *log,
			 const struct dkt_probes *probes, const struct probes_result *result)
{
	const struct dkt_probe *probe;

	for (size_t i = 0; (probe = dkt_probes_at(probes, i)); i++)
		if (dkl_probes_find(log->probes, probe->group, probe->name))
			dkl_say_line(stdout, "%s:%s", probe->group, probe->name);
	fflush(stdout);
	if (result->refused)
		app_say("%zu of %zu were not created; the first error: %s", result->refused,
			result->refused + result->created, result->message ? result->message : "?");
	if (log->note && OPT(app, probe)->enable)
		app_say("%s", log->note);
	probe = dkt_probes_at(probes, 0);
	if (OPT(app, probe)->enable)
		fprintf(stderr, "'dktrace show' prints its records.\n");
	else if (probe->kind == DKT_PROBE_SYNTHETIC && !OPT(app, probe)->sql)
		fprintf(stderr, "A histogram's action writes its records.\n");
	else if (dkt_probes_at(probes, 1))
		fprintf(stderr, "They are disabled; 'dktrace probe enable' enables them.\n");
	else
		dkl_say_line(stderr, "It is disabled; 'dktrace probe enable %s' enables it.",
			     probe->name);
}

/* Creates the probes that words define, or the synthetic event of sql if words is NULL. */
static int create(struct app *app, const struct probe_words *words, const struct dkt__sql *sql,
		  const struct dkt_probes *probes)
{
	const struct probes_opts opts = { .enable = OPT(app, probe)->enable };
	struct probes_result result = { 0 };
	struct debuglog *log = NULL;
	int err = dkl_debuglog_open(app->ctx, app->instance, DEBUGLOG_CHANGE, &log);

	if (!err)
		err = words ? dkl_probes_add(log, words, probes, &opts, &result) :
			      dkl_joined_add(log, sql, probes, &opts, &result);
	if (!err)
		print_result(app, log, probes, &result);
	free(result.message);
	dkl_debuglog_close(log);
	return err ? app_fail(app) : 0;
}

/* A program can be anybody's. */
static int confine(struct app *app)
{
	return OPT(app, probe)->exec || OPT(app, probe)->pid ? privileges_confine(app) : 0;
}

static int define(struct app *app, const struct probe_words *words, struct dkt_probes **probes)
{
	int err = dkl_probe_words_define(app->ctx, words, probes);
	char *message __cleanup(free) = err == -EILSEQ ? dkt__error_take(app->ctx) : NULL;

	return message ? dkt_fail(app->ctx, err, "%s; --force creates it there", message) : err;
}

static int probe_add_place(struct app *app, char **argv)
{
	char *joined __cleanup(free) = NULL;
	struct dkt_probes *probes = NULL;
	struct probe_words words;
	int rc = read_words(app, argv, &words, &joined);

	if (!rc && (dkt_tracefs_open(app->ctx, 0) || confine(app) || define(app, &words, &probes)))
		rc = app_fail(app);
	if (!rc)
		rc = OPT(app, probe)->dry_run ? print_definitions(app, probes) :
						create(app, &words, NULL, probes);
	dkt_probes_free(probes);
	return rc;
}

/* ---- add --sql ---- */

static int check_sql(const struct app *app, char **argv)
{
	const struct probe_options *given = OPT(app, probe);

	if (argv[0])
		return app_usage("probe add --sql: put the statement in quotes: '%s' is left over",
				 argv[0]);
	if (given->exec || given->group || given->kind || given->pid || given->max ||
	    given->debug_file || given->force)
		return app_usage("probe add --sql: takes --name, --enable and --dry-run only");
	if (!given->name)
		return app_usage("probe add --sql: needs --name, the name of the event");
	return 0;
}

static int print_sql(struct app *app, const struct dkt__sql *sql, const struct dkt_probes *probes)
{
	int rc = print_definitions(app, probes);

	if (rc)
		return rc;
	dkl_say_line(stdout, "%s %s", sql->event, sql->begin_trigger);
	dkl_say_line(stdout, "%s %s", sql->end, sql->end_trigger);
	return 0;
}

static int probe_add_sql(struct app *app, char **argv)
{
	const struct dkt__sql *sql = NULL;
	struct dkt_probes *probes = NULL;
	int rc = check_sql(app, argv), err;

	if (rc)
		return rc;
	err = dkt_tracefs_open(app->ctx, 0);
	if (!err)
		err = dkt__sql_new(app->ctx, OPT(app, probe)->sql, OPT(app, probe)->name, &sql);
	app->wrong = err == -EINVAL || err == -E2BIG;
	if (err || dkl_joined_define(app->ctx, sql, OPT(app, probe)->name, &probes))
		rc = app_fail(app);
	if (!rc)
		rc = OPT(app, probe)->dry_run ? print_sql(app, sql, probes) :
						create(app, NULL, sql, probes);
	dkt_probes_free(probes);
	dkt__sql_free(sql);
	return rc;
}

static int probe_add(struct app *app, char **argv)
{
	if (OPT(app, probe)->sql)
		return probe_add_sql(app, argv);
	return argv[0] ? probe_add_place(app, argv) :
			 app_usage("probe add: usage: dktrace probe add PLACE [ARGUMENT...]");
}

/* ---- list ---- */

static bool is_on(struct dkt_event *const *on, size_t n, const struct dkt_probe *probe)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(dkt_event_system(on[i]), probe->group) &&
		    !strcmp(dkt_event_name(on[i]), probe->name))
			return true;
	return false;
}

static struct json_object *count(uint64_t hits)
{
	return hits == DKT_PROBE_UNKNOWN ? NULL : val_number(hits);
}

/* Removes the leading zeros of an offset in a program. The caller frees the text. */
static char *place_text(const struct dkt_probe *probe)
{
	const char *colon = strrchr(probe->place, ':');
	uint64_t offset, more;
	const char *end;
	int n;

	if (probe->kind != DKT_PROBE_UPROBE || !colon)
		return strdup(probe->place);
	end = colon + 1;
	dkt__take_u64(&end, NULL, DKT__HEX, &offset);
	n = (int)(colon - probe->place);
	if (*end++ == '(' && !dkt__take_u64(&end, NULL, DKT__HEX, &more))
		return dkt__format("%.*s:0x%" PRIx64 "(0x%" PRIx64 ")", n, probe->place, offset,
				   more);
	return dkt__format("%.*s:0x%" PRIx64, n, probe->place, offset);
}

static int add_row(struct rows *rows, const struct dkt_probe *probe, bool on, bool ours,
		   const char *fields)
{
	char *place __cleanup(free) = place_text(probe);
	char *name __cleanup(free) = dkt__format("%s:%s", probe->group, probe->name);

	if (!name)
		return -ENOMEM;
	rows_add(rows, val_text(name), val_text(kind_words(probe)), val_text(place), val_bool(on),
		 val_bool(ours), count(probe->hits), count(probe->missed), val_words(fields));
	return 0;
}

/* Lustre's messages have many probes with many fields; they are shown as one row. */
static int add_messages(struct rows *rows, const struct dkt_probe *probe, bool on)
{
	if (strcmp(probe->name, CDEBUG_NAME))
		return 0;
	return add_row(rows, probe, on, dkl_cdebug_is_ours(),
		       "messages of Lustre; all places and fields: probe list 'dktrace:cdebug*'");
}

static int list(struct app *app, struct debuglog *log, const char *pattern, struct rows *rows)
{
	struct dkt_event **on __cleanup(free) = NULL;
	struct dkt_probes *all = NULL;
	const struct dkt_probe *probe;
	size_t n_on = 0;
	int err = dkl_probes_load(log);

	if (!err && log->in)
		err = dkt_instance_get_events(log->in, &on, &n_on);
	if (!err)
		err = dkt_probes_read(app->ctx, &all);
	for (size_t i = 0; !err && (probe = dkt_probes_at(all, i)); i++) {
		const struct user_probe *made =
			dkl_probes_find(log->probes, probe->group, probe->name);
		bool ours = made && dkt__probe_same(dkt_probes_at(made->definition, 0), probe);

		if (!pattern && dkl_cdebug_is_probe(probe))
			err = add_messages(rows, probe, is_on(on, n_on, probe));
		else if (!pattern || dkl_probes_match(pattern, probe))
			err = add_row(rows, probe, is_on(on, n_on, probe), ours, probe->fields);
	}
	dkt_probes_free(all);
	return err;
}

struct markers {
	struct rows *rows;
	const char *glob;
};

static int add_marker(void *data, const struct dkt__marker *marker)
{
	const struct markers *markers = data;
	char *name __cleanup(free) = NULL;
	DKT_OPTS(dkt_probe, probe, .group = marker->provider, .name = marker->name);

	if (markers->glob && !dkl_probes_match(markers->glob, &probe))
		return 0;
	name = dkt__format("%s:%s", marker->provider, marker->name);
	if (!name)
		return -ENOMEM;
	rows_add(markers->rows, val_text(name), val_number(marker->offset),
		 marker->semaphore ? val_number(marker->semaphore) : NULL, val_words(marker->args));
	return 0;
}

static int list_markers(struct app *app, const char *glob)
{
	static const struct column columns[] = {
		{ .key = "marker" },
		{ .key = "offset", .type = COL_HEX },
		{ .key = "semaphore", .type = COL_HEX },
		{ .key = "arguments", .flags = COL_FOLD },
	};
	struct rows *rows = rows_new("markers", columns, ARRAY_SIZE(columns));
	struct markers markers = { .rows = rows, .glob = glob };
	int err = confine(app);

	if (!err)
		err = dkt__markers(app->ctx, OPT(app, probe)->exec, add_marker, &markers);

	err = print_rows(app, err, rows, "%s has no marker%s%s", OPT(app, probe)->exec,
			 glob ? " like " : "", glob ? glob : "");
	return err ? app_fail(app) : 0;
}

static int probe_list(struct app *app, char **argv)
{
	static const struct column columns[] = {
		{ .key = "probe" },
		{ .key = "kind" },
		{ .key = "place" },
		{ .key = "on", .type = COL_BOOL },
		{ .key = "ours", .type = COL_BOOL },
		{ .key = "hits", .type = COL_NUMBER },
		{ .key = "missed", .type = COL_NUMBER },
		{ .key = "fields", .flags = COL_FOLD },
	};
	struct debuglog *log = NULL;
	struct rows *rows;
	int err;

	if (OPT(app, probe)->exec)
		return list_markers(app, argv[0]);
	rows = rows_new("probes", columns, ARRAY_SIZE(columns));
	err = dkl_debuglog_open(app->ctx, app->instance, 0, &log);
	if (!err)
		err = list(app, log, argv[0], rows);
	err = print_rows(app, err, rows, "there is no probe%s%s", argv[0] ? " like " : "",
			 argv[0] ? argv[0] : "");
	dkl_debuglog_close(log);
	return err ? app_fail(app) : 0;
}

/* ---- del, enable, disable ---- */

/* No probe of ours matches. Reports a probe of another program that does, or the error before. */
static int report_foreign(struct app *app, const char *pattern)
{
	char *message = dkt__error_take(app->ctx);
	struct dkt_probes *all;
	const struct dkt_probe *probe;

	if (dkt_probes_read(app->ctx, &all)) {
		free(message);
		return app_fail(app);
	}
	dkt__error_give(app->ctx, 0, message);
	for (size_t i = 0; (probe = dkt_probes_at(all, i)); i++)
		if (dkl_probes_match(pattern, probe))
			break;
	if (probe)
		dkt_fail(app->ctx, 0, "%s:%s was not created by dktrace; dktrace leaves it alone",
			 probe->group, probe->name);
	dkt_probes_free(all);
	return app_fail(app);
}

static int probe_change(struct app *app, char **argv)
{
	const char *action = argv[-1], *pattern = argv[0];
	bool remove = !strcmp(action, "del"), on = !strcmp(action, "enable");
	struct debuglog *log = NULL;
	size_t n = 0;
	int err;

	if (OPT(app, probe)->force)
		return app_usage("probe %s: --force is for probe add", action);
	err = dkl_debuglog_open(app->ctx, app->instance, DEBUGLOG_CHANGE, &log);
	if (!err)
		err = remove ? dkl_probes_remove(log, pattern, &n) :
			       dkl_probes_switch(log, pattern, on, &n);
	if (!err)
		printf("%zu probe%s %s\n", n, n == 1 ? " is" : "s are",
		       remove ? "removed" :
		       on     ? "on" :
				"off");
	else if (err == -ENOENT && !n && log)
		report_foreign(app, pattern);
	else
		app_fail(app);
	dkl_debuglog_close(log);
	return err ? EXIT_FAILED : 0;
}

/* ---- all ---- */

static const struct {
	const char *name;
	int (*run)(struct app *app, char **argv);
	int min_args, max_args;
	const char *args;
} actions[] = {
	{ "add", probe_add, 0, INT_MAX, "PLACE [ARGUMENT...]" },
	{ "del", probe_change, 1, 1, "NAME|GLOB" },
	{ "disable", probe_change, 1, 1, "NAME|GLOB" },
	{ "enable", probe_change, 1, 1, "NAME|GLOB" },
	{ "list", probe_list, 0, 1, "[NAME|GLOB]" },
};

int cmd_probe(struct app *app, int argc, char **argv)
{
	int i = app_find_row(app, argv[1], actions, ARRAY_SIZE(actions), sizeof(*actions));

	if (i < 0)
		return EXIT_USAGE;
	if (argc - 2 < actions[i].min_args || argc - 2 > actions[i].max_args)
		return app_usage("probe %s: usage: dktrace probe %s %s", argv[1], argv[1],
				 actions[i].args);
	if (actions[i].run != probe_add && argc > 2 && value_probes(app->ctx, argv[0], argv[2]))
		return app_usage("%s", dkt_error(app->ctx));
	return actions[i].run(app, argv + 2);
}
