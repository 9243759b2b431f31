/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lami: an analysis as an external program of Trace Compass. Standard output has only LAMI. */
#include <inttypes.h>

#include "ctl/analyze/lami.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/out/json.h"
#include "lib/base/buf.h"
#include "lib/base/parse.h"
#include "lib/base/when.h"

struct lami_options {
	const char *begin, *end, *limit;
	bool metadata, mi_version, output_progress, test_compatibility;
};

OPT_OWN(lami,
	{ "begin", 0, "NS", AT(lami, begin), "begin at NS since the epoch (or of the clock of the trace, if the wall clock is unknown)" },
	{ "end", 0, "NS", AT(lami, end), "end at NS since the epoch" },
	{ "limit", 0, "N", AT(lami, limit), "print at most N rows of a table; unlimited: all (default)" },
	{ "metadata", 0, NULL, AT(lami, metadata), "describe the tables of the analysis" },
	{ "mi-version", 0, NULL, AT(lami, mi_version), "print the version of LAMI" },
	{ "output-progress", 0, NULL, AT(lami, output_progress), "print lines of progress before the result" },
	{ "test-compatibility", 0, NULL, AT(lami, test_compatibility), "check only whether FILE can be analyzed" },
	{ .name = "duration", .now = "took" },
);

/* Smaller times are not those of a clock of the day: it is March 1973. */
#define FIRST_DAY_TIME UINT64_C(100000000000000000)

struct lami {
	struct run run;
	struct result_rows *tables;
	size_t n;
	size_t limit; /* rows of a table */
	bool printing; /* standard output has the beginning of the results */
	size_t printed; /* rows of the only table, a log */
	char *since, *until; /* texts of --since and --until */
};

/* ---- options ---- */

static int read_time(const char *option, const char *text, const char **word, char **keep)
{
	int64_t ns;

	if (!text)
		return 0;
	if (dkt__parse_int(text, 0, INT64_MAX, &ns))
		return app_usage("--%s: '%s' is not a number of nanoseconds", option, text);
	*word = *keep = dkt__format("%s%" PRId64 ".%09" PRId64,
				    (uint64_t)ns >= FIRST_DAY_TIME ? "@" : "",
				    ns / DKT__NSEC_PER_SEC, ns % DKT__NSEC_PER_SEC);
	return *word ? 0 : app_usage("out of memory");
}

static int read_args(struct lami *lami, struct app *app, const char *name)
{
	struct select_options *times = OPT_CHANGE(app, select);
	int64_t limit = INT64_MAX;
	int rc = read_time("begin", OPT(app, lami)->begin, &times->since, &lami->since);

	if (!rc)
		rc = read_time("end", OPT(app, lami)->end, &times->until, &lami->until);
	if (!rc && OPT(app, lami)->limit && strcmp(OPT(app, lami)->limit, "unlimited") != 0 &&
	    dkt__parse_int(OPT(app, lami)->limit, 1, INT64_MAX, &limit))
		rc = app_usage("--limit: '%s' is not a number of rows, or unlimited",
			       OPT(app, lami)->limit);
	lami->limit = (size_t)limit;
	if (!rc && !app->input && !OPT(app, lami)->metadata && !OPT(app, lami)->mi_version)
		rc = app_usage("lami: name the file to analyze");
	return rc ? rc : run_read(&lami->run, name);
}

/* ---- rows ---- */

static void begin_results(struct lami *lami)
{
	fputs("{\"results\":[", stdout);
	lami->printing = true;
}

/* A log prints while its file is read, if no other table's rows come between. */
static bool prints_at_once(const struct lami *lami, const struct result_table *table)
{
	return table->log && lami->run.n_machines == 1 && !run_table(&lami->run, 1);
}

static int print_row(struct lami *lami, const struct result_table *table,
		     const struct result_cell *cells)
{
	if (lami->printed >= lami->limit)
		return 0;
	if (!lami->printing) {
		begin_results(lami);
		lami_begin_table(table, stdout);
	}
	return lami_print_row(&lami->run, table, cells, !lami->printed++, stdout);
}

static int take_row(void *data, const struct run_machine *machine, const struct result_table *table,
		    const struct result_cell *cells)
{
	struct lami *lami = data;
	size_t i = 0;

	(void)machine;
	if (prints_at_once(lami, table))
		return print_row(lami, table, cells);
	while (i < lami->n && lami->tables[i].table != table)
		i++;
	if (i == lami->n &&
	    dkt__append(lami->tables, lami->n, (struct result_rows){ .table = table }))
		return -ENOMEM;
	/* The rows of a log come in the order in which they print. */
	if (table->log && lami->tables[i].n >= lami->limit)
		return 0;
	return result_add(&lami->tables[i], cells);
}

static int print_table(struct lami *lami, struct result_rows *rows)
{
	const struct result_table *table = rows->table;
	int err = table->by >= 0 ? result_sort(rows, (size_t)table->by, true) : 0;

	lami_begin_table(table, stdout);
	for (size_t i = 0; !err && i < rows->n && i < lami->limit; i++)
		err = lami_print_row(&lami->run, table, result_row(rows, i), !i, stdout);
	return err ? err : lami_end_table(&lami->run, stdout);
}

static int print_results(void *data)
{
	struct lami *lami = data;
	int err = 0;

	if (lami->printing) {
		err = lami_end_table(&lami->run, stdout);
	} else {
		if (OPT(lami->run.app, lami)->output_progress)
			puts("1 done");
		begin_results(lami);
	}
	for (size_t i = 0; !err && i < lami->n; i++) {
		fputs(i ? "," : "", stdout);
		err = print_table(lami, &lami->tables[i]);
	}
	if (!err)
		puts("]}");
	return err;
}

/* ---- running ---- */

static int print_metadata(struct run *run, const struct analyze_opts *opts)
{
	struct json_object *o;
	int err = run_define(run);

	if (!err)
		err = run_new(run, opts);
	if (err)
		return err;
	o = lami_metadata(run);
	err = json_line(o, stdout);
	json_object_put(o);
	return err;
}

static int run_phase(struct lami *lami, int *rc)
{
	struct analyze_opts opts = { 0 };
	struct run *run = &lami->run;
	const struct app *app = run->app;
	const struct lami_options *given = OPT(app, lami);
	int err;

	if (given->metadata)
		return print_metadata(run, &opts);
	run->row = take_row;
	run->finish = print_results;
	run->data = lami;
	err = run_open(run);
	if (!err && given->test_compatibility)
		return run_check(run);
	if (!err && given->output_progress) {
		printf("0 reading %s\n", app->input);
		fflush(stdout);
	}
	return err ? err : run_all(run, &opts, rc);
}

/* The consumer reads errors from standard output; people read them from standard error, too. */
static void print_error(const struct lami *lami)
{
	const struct run *run = &lami->run;
	const char *message = *dkt_error(run->ctx) ? dkt_error(run->ctx) : dkt_error(run->app->ctx);
	struct json_object *o;

	/* No object can follow the part of another one, which shows that the rest is missing. */
	if (lami->printing)
		return;
	o = lami_error(message);
	json_line(o, stdout);
	json_object_put(o);
}

static void clear(struct lami *lami)
{
	for (size_t i = 0; i < lami->n; i++)
		result_clear(&lami->tables[i]);
	free(lami->tables);
	free(lami->since);
	free(lami->until);
}

int cmd_lami(struct app *app, int argc, char **argv)
{
	struct lami lami = { .run = { .app = app, .ctx = app->ctx } };
	int err = 0, rc;

	if (OPT(app, lami)->mi_version) {
		printf("%d.%d\n", LAMI_MAJOR, LAMI_MINOR);
		return 0;
	}
	lami.run.files = argv + 2;
	lami.run.n_files = (size_t)argc - 2;
	rc = read_args(&lami, app, argv[1]);
	if (!rc)
		err = run_phase(&lami, &rc);
	if (err)
		print_error(&lami);
	clear(&lami);
	return run_close(&lami.run, err, rc);
}
