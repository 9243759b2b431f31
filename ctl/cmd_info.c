/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* info: what is in a file of records. */
#include <stdlib.h>

#include "info.h"

int cmd_info(struct app *app, int argc, char **argv)
{
	struct info *info __cleanup(free) = calloc(1, sizeof(*info));
	struct report_args args;
	struct input in = { 0 };
	int err, rc = report_args_read(app, &args);

	(void)argc;
	if (!info)
		rc = app_usage("out of memory");
	if (!args.source.buffer)
		args.source.flags = DKT_SOURCE_ALL;
	err = rc ? 0 : input_open_picked(app, argv[1], &args, &in);
	if (!rc && !err)
		err = info_count(app, &in, info);
	if (!rc && !err)
		err = app->json ? info_print_json(info) : info_print(info);
	if (!rc)
		rc = err ? app_fail(app) : input_tell(&in, info->all_gaps);
	if (info)
		info_clear(info);
	input_close(&in);
	report_args_clear(&args);
	return rc;
}
