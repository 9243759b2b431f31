/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* info: shows what a recording contains. */
#include "cmd/info.h"
#include "input/directory.h"

/* The index has the records of all CPUs together. */
static bool is_by_time(const struct record_args *args)
{
	return selection_is_all(&args->selection) && !args->selection.n_cpus &&
	       !args->source.buffer;
}

static int print_one(struct app *app, const char *path, struct record_args *args)
{
	struct info *info __cleanup(free) = calloc(1, sizeof(*info));
	struct inputs in = { 0 };
	int err, rc;

	if (!info)
		return app_usage("out of memory");
	err = inputs_open_one(app, path, args, &in);
	if (!err)
		err = info_count(&in, info);
	if (!err)
		err = info_print(app, info);
	rc = err ? app_fail(app) : inputs_report_losses(&in);
	info_clear(info);
	inputs_clear(&in);
	return rc;
}

int cmd_info(struct app *app, int argc, char **argv)
{
	struct record_args args;
	int rc = record_args_read(app, &args);
	bool read = !rc;

	for (int i = 1; read && i < argc; i++) {
		if (i > 1 && !app->json)
			printf("\n");
		rc = app_worse(is_by_time(&args) && directory_is(argv[i]) ?
				       info_segments(app, argv[i], &args.selection) :
				       print_one(app, argv[i], &args),
			       rc);
	}
	record_args_clear(&args);
	return rc;
}
