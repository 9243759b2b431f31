/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* split: splits a recording into several smaller ones. */
#include <sys/resource.h>

#include "ctl/app/commands.h"
#include "ctl/app/print.h"
#include "ctl/input/inputs.h"
#include "lib/base/buf.h"
#include "lib/base/parse.h"
#include "lib/base/ticks.h"

struct split_options {
	const char *count, *every, *size;
	bool force;
};

OPT_OWN(split,
	{ "count", 0, "N", AT(split, count), "write N records to each file" },
	{ "every", 0, "TIME", AT(split, every), "start a new file every TIME: 500ms, 10s, 5m, 1h" },
	{ "force", 0, NULL, AT(split, force), "write more than 1,000 files" },
	{ "size", 0, "BYTES", AT(split, size), "write about BYTES of records to each file: 100M, 1G" },
);

/* More files than this need --force: the unit is probably wrong. */
#define MAX_PIECES 1000

/* A record takes about so many bytes in a file in addition to its data. */
#define OVERHEAD 8

/* An output file. */
struct piece {
	struct outfile file;
	char *name;
	uint64_t records;
	uint64_t first, last; /* times */
};

struct splitting {
	struct app *app;
	const char *path; /* the argument: "part.dat" */
	struct inputs in;
	struct sink_opts opts;
	struct sink sink; /* of the last piece */
	uint64_t every, count, size; /* 0: no limit */
	uint64_t until; /* the end of the last piece's window */
	uint64_t bytes; /* of the last piece's records */
	bool open; /* the last piece is */
	struct piece *pieces;
	unsigned int n;
	unsigned int n_complete, n_named;
	struct rows *rows;
};

/* ---- options ---- */

static int bad_amount(const char *option, const char *text, const char *example)
{
	return app_usage("--%s: '%s' is not %s", option, text, example);
}

static int read_opts(struct splitting *s)
{
	const struct app *app = s->app;
	const struct split_options *given = OPT(app, split);

	if (given->every && (dkt__parse_time(given->every, 1000000000, &s->every) || !s->every))
		return bad_amount("every", given->every,
				  "a time such as 500ms, 10s, 5m" DKT__TIME_UNITS);
	if (given->count && (dkt__parse_u64(given->count, DKT__DEC, &s->count) || !s->count))
		return bad_amount("count", given->count, "a number of records");
	if (!given->every && !given->size && !given->count)
		return app_usage("split: needs --every, --size or --count");
	return opt_bytes("size", given->size, &s->size);
}

/* ---- pieces ---- */

/* "part-001.dat" of "part.dat". */
static char *piece_name(const char *path, unsigned int nr)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');

	if (!dot || dot == path || (slash && dot <= slash + 1))
		dot = path + strlen(path);
	return dkt__format("%.*s-%03u%s", (int)(dot - path), path, nr, dot);
}

/* Windows of the length --every follow each other, from the first record on. */
static void next_window(struct splitting *s, uint64_t time)
{
	uint64_t steps;

	if (!s->every || s->until > time)
		return;
	steps = s->until ? (time - s->until) / s->every + 1 : 1;
	s->until = (s->until ? s->until : time) + steps * s->every;
}

static int piece_open(struct splitting *s, const struct dkt_record *record)
{
	struct piece *piece;
	int err;

	if (s->n == MAX_PIECES && !OPT(s->app, split)->force)
		return dkt_fail(
			s->app->ctx, -E2BIG,
			"more than %d files would be written: use a larger piece, or --force",
			MAX_PIECES);
	err = dkt__append(s->pieces, s->n,
			  (struct piece){ .file = OUTFILE_INIT, .first = record->ts });
	if (err)
		return err;
	piece = &s->pieces[s->n - 1];
	s->bytes = 0;
	next_window(s, record->ts);
	piece->name = piece_name(s->path, s->n);
	if (!piece->name)
		return -ENOMEM;
	err = dkl_sink_open_file(s->app->ctx, &s->opts, piece->name, &piece->file);
	if (!err)
		err = input_check_output(&s->in.files[0].in, &piece->file);
	if (!err)
		err = dkl_sink_open(&s->sink, &s->opts, &s->in.pipeline, &piece->file);
	s->open = !err;
	return err ? err : dkl_sink_begin(&s->sink);
}

/* Moves the complete pieces to their names. */
static int name_pieces(struct splitting *s)
{
	int err = 0;

	for (; !err && s->n_named < s->n_complete; s->n_named++) {
		struct piece *piece = &s->pieces[s->n_named];

		err = dkl_outfile_commit(&piece->file);
		print_output(&piece->file);
		if (!err)
			rows_add(s->rows, val_text(piece->name), val_number(piece->records),
				 val_number(piece->first), val_number(piece->last));
	}
	return err;
}

/* Without --force, no piece gets its name before all are within the limit. */
static int piece_close(struct splitting *s)
{
	int err = dkl_sink_finish(&s->sink);

	s->pieces[s->n - 1].records = s->sink.records;
	dkl_sink_close(&s->sink);
	s->open = false;
	s->n_complete += !err;
	return err || !OPT(s->app, split)->force ? err : name_pieces(s);
}

/* True if the record belongs to a new piece. */
static bool is_full(const struct splitting *s, const struct dkt_record *record)
{
	if (s->every && record->ts >= s->until)
		return true;
	return (s->count && s->sink.records >= s->count) || (s->size && s->bytes >= s->size);
}

static int take(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct splitting *s = data;
	int err = s->open && is_full(s, record) ? piece_close(s) : 0;

	(void)source;
	if (!err && !s->open)
		err = piece_open(s, record);
	if (err)
		return err;
	s->bytes += record->size + OVERHEAD;
	s->pieces[s->n - 1].last = record->ts;
	return dkl_sink_add(&s->sink, record);
}

/* True if times are no ns. */
static bool has_ticks(const struct splitting *s)
{
	return dkt__clock_ticks(dkt_source_info(s->in.files[0].in.source)->clock);
}

/* If one piece fails, the complete ones stay. */
static int split(struct splitting *s)
{
	int named, err;

	if (s->every && has_ticks(s))
		return dkt_fail(s->app->ctx, -EINVAL,
				"--every: the clock of %s does not count nanoseconds; use --count"
				" or --size",
				s->in.files[0].in.path);
	err = inputs_each(&s->in, take, s);

	if (!err && s->open)
		err = piece_close(s);
	named = err == -E2BIG ? 0 : name_pieces(s);
	return err ? err : named;
}

static void clear(struct splitting *s)
{
	dkl_sink_close(&s->sink);
	while (s->n) {
		dkl_outfile_close(&s->pieces[--s->n].file);
		free(s->pieces[s->n].name);
	}
	free(s->pieces);
	inputs_clear(&s->in);
}

/* All pieces stay open until they get their names. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= 2 * MAX_PIECES)
		return;
	limit.rlim_cur = limit.rlim_max < 2 * MAX_PIECES ? limit.rlim_max : 2 * MAX_PIECES;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int cmd_split(struct app *app, int argc, char **argv)
{
	struct column columns[] = { { .key = "file" },
				    { .key = "records", .type = COL_NUMBER },
				    { .key = "begin", .type = COL_TIME },
				    { .key = "end", .type = COL_TIME } };
	struct splitting s = { .app = app, .path = argv[2] };
	struct record_args args;
	int err = 0, rc = record_args_sink(app, argv[2], NULL, &args);

	(void)argc;
	s.opts = args.sink;
	s.opts.part = true;
	if (!rc)
		rc = read_opts(&s);
	s.rows = rows_new("files", columns, ARRAY_SIZE(columns));
	raise_limit();
	if (!rc)
		err = inputs_open_one(app, argv[1], &args, &s.in);
	if (!rc && !err && has_ticks(&s))
		columns_in_ticks(columns, ARRAY_SIZE(columns));
	if (!rc && !err)
		err = split(&s);
	if (!rc && !err && !s.rows)
		err = dkt_fail(app->ctx, -ENOMEM, "%s", strerror(ENOMEM));
	if (rc || !rows_count(s.rows))
		rows_free(s.rows);
	else if (print_rows(app, 0, s.rows, NULL))
		err = err ? err : -ENOMEM;
	if (!rc)
		rc = err ? app_fail(app) : inputs_report_losses(&s.in);
	clear(&s);
	record_args_clear(&args);
	return rc;
}
