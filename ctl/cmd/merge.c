/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* merge: merges recordings of one host or of several, in order of time. */
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/input/args.h"
#include "ctl/input/inputs.h"

OPT_TABLE(merge,
	{ "clock-error", 0, NULL, AT(sink, clock_error), "show how far the time of each record can be off, and whether its order is certain" },
	{ "output", 'o', "FILE", AT_APP(output), "write to FILE" },
);

int cmd_merge(struct app *app, int argc, char **argv)
{
	struct inputs in = { 0 };
	struct record_args args;
	int rc;

	if (!app->output)
		return app_usage("merge: needs --output");
	rc = record_args_sink(app, app->output, NULL, &args);
	if (!rc)
		rc = inputs_new(app, argv + 1, (size_t)argc - 1, &in);
	if (!rc)
		rc = inputs_open_all(&in, &args) ? app_fail(app) :
						   inputs_write(&in, &args.sink, app->output);
	inputs_clear(&in);
	record_args_clear(&args);
	return rc;
}
