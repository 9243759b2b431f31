/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* convert: records of any kind of file as another kind. */
#include "input/input.h"
#include "input/sink.h"

static int add(void *data, const struct dkt_record *record)
{
	return sink_add(data, record);
}

int cmd_convert(struct app *app, int argc, char **argv)
{
	const char *from = argv[1], *to = argv[2];
	struct report_args args;
	struct input in = { 0 };
	struct sink sink;
	int err, rc = sink_format(app, to, &sink);

	(void)argc;
	if (rc)
		return rc;
	rc = report_args_read(app, &args);
	err = rc ? 0 : input_open_picked(app, from, &args, &in);
	if (!rc && !err)
		err = sink_open(&sink, in.source, &in.ctx, 1, to);
	if (!rc && !err)
		err = outfile_check_input(&sink.file, from);
	if (!rc && !err)
		err = input_each(app, &in, add, &sink);
	if (!rc && !err)
		err = sink_finish(&sink);
	if (!rc)
		rc = err ? sink_fail(&sink) : input_tell(&in, sink.gaps);
	sink_close(&sink);
	input_close(&in);
	report_args_clear(&args);
	return rc;
}
