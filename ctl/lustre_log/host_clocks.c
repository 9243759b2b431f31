/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clocks of hosts, compared by the requests of Lustre that two files have a side of. */
#include "ctl/lustre_log/host_clocks.h"

#include <inttypes.h>

#include "compat/lustre/log_source.h"
#include "compat/lustre_log/clocks.h"
#include "compat/lustre_log/line.h"
#include "compat/lustre_log/rpc_text.h"
#include "ctl/out/bar.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"

struct reading {
	const struct pipeline *pipeline;
	struct line_readers readers;
	struct clocks clocks;
};

static int add_record(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct reading *reading = data;
	size_t part = (size_t)(pipeline_part(reading->pipeline, record) - reading->pipeline->parts);
	struct log_line line;

	(void)source;
	if (!record->event || !dkl_line_read(reading->readers.of[part], record, &line))
		return 0;
	return dkl_clocks_add(&reading->clocks, &line);
}

/* Returns the words for the message about a file's offset. */
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

/* Corrects the offset of each file. read: the same files, as they were read. */
static int use(const struct clocks *clocks, const struct inputs *read, struct inputs *inputs)
{
	for (size_t i = 1; i < read->n; i++) {
		struct inputs_file *file = &inputs->files[i];
		struct clocks_offset offset;

		/* The measurements of a collection are certain. */
		if (read->files[i].known != INPUTS_BY_WALL_CLOCK || file->about ||
		    !dkl_clocks_get(clocks, i, &offset))
			continue;
		file->accuracy = accuracy(&offset);
		if (!file->accuracy)
			return dkt__no_memory(inputs->app->ctx);
		file->known = INPUTS_BY_REQUESTS;
		file->offset = read->files[i].offset + offset.ns;
	}
	return 0;
}

static int find(struct inputs *read, struct inputs *inputs)
{
	struct reading reading = { .pipeline = &read->pipeline };
	int err = dkl_clocks_init(&reading.clocks, inputs->app->ctx, read->n);

	if (!err)
		err = dkl_line_readers_init(&reading.readers, &read->pipeline);
	if (!err)
		err = inputs_each(read, add_record, &reading);
	if (!err) {
		dkl_clocks_finish(&reading.clocks);
		err = use(&reading.clocks, read, inputs);
	}
	dkl_line_readers_clear(&reading.readers);
	dkl_clocks_clear(&reading.clocks);
	return err;
}

static size_t count_logs(const struct inputs *inputs)
{
	size_t n = 0;

	for (size_t i = 0; i < inputs->pipeline.n; i++)
		n += dkl_log_source_is(inputs->pipeline.parts[i].source);
	return n;
}

int host_clocks_find(struct inputs *inputs, const struct record_args *args, bool logs)
{
	/* No selection: an --until on the wrong clock would cut off replies. */
	struct record_args all = { .source = args->source,
				   .wants = { .texts = dkl_rpc_text_wanted, .epochs = true } };
	char **paths __cleanup(free) = calloc(inputs->n, sizeof(*paths));
	struct inputs read = { 0 };
	int err = paths ? 0 : dkt__no_memory(inputs->app->ctx);

	for (size_t i = 0; !err && i < inputs->n; i++)
		paths[i] = (char *)inputs->files[i].path;
	if (!err)
		err = inputs_new(inputs->app, paths, inputs->n, &read) ? -EINVAL : 0;
	if (!err)
		err = inputs_open_quietly(&read, &all);
	/* A directory can become several files. */
	if (!err && read.n == inputs->n && (!logs || count_logs(&read) > 1))
		err = find(&read, inputs);
	err = dkl_pipeline_fail(&read.pipeline, err);
	inputs_clear(&read);
	return err;
}
