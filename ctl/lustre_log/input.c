/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the files of lustre: merged in order of time, on clocks that agree about requests. */
#include <inttypes.h>

#include "app/privileges.h"
#include "base/buf.h"
#include "input/stdin_file.h"
#include "lustre/log_source.h"
#include "lustre_log/clocks.h"
#include "lustre_log/lustre_log.h"
#include "lustre_log/rpc_text.h"
#include "out/bar.h"

/* ---- records ---- */

static int make_readers(struct lustre *lustre, const struct pipeline *line)
{
	struct dkt_ctx *ctx = lustre->app->ctx;
	int err = 0;

	lustre->readers = calloc(line->n, sizeof(struct line_reader *));
	if (!lustre->readers)
		return dkt_fail(ctx, -ENOMEM, "out of memory");
	for (size_t i = 0; !err && i < line->n; i++) {
		err = line_reader_new(line->parts[i].ctx, (uint32_t)i,
				      log_source_is(line->parts[i].source), &lustre->readers[i]);
		lustre->n_readers = i + 1;
	}
	return err;
}

static void free_readers(struct lustre *lustre)
{
	for (size_t i = 0; i < lustre->n_readers; i++)
		line_reader_free(lustre->readers[i]);
	free(lustre->readers);
	lustre->readers = NULL;
	lustre->n_readers = 0;
}

/* Lustre's modules load in so long: a start that is no later has no log before it. */
#define LOADING_NS UINT64_C(60000000000)

struct passing {
	struct lustre *lustre;
	const struct pipeline *line;
	const struct lustre_sink *sink;
};

static int restart(const struct passing *passing, uint32_t host)
{
	return passing->sink->restart ? passing->sink->restart(passing->sink->data, host) : 0;
}

/* The clock of a file goes back only between epochs, see struct log_wants. */
static int watch_clock(const struct passing *passing, struct lustre_file *file,
		       const struct dkt_record *record)
{
	uint64_t last = file->last;
	int err = 0;

	file->last = record->ts;
	if (!file->first)
		file->first = record->ts;
	if (record->ts >= last)
		return 0;
	file->steps++;
	file->back = DKT__MAX(file->back, last - record->ts);
	for (uint32_t i = 0; !err && i < file->n_hosts; i++)
		err = restart(passing, file->first_host + i);
	return err;
}

/* Passes the record with the number of its host. */
static int pass(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	const struct passing *passing = data;
	size_t part = (size_t)(pipeline_part(passing->line, record) - passing->line->parts);
	struct lustre_file *file = &passing->lustre->by_file[part];
	uint32_t host = lustre_hosts_of(file, record);
	struct log_line line;
	int err = watch_clock(passing, file, record);

	(void)source;
	if (err)
		return err;
	if (!record->event)
		return passing->sink->gap ? passing->sink->gap(passing->sink->data, host, record) :
					    0;
	if (!line_read(passing->lustre->readers[part], record, &line))
		return 0;
	line.host = host;
	if (line_is_start(&line)) {
		passing->lustre->starts += record->ts - file->first > LOADING_NS;
		err = restart(passing, host);
	}
	return err ? err : passing->sink->line(passing->sink->data, &line);
}

/* Passes the record with the number of its file, whose clock is of interest. */
static int pass_of_file(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	const struct passing *passing = data;
	size_t part = (size_t)(pipeline_part(passing->line, record) - passing->line->parts);
	struct log_line line;

	(void)source;
	if (!record->event || !line_read(passing->lustre->readers[part], record, &line))
		return 0;
	return passing->sink->line(passing->sink->data, &line);
}

static int each(struct lustre *lustre, struct inputs *in, pipeline_fn fn,
		const struct lustre_sink *sink)
{
	struct passing passing = { lustre, &in->line, sink };
	int err = make_readers(lustre, &in->line);

	if (!err)
		err = inputs_each(in, fn, &passing);
	free_readers(lustre);
	return err;
}

int lustre_each(struct lustre *lustre, const struct lustre_sink *sink)
{
	int err = lustre_hosts_find(lustre);

	if (!err)
		err = each(lustre, &lustre->in, pass, sink);
	if (!err)
		lustre_hosts_report(lustre);
	return err;
}

/* ---- clocks ---- */

static int add_to_clocks(void *data, const struct log_line *line)
{
	return clocks_add(data, line);
}

/* Returns the words for the message about a file's offset; the caller frees them. */
static char *accuracy(const struct clocks_offset *offset)
{
	char error[UNIT_SIZE];

	duration_text(offset->error, error);
	if (offset->contradictory)
		return dkt__format("a guess: its %" PRIu64
				   " requests with both sides contradict each"
				   " other by %s, so a clock was set or drifted",
				   offset->pairs, error);
	return dkt__format("accurate to %s by %" PRIu64 " requests with both sides", error,
			   offset->pairs);
}

/* Corrects the offsets of the files, which so far rely on the hosts' wall clocks. */
static int use_clocks(struct lustre *lustre, const struct inputs *from, const struct clocks *clocks)
{
	struct clocks_offset offset;

	lustre->accuracy = calloc(from->n, sizeof(char *));
	if (!lustre->accuracy)
		return -ENOMEM;
	for (size_t i = 0; i < from->n; i++) {
		if (!i || from->files[i].known != INPUTS_BY_WALL_CLOCK ||
		    !clocks_get(clocks, i, &offset))
			continue;
		lustre->accuracy[i] = accuracy(&offset);
		if (!lustre->accuracy[i])
			return -ENOMEM;
		lustre->in.files[i].known = INPUTS_BY_REQUESTS;
		lustre->in.files[i].offset = from->files[i].offset + offset.ns;
		lustre->in.files[i].accuracy = lustre->accuracy[i];
	}
	return 0;
}

/* True if each file is one input; a directory can be several. */
static bool one_each(const struct lustre *lustre, const struct inputs *in)
{
	return in->n == lustre->n_files;
}

/* Reads all files once, to find how the hosts' clocks differ. */
static int find_clocks(struct lustre *lustre, struct inputs *in)
{
	struct clocks clocks;
	const struct lustre_sink sink = { .line = add_to_clocks, .data = &clocks };
	int err = clocks_init(&clocks, lustre->app->ctx, in->n);

	if (!err)
		err = each(lustre, in, pass_of_file, &sink);
	if (!err) {
		clocks_finish(&clocks);
		err = use_clocks(lustre, in, &clocks);
	}
	clocks_clear(&clocks);
	return err;
}

/* Opens the files for a look at all records, and closes them after it. sink NULL: finds the clocks. */
static int look(struct lustre *lustre, const struct lustre_sink *sink)
{
	/* No selection: an --until on the wrong clock would cut off replies. */
	struct record_args args = { .source = lustre->args.source,
				    .wants = { .texts = sink ? NULL : rpc_text_wanted,
					       .epochs = true } };
	struct inputs in = { 0 };
	int err = inputs_new(lustre->app, lustre->files, lustre->n_files, &in) ? -EINVAL : 0;

	if (!err)
		err = inputs_open_quietly(&in, &args);
	if (!err && sink)
		err = each(lustre, &in, pass_of_file, sink);
	else if (!err && one_each(lustre, &in))
		err = find_clocks(lustre, &in);
	if (err)
		pipeline_fail(&in.line, err);
	inputs_clear(&in);
	return err;
}

int lustre_look_ahead(struct lustre *lustre, const struct lustre_sink *sink)
{
	return look(lustre, sink);
}

/* ---- files ---- */

int lustre_open(struct lustre *lustre, bool again)
{
	struct app *app = lustre->app;
	int err;

	/* A pipe that is read twice is copied into a file first. */
	if (again && lustre->n_files == 1 && !strcmp(lustre->files[0], INPUT_STDIN) &&
	    stdin_file(app) < 0)
		return -EINVAL;
	if (lustre->n_files == 1 && !app->offset)
		return inputs_open_one(app, lustre->files[0], &lustre->args, &lustre->in);
	if (inputs_new(app, lustre->files, lustre->n_files, &lustre->in))
		return EXIT_USAGE;
	err = lustre->n_files > 1 ? look(lustre, NULL) : 0;
	return err ? err : inputs_open_all(&lustre->in, &lustre->args);
}

void lustre_close_files(struct lustre *lustre)
{
	inputs_clear(&lustre->in);
	lustre_hosts_clear(lustre);
	for (size_t i = 0; lustre->accuracy && i < lustre->n_files; i++)
		free(lustre->accuracy[i]);
	free(lustre->accuracy);
	lustre->accuracy = NULL;
}

void lustre_close(struct lustre *lustre)
{
	lustre_close_files(lustre);
	record_args_clear(&lustre->args);
}
