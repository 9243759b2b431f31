/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the files of lustre: merged in order of time, on clocks that agree about requests. */
#include "ctl/app/groups.h"
#include "ctl/app/privileges.h"
#include "ctl/input/collected.h"
#include "ctl/input/stdin_file.h"
#include "ctl/lustre_log/host_clocks.h"
#include "ctl/lustre_log/lustre_log.h"

/* ---- records ---- */

/* Lustre's modules load in so long: a start that is no later has no log before it. */
#define LOADING_NS UINT64_C(60000000000)

struct passing {
	struct lustre *lustre;
	const struct pipeline *pipeline;
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

	/* Those of incomplete messages come after all others. */
	if (passing->pipeline->ended)
		return 0;
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
	size_t part = (size_t)(pipeline_part(passing->pipeline, record) - passing->pipeline->parts);
	struct lustre_file *file = &passing->lustre->by_file[part];
	uint32_t host = lustre_hosts_of(file, record);
	struct log_line line;
	int err = watch_clock(passing, file, record);

	if (err)
		return err;
	if (!record->event)
		return passing->sink->gap ? passing->sink->gap(passing->sink->data, host, record) :
					    0;
	if (!dkl_line_read(passing->lustre->readers.of[part], record, &line))
		return passing->sink->record ?
			       passing->sink->record(passing->sink->data, host, record,
						     dkt_source_comm(source, record)) :
			       0;
	line.host = host;
	if (dkl_line_is_start(&line)) {
		passing->lustre->starts += record->ts - file->first > LOADING_NS;
		err = restart(passing, host);
	}
	return err ? err : passing->sink->line(passing->sink->data, &line);
}

/* Passes the record with the number of its file, whose clock is of interest. */
static int pass_of_file(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	const struct passing *passing = data;
	size_t part = (size_t)(pipeline_part(passing->pipeline, record) - passing->pipeline->parts);
	struct log_line line;

	(void)source;
	if (!record->event || !dkl_line_read(passing->lustre->readers.of[part], record, &line))
		return 0;
	return passing->sink->line(passing->sink->data, &line);
}

static int each(struct lustre *lustre, struct inputs *in, pipeline_fn fn,
		const struct lustre_sink *sink)
{
	struct passing passing = { lustre, &in->pipeline, sink };
	int err = dkl_line_readers_init(&lustre->readers, &in->pipeline);

	if (!err)
		err = inputs_each(in, fn, &passing);
	dkl_line_readers_clear(&lustre->readers);
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

int lustre_look_ahead(struct lustre *lustre, const struct lustre_sink *sink)
{
	struct record_args args = { .source = lustre->args.source, .wants.epochs = true };
	struct inputs in = { 0 };
	int err = inputs_new(lustre->app, lustre->files, lustre->n_files, &in) ? -EINVAL : 0;

	if (!err)
		err = inputs_open_quietly(&in, &args);
	if (!err)
		err = each(lustre, &in, pass_of_file, sink);
	if (err)
		dkl_pipeline_fail(&in.pipeline, err);
	inputs_clear(&in);
	return err;
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
	if (lustre->n_files == 1 && !OPT(app, input)->offset && !collected_is(lustre->files[0]))
		return inputs_open_one(app, lustre->files[0], &lustre->args, &lustre->in);
	if (inputs_new(app, lustre->files, lustre->n_files, &lustre->in))
		return EXIT_USAGE;
	err = lustre->in.n > 1 ? host_clocks_find(&lustre->in, &lustre->args, false) : 0;
	return err ? err : inputs_open_all(&lustre->in, &lustre->args);
}

void lustre_close_files(struct lustre *lustre)
{
	inputs_clear(&lustre->in);
	lustre_hosts_clear(lustre);
}

void lustre_close(struct lustre *lustre)
{
	lustre_close_files(lustre);
	record_args_clear(&lustre->args);
}
