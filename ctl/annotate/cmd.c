/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* annotate: shows which lines and instructions of a function take the time, by the samples of recordings. */
#include "ctl/annotate/annotate.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/input/inputs.h"
#include "lib/base/stop.h"

OPT_OWN(annotate,
	{ "count", 0, NULL, AT(annotate, count), "let each sample count 1, not its period" },
	{ "dso", 0, "NAME", AT(annotate, dso), "show the function of this program or library: its name or path" },
);

/* Lines of the summary, unless --top tells another number. */
#define TOP 10

static int add(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	return annotate_add(data, source, record);
}

static int none_found(const struct app *app, struct annotate *annotate, const char *path)
{
	struct dkt__guess guess;

	if (!annotate->event)
		return dkt_fail(app->ctx, -ENODATA,
				"%s has no samples of perf among the selected records; 'dktrace"
				" profile' records some",
				path);
	return dkt_fail(app->ctx, -ENODATA,
			"no sample of %s is in a function '%s'%s%s%s; 'dktrace profile' names those"
			" that have some",
			annotate->event, annotate->opts.function, annotate->opts.dso ? " of " : "",
			annotate->opts.dso ? annotate->opts.dso : "",
			annotate_guess(annotate, &guess));
}

/* The messages of the recording's context become those of the tool's. */
static int read_code(const struct app *app, const struct annotate *annotate,
		     struct dkt__listing *listing, char **missing)
{
	const struct annotate_function *function = &annotate->list[0];
	int err = dkt__listing_read(&function->spot, function->name, OPT(app, input)->vmlinux,
				    listing);

	if (err == -ENOMEM)
		return err;
	if (err) {
		*missing = dkt__spot_error(&function->spot);
		if (!*missing)
			return -ENOMEM;
	}
	return 0;
}

static int show(const struct annotate_view *view)
{
	struct dkt__listing listing __cleanup(listing_end) = { 0 };
	char *missing __cleanup(free) = NULL;
	struct out out;
	int err = read_code(view->app, view->annotate, &listing, &missing);

	print_begin(view->app, &out, 0);
	if (!err)
		err = annotate_show(view, &listing, missing, &out);
	return out_end(&out) ?: err;
}

static int run(struct app *app, struct annotate_view *view, struct annotate *annotate,
	       struct inputs *in, struct record_args *args)
{
	int err = inputs_open_all(in, args);

	if (!err)
		err = inputs_each(in, add, annotate);
	annotate_end(annotate);
	if (!err && !annotate->n)
		err = none_found(app, annotate, view->path);
	if (!err)
		err = show(view);
	/* main() reports that standard output has an error. */
	return err && err != -EIO ? app_fail(app) : 0;
}

int cmd_annotate(struct app *app, int argc, char **argv)
{
	const struct annotate_opts opts = { .function = argv[1],
					    .dso = OPT(app, annotate)->dso,
					    .count = OPT(app, annotate)->count };
	struct annotate annotate;
	struct annotate_view view = {
		.app = app, .annotate = &annotate, .path = argv[2], .n_files = (size_t)argc - 2
	};
	struct record_args args;
	struct inputs in = { 0 };
	int top = TOP, rc;

	/* The file of --input is an argument, too. */
	if (argc < 3)
		return app_usage("annotate: needs %s", app->command->args);
	rc = record_args_read(app, &args);
	if (!rc)
		rc = opt_number("top", OPT(app, print)->top, &top);
	if (!rc)
		rc = inputs_new(app, argv + 2, view.n_files, &in);
	args.once = view.n_files == 1;
	view.top = top ? (size_t)top : SIZE_MAX;
	dkt__stop_on_end();
	annotate_init(&annotate, &opts);
	if (!rc)
		rc = run(app, &view, &annotate, &in, &args);
	if (!rc)
		rc = inputs_report_losses(&in);
	annotate_clear(&annotate);
	inputs_clear(&in);
	record_args_clear(&args);
	return rc;
}
