/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* split: the records of a file as several smaller ones. */
#include <inttypes.h>

#include "app/print.h"
#include "base/parse.h"
#include "input/inputs.h"

/* More files are most likely a wrong unit. */
#define MAX_PIECES 1000

/* Beside its bytes a record takes about so many. */
#define OVERHEAD 8

struct splitting {
	struct app *app;
	const char *path; /* as given: "part.dat" */
	char *in_path; /* as given */
	struct inputs in;
	struct sink_opts opts;
	struct outfile file;
	struct sink sink;
	uint64_t every, count, size; /* 0: no bound */
	uint64_t until; /* end of the window of this piece */
	uint64_t bytes; /* of records in this piece */
	uint64_t first, last; /* times in it */
	unsigned int n; /* pieces, with the one that is open */
	uint64_t records; /* in this piece */
	bool counting; /* files that there would be: nothing is written */
	bool open;
	char *name; /* of the open one */
	struct rows *pieces;
};

/* ---- options ---- */

static int bad_amount(const char *option, const char *text, const char *example)
{
	return app_usage("--%s: '%s' is none; %s", option, text, example);
}

static int read_opts(struct splitting *s)
{
	const struct app *app = s->app;

	if (app->every && (dkt__parse_time(app->every, 1000000000, &s->every) || !s->every))
		return bad_amount("every", app->every, "a time such as 500ms, 10s, 5m");
	if (app->size && (dkt__parse_size(app->size, &s->size) || !s->size))
		return bad_amount("size", app->size, "a size such as 100M");
	if (app->count && (dkt__parse_u64(app->count, DKT__DEC, &s->count) || !s->count))
		return bad_amount("count", app->count, "a number of records");
	if (!app->every && !app->size && !app->count)
		return app_usage("split: needs --every, --size or --count");
	return 0;
}

/* ---- pieces ---- */

/* "part-001.dat" of "part.dat". */
static char *piece_name(const char *path, unsigned int nr)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	char *name;

	if (!dot || dot == path || (slash && dot <= slash + 1))
		dot = path + strlen(path);
	if (asprintf(&name, "%.*s-%03u%s", (int)(dot - path), path, nr, dot) < 0)
		return NULL;
	return name;
}

static int piece_open(struct splitting *s, const struct dkt_record *record)
{
	int err;

	if (s->n == MAX_PIECES && !s->app->force)
		return dkt_fail(
			s->app->ctx, -E2BIG,
			"more than %d files would be written: use a larger piece, or --force",
			MAX_PIECES);
	s->n++;
	s->open = true;
	s->bytes = s->records = 0;
	s->first = record->ts;
	/* Windows follow each other from the first record on. */
	while (s->every && s->until <= record->ts) {
		uint64_t steps = s->until ? (record->ts - s->until) / s->every + 1 : 1;

		s->until = (s->until ? s->until : record->ts) + steps * s->every;
	}
	if (s->counting)
		return 0;
	s->name = piece_name(s->path, s->n);
	if (!s->name)
		return -ENOMEM;
	err = sink_open_file(s->app->ctx, &s->opts, s->name, &s->file);
	if (!err)
		err = outfile_check_input(&s->file, s->in_path);
	if (!err)
		err = sink_open(&s->sink, &s->opts, &s->in.line, &s->file);
	return err ? err : sink_begin(&s->sink);
}

static int piece_close(struct splitting *s)
{
	int err = sink_finish(&s->sink);

	if (!err)
		err = outfile_commit(&s->file);
	if (!err)
		rows_add(s->pieces, val_text(s->name), val_number(s->sink.records),
			 val_number(s->first), val_number(s->last));
	sink_close(&s->sink);
	outfile_close(&s->file);
	free(s->name);
	s->name = NULL;
	s->open = false;
	return err;
}

/* Whether the record begins another piece. */
static bool is_full(const struct splitting *s, const struct dkt_record *record)
{
	if (s->every && record->ts >= s->until)
		return true;
	/* A gap belongs to the record behind it. */
	return (s->count && s->records >= s->count) || (s->size && s->bytes >= s->size);
}

static int take(void *data, const struct dkt_record *record)
{
	struct splitting *s = data;
	int err = 0;

	if (s->open && is_full(s, record)) {
		s->open = false;
		err = s->counting ? 0 : piece_close(s);
	}
	if (!err && !s->open)
		err = piece_open(s, record);
	if (err)
		return err;
	s->bytes += record->size + OVERHEAD;
	s->records += record->event != NULL;
	s->last = record->ts;
	return s->counting ? 0 : sink_add(&s->sink, record);
}

static int split(struct splitting *s)
{
	int err = inputs_each(&s->in, take, s);

	return err || !s->open || s->counting ? err : piece_close(s);
}

/* Whether there would be too many files, before the first is written. */
static int count_pieces(const struct splitting *s, struct record_args *args)
{
	struct splitting dry = { .app = s->app,
				 .path = s->path,
				 .every = s->every,
				 .count = s->count,
				 .size = s->size,
				 .counting = true };
	const struct rate rate = args->selection.rate;
	int err = inputs_open_one(s->app, s->in_path, args, &dry.in);

	if (!err)
		err = split(&dry);
	inputs_clear(&dry.in);
	/* The records are counted anew when they are written. */
	args->selection.rate = rate;
	return err;
}

int cmd_split(struct app *app, int argc, char **argv)
{
	static const struct column columns[] = { { .key = "file" },
						 { .key = "records", .type = COL_NUMBER },
						 { .key = "begin", .type = COL_TIME },
						 { .key = "end", .type = COL_TIME } };
	struct splitting s = {
		.app = app, .path = argv[2], .in_path = argv[1], .file = OUTFILE_INIT
	};
	struct record_args args;
	int err = 0, rc = record_args_sink(app, argv[2], NULL, &args);

	(void)argc;
	s.opts = args.sink;
	s.opts.part = true;
	if (!rc)
		rc = read_opts(&s);
	s.pieces = rows_new("files", columns, ARRAY_SIZE(columns));
	if (!rc && !app->force)
		err = count_pieces(&s, &args);
	if (!rc && !err)
		err = inputs_open_one(app, argv[1], &args, &s.in);
	if (!rc && !err)
		err = split(&s);
	/* Those that are complete stay, and are named, also if another one failed. */
	if (rc || !rows_count(s.pieces))
		rows_free(s.pieces);
	else if (print_rows(app, 0, s.pieces, NULL))
		err = err ? err : -ENOMEM;
	if (!rc)
		rc = err ? app_fail(app) : inputs_tell(&s.in);
	sink_close(&s.sink);
	outfile_close(&s.file);
	free(s.name);
	inputs_clear(&s.in);
	record_args_clear(&args);
	return rc;
}
