/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dk, show, follow: the log as text. */
#include <inttypes.h>

#include "app/app.h"
#include "app/progress.h"
#include "apply/apply.h"
#include "base/stop.h"
#include "input/dk_file.h"
#include "io/output.h"
#include "io/say.h"
#include "lustre/libcfs.h"
#include "lustre/style.h"
#include "set/param/tree.h"

/* ---- the log ---- */

/* Lustre's own buffer can only be shown by emptying it: dk does, show and follow do not. */
static int take_lustre(struct app *app, struct dk_opts *opts)
{
	struct record_sort_opts sort = { .show = { UINT32_MAX, UINT32_MAX } };
	char *param __cleanup(free) = NULL;
	struct dkt_expr *filter = NULL;
	struct tree tree = { 0 };
	int err = 0;

	if (tree_first(&tree, "dump_kernel", &param)) {
		param = NULL;
		return 0;
	}
	/* Before anything is taken out of the kernel. */
	if (opts->selection->filter)
		err = mask_expr(app->ctx, opts->selection->filter, &filter);
	dkt_expr_free(filter);
	return err ? err : libcfs_log_take(app->ctx, param, &sort, &opts->lustre);
}

/* Where it is printed is a file, or a terminal that moves by itself. */
struct looking {
	struct progress progress;
	bool prints;
};

static void look(void *data, uint64_t done, uint64_t of)
{
	struct looking *looking = data;

	if (done)
		progress_at(&looking->progress, done);
	else
		progress_begin(&looking->progress, of, PROGRESS_RECORDS, looking->prints);
}

static int print_log(struct app *app, struct dk_opts *opts, int fd, struct dk_result *result)
{
	struct debuglog *log = NULL;
	int err;

	if (app->input) {
		err = debuglog_saved(app->ctx, &log);
	} else {
		debuglog_follow(app->ctx, app->instance);
		err = debuglog_open(app->ctx, app->instance, 0, &log);
	}
	if (!err && !app->input && !opts->flags)
		err = take_lustre(app, opts);
	if (!err && !log->in && opts->file)
		err = dkt_fail(app->ctx, -ENOENT,
			       "nothing is recorded yet: start with 'dktrace set_param debug=...'");
	if (!err && !log->in && !opts->lustre)
		fprintf(stderr, "dktrace: nothing is recorded yet: start with"
				" 'dktrace set_param debug=...'\n");
	if (!err)
		err = dk_print(app->ctx, log, opts, fd, result);
	debuglog_close(log);
	log_source_free(opts->lustre);
	return err;
}

int cmd_dk(struct app *app, int argc, char **argv)
{
	const char *file = argc > 1 ? argv[1] : app->output;
	struct selection selection = { 0 };
	struct dk_opts opts = { .selection = &selection };
	struct dk_result result = { 0 };
	struct dk_file_sink dat = { .out = OUTFILE_INIT };
	struct dkt_style_info style;
	int fd __cleanup(close) = -1;
	bool follow = !strcmp(argv[0], "follow"), files;
	struct looking looking = { .prints = !file };
	int err, rc = style_arg_read(app, NULL, file, &style);

	if (!rc && app->format)
		rc = dk_file_new(app, file, &dat);
	if (!rc)
		rc = selection_args_read(app, &selection);
	if (rc) {
		selection_clear(&selection);
		return rc;
	}
	opts.style = style.name;
	opts.file = app->format ? &dat.file : NULL;
	files = style.traits & DKT_STYLE_FILES;
	opts.dir = files ? file : NULL;
	/* Before anything is taken out of the kernel. */
	if (file && !opts.file) {
		fd = files ? output_check(app->ctx, file) :
			     output_open(app->ctx, file, OUTPUT_EMPTY);
		if (fd < 0) {
			dkt_fail_in(app->ctx, fd, "open %s", file);
			selection_clear(&selection);
			return app_fail(app);
		}
	}
	if (follow)
		opts.flags = DKT_LIVE_FOLLOW;
	else if (!strcmp(argv[0], "show"))
		opts.flags = DKT_LIVE_KEEP;
	else if (opts.file)
		opts.flags = DKT_LIVE_WHOLE;
	opts.skip_self = follow;
	opts.drop_rights = true;
	opts.keep_rights = app->keep_rights;
	opts.color = say_style_in_color(&style, file);
	opts.raw_text = app->raw_text;
	/* A signal ends the printing between two records, so that what was printed is counted. */
	dkt__stop_on_end();
	opts.look = follow ? NULL : look;
	opts.look_data = &looking;
	err = print_log(app, &opts, file ? fd : STDOUT_FILENO, &result);
	progress_end(&looking.progress);
	/* What is for a program has nothing else in it. */
	if (!err)
		dk_result_print(&result, "dktrace",
				follow || (!file && style.traits & DKT_STYLE_DATA) ? stderr :
										     stdout);
	rate_tell(&selection.rate, "dktrace");
	dk_file_close(&dat);
	if (err)
		rc = result.closed ? EXIT_PIPE : app_fail(app);
	else
		rc = result.losses.lost || result.missed ? EXIT_LOST : 0;
	dk_result_clear(&result);
	selection_clear(&selection);
	return rc;
}
