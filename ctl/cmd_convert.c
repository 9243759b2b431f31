/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* convert: records of any kind of file as another kind. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "input.h"
#include "sink.h"

static int convert(struct app *app, struct input *in, struct sink *sink)
{
	struct dkt_record record;
	int err;

	while (!(err = dkt_source_next(in->source, &record))) {
		err = sink_add(sink, &record);
		if (err)
			return err;
	}
	return err < 0 ? input_fail(app, in, err) : sink_finish(sink);
}

int cmd_convert(struct app *app, int argc, char **argv)
{
	DKT_OPTS(dkt_source_opts, opts, .flags = DKT_SOURCE_ALL | DKT_SOURCE_WALL);
	const char *from = argv[1], *to = argv[2];
	struct input in = { 0 };
	struct sink sink;
	int err, rc = sink_format(app, to, &sink);

	(void)argc;
	if (rc)
		return rc;
	err = input_open(app, from, &opts, &in);
	if (!err)
		err = sink_open(&sink, in.source, &in.ctx, 1, to);
	if (!err)
		err = outfile_check_input(&sink.file, from);
	if (!err)
		err = convert(app, &in, &sink);
	rc = err ? app_fail(app) : input_tell(&in, sink.gaps);
	sink_close(&sink);
	input_close(&in);
	return rc;
}
