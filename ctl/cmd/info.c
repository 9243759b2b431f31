/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* info: shows what a recording contains. */
#include "ctl/cmd/info.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/input/collected.h"
#include "ctl/input/directory.h"

/* The index has the records of all CPUs together. */
static bool is_by_time(const struct record_args *args)
{
	return dkl_selection_is_all(&args->selection) && !args->selection.n_cpus &&
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

static int print_path(struct app *app, const char *path, struct record_args *args)
{
	return is_by_time(args) && directory_is(path) ? info_segments(app, path, &args->selection) :
							print_one(app, path, args);
}

int cmd_info(struct app *app, int argc, char **argv)
{
	struct record_args args;
	struct inputs in = { 0 };
	int rc = record_args_read(app, &args), bad = 0;
	bool read = !rc;

	/* Finds the files of collections. */
	if (read)
		bad = inputs_new(app, argv + 1, (size_t)argc - 1, &in);
	for (size_t i = 0; read && i < in.n; i++) {
		if (i && !OPT(app, print)->json)
			printf("\n");
		rc = app_worse(print_path(app, in.files[i].path, &args), rc);
	}
	rc = app_worse(rc, bad ? bad : inputs_lack_hosts(&in) ? EXIT_LOST : 0);
	inputs_clear(&in);
	record_args_clear(&args);
	return rc;
}
