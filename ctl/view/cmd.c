/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* view: writes a page of pictures of recordings. */
#include "compat/io/output.h"
#include "ctl/app/commands.h"
#include "ctl/app/print.h"
#include "ctl/lustre_log/host_clocks.h"
#include "ctl/view/view.h"
#include "lib/base/stop.h"

OPT_TABLE(view,
	{ "output", 'o', "FILE", AT_APP(output), "write the page to FILE, whole or not at all; '-': standard output" },
);

/* ---- records ---- */

int view_init(struct view *view, struct app *app, struct inputs *in, bool selects)
{
	int err;

	*view = (struct view){ .app = app, .in = in, .selects = selects };
	tasks_init(&view->tasks, &view->axis);
	err = stacks_init(&view->stacks);
	if (!err)
		err = rates_init(&view->rates, &view->axis, &in->pipeline);
	if (!err)
		err = view_lustre_init(view);
	if (!err)
		err = view_hosts_init(view);
	return err ? err : view_pairs_init(view);
}

void view_clear(struct view *view)
{
	view_pairs_clear(view);
	view_hosts_clear(view);
	view_lustre_clear(view);
	stacks_clear(&view->stacks);
	tasks_clear(&view->tasks);
	rates_clear(&view->rates);
}

int view_add(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct view *view = data;
	const struct pipeline *p = &view->in->pipeline;
	size_t part = p->part_of ? p->part_of[record->stream] : 0;
	const struct rates_event *event;
	int err = rates_add(&view->rates, source, record, &event);

	/* A time in which nothing was recorded is shown, and pairs are not made across it. */
	if (!err)
		err = tasks_add(&view->tasks, event, part, source, record);
	if (!err)
		err = stacks_add(&view->stacks, event, p, part, source, record);
	if (!err)
		err = view_lustre_add(view, part, source, record);
	if (!err)
		err = view_hosts_add(view, part, record);
	return err ? err : view_pairs_add(view, source, record);
}

int view_finish(struct view *view)
{
	int err;

	rates_finish(&view->rates);
	tasks_finish(&view->tasks);
	err = stacks_finish(&view->stacks);
	if (!err)
		err = view_lustre_finish(view);
	if (!err)
		err = view_hosts_finish(view);
	return err ? err : view_pairs_finish(view);
}

/* ---- the command ---- */

static int write_page(struct view *view, const struct outfile *file)
{
	FILE *f __cleanup(fclose) = fdopen(dup(file->fd), "w");
	int err;

	if (!f)
		return dkt_fail(view->app->ctx, -errno, "open %s: %s", file->path, strerror(errno));
	err = view_write(view, f);
	if (!err && (fflush(f) || ferror(f)))
		err = dkl_full_fail(view->app->ctx, -errno, file->path);
	return err;
}

static bool selects(const struct selection *selection)
{
	return !dkl_selection_is_all(selection) || selection->n_cpus || selection->since.given ||
	       selection->until.given;
}

/* An empty page would pass for a machine that did nothing. */
static int check_records(const struct view *view)
{
	const char *path = view->in->files[0].path;

	if (view->rates.n_events)
		return 0;
	if (view->selects)
		return dkt_fail(
			view->app->ctx, -ENODATA,
			"no record is selected, so there is no page; 'dktrace info %s' shows"
			" the events and times of the file",
			path);
	return dkt_fail(view->app->ctx, -ENODATA, "%s has no records, so there is no page", path);
}

/* Opens the output before it reads a record, so that a wrong name costs no time. */
static int make(struct app *app, struct inputs *in, struct record_args *args, struct outfile *file)
{
	struct view *view = calloc(1, sizeof(*view));
	int err = view ? dkl_outfile_open(app->ctx, app->output, false, file) : -ENOMEM;

	if (!err && in->n > 1)
		err = host_clocks_find(in, args, true);
	if (!err)
		err = inputs_open_all(in, args);
	for (size_t i = 0; !err && i < in->n; i++)
		err = input_check_output(&in->files[i].in, file);
	if (!err)
		err = view_init(view, app, in, selects(&args->selection));
	if (!err)
		err = inputs_each(in, view_add, view);
	if (!err)
		err = view_finish(view);
	if (!err)
		err = check_records(view);
	if (!err)
		err = write_page(view, file);
	if (!err)
		err = dkl_outfile_commit(file);
	if (view && view->in)
		view_clear(view);
	free(view);
	return err;
}

int cmd_view(struct app *app, int argc, char **argv)
{
	struct outfile file = { .fd = -1, .placer = &app->placer };
	struct record_args args = { 0 };
	struct inputs in = { 0 };
	int rc;

	if (!app->output)
		return app_usage("view: needs --output; '-' is standard output");
	if (!strcmp(app->output, "-") && isatty(STDOUT_FILENO))
		return app_usage("view: a page is not for a terminal; name a file");
	rc = record_args_read(app, &args);
	dkt__stop_on_end();
	if (!rc)
		rc = inputs_new(app, argv + 1, (size_t)argc - 1, &in);
	args.once = argc == 2;
	if (!rc)
		rc = make(app, &in, &args, &file) ? app_fail(app) : inputs_report_losses(&in);
	print_output(&file);
	dkl_outfile_close(&file);
	inputs_clear(&in);
	record_args_clear(&args);
	return rc;
}
