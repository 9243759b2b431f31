/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The selection options of hist and latency, which read a file or record by themselves. */
#include "ctl/input/live_args.h"

#include "compat/pipeline/selection.h"
#include "compat/set/filters.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/live.h"
#include "ctl/app/value.h"
#include "ctl/input/args.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"
#include "lib/base/util.h"

static int check_live(const struct app *app)
{
	const struct select_options *given = OPT(app, select);
	const struct {
		const char *option, *value;
	} file_only[] = {
		{ "class", given->classes }, { "subsystem", given->subsystems },
		{ "event", given->events },  { "since", given->since },
		{ "until", given->until },   { "rate", given->rate },
	};

	for (size_t i = 0; i < ARRAY_SIZE(file_only); i++)
		if (file_only[i].value)
			return app_usage("%s: --%s selects records of a file; name the file",
					 app->command->name, file_only[i].option);
	if (given->pid && value_processes(app->ctx, "pid", given->pid))
		return app_usage("%s", dkt_error(app->ctx));
	return 0;
}

int live_args_read(struct app *app, struct record_args *args)
{
	int rc;

	*args = (struct record_args){ .source.sz = sizeof(args->source) };
	if (!app->input)
		return check_live(app);
	rc = record_args_read(app, args);
	/* The command itself applies the filter, and reports events that lack a field of it. */
	args->selection.filter = NULL;
	return rc;
}

int live_args_cpus(struct dkt_ctx *ctx, const char *list)
{
	int *cpus __cleanup(free) = NULL;
	size_t n = 0;
	int err = list ? dkt__parse_list(list, INT32_MAX, &cpus, &n) : 0;

	return err ? dkt__with_words(ctx, err) : dkl_selection_check_cpus(ctx, NULL, cpus, n);
}

int live_args_open(struct app *app, struct record_args *args, struct inputs *in,
		   struct dkt_ctx **ctx)
{
	int err = app->input ? inputs_open_one(app, app->input, args, in) :
			       dkt_tracefs_open(app->ctx, 0);

	if (!err && app->input)
		*ctx = in->files[0].in.ctx;
	else if (!err)
		live_clean(app);
	return err || app->input ? err : live_args_cpus(app->ctx, OPT(app, select)->cpu);
}

int live_args_close(struct app *app, struct record_args *args, struct inputs *in, int err, int rc)
{
	if (err && app->input)
		dkl_pipeline_fail(&in->pipeline, err);
	inputs_clear(in);
	record_args_clear(args);
	return err ? app_fail(app) : rc;
}

int live_args_filter(const struct app *app, struct dkt_ctx *ctx, struct dkt_expr **filter)
{
	const struct filter_wish wish = { .words = SELECT_ALL,
					  .expr = OPT(app, select)->filter,
					  .pids = OPT(app, select)->pid,
					  .comm = OPT(app, select)->comm,
					  .cpus = OPT(app, select)->cpu };
	char *text __cleanup(free) = NULL;
	int err;

	*filter = NULL;
	if (app->input)
		return OPT(app, select)->filter ?
			       dkl_mask_expr(ctx, OPT(app, select)->filter, filter) :
			       0;
	err = dkl_filters_text(ctx, &wish, &text);
	return err || !text ? err : dkl_mask_expr(ctx, text, filter);
}
