/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* convert: converts recordings of any format to another format. */
#include "ctl/app/commands.h"
#include "ctl/input/inputs.h"

int cmd_convert(struct app *app, int argc, char **argv)
{
	struct inputs in = { 0 };
	struct record_args args;
	int rc = record_args_sink(app, argv[2], NULL, &args);

	(void)argc;
	if (!rc)
		rc = inputs_open_one(app, argv[1], &args, &in) ?
			     app_fail(app) :
			     inputs_write(&in, &args.sink, argv[2]);
	inputs_clear(&in);
	record_args_clear(&args);
	return rc;
}
