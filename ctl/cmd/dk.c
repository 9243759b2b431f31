/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dk, show, follow: print the log as text. */
#include "ctl/cmd/dk.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "compat/apply/apply.h"
#include "compat/dk/dk.h"
#include "compat/lustre/libcfs.h"
#include "compat/lustre/log_clean.h"
#include "compat/lustre/log_kind.h"
#include "compat/set/param/tree.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/live.h"
#include "ctl/app/print.h"
#include "ctl/app/progress.h"
#include "ctl/input/args.h"
#include "ctl/input/unpack.h"
#include "lib/base/stop.h"
#include "lib/base/when.h"
#include "lib/inside.h"

struct log_options {
	bool journal, stamp;
};

OPT_OWN(log,
	{ "journal", 0, NULL, AT(log, journal), "write to systemd's journal, each record as an entry with fields", .flags = OPT_DATAGRAMS },
	{ "output", 'o', "FILE", AT_APP(output), "write to FILE; open it before a record is removed from the log" },
	{ "style", 'S', "STYLE", AT(sink, style), "print as legacy (default), trace, raw, json, csv, folded, ctf, ctf2, ctf-lttng, perfetto: dktrace-styles(7)", .flags = OPT_FAR, .offers = OFFER_STYLES },
);

OPT_TABLE(log_input,
	{ "input", 'i', "DIR", AT_APP(input), "print the log of a saved tree; 'dktrace report' prints recordings" },
);

OPT_TABLE(follow,
	{ "stamp", 0, NULL, AT(log, stamp), "begin each line with its time in ns since the host was booted, for programs", .flags = OPT_FAR },
);

/* ---- the log ---- */

/* Reads Lustre's own buffer, which empties it. Only dk does so, not show or follow. */
static int take_lustre(struct app *app, struct dk_opts *opts)
{
	struct record_sort_opts sort = { .show = { UINT32_MAX, UINT32_MAX } };
	char *param __cleanup(free) = NULL;
	struct dkt_expr *filter = NULL;
	struct tree tree = { 0 };
	int err = 0;

	if (dkl_tree_first(&tree, "dump_kernel", &param)) {
		param = NULL;
		return 0;
	}
	/* Report an invalid filter before reading removes records. */
	if (opts->selection->filter)
		err = dkl_mask_expr(app->ctx, opts->selection->filter, &filter);
	dkt_expr_free(filter);
	return err ? err : dkl_libcfs_log_take(app->ctx, param, &sort, &opts->lustre);
}

struct looking {
	struct progress progress;
	bool prints; /* on standard output */
};

static void look(void *data, uint64_t done, uint64_t of)
{
	struct looking *looking = data;

	if (done)
		progress_at(&looking->progress, done);
	else
		progress_begin(&looking->progress, of, PROGRESS_RECORDS, looking->prints);
}

/* Only of this clock it is known what the stamps mean. */
static int check_clock(const struct app *app, const struct debuglog *log)
{
	char *clock __cleanup(free) = NULL;
	int err = OPT(app, log)->stamp && log->in ? dkt__instance_get_clock(log->in, &clock) : 0;

	if (!err && clock && strcmp(clock, DEBUGLOG_CLOCK) != 0)
		err = dkt_fail(app->ctx, -EOPNOTSUPP,
			       "--stamp: the log uses the clock %s, not " DEBUGLOG_CLOCK, clock);
	return err;
}

static int print_log(struct app *app, struct dk_opts *opts, struct dk_result *result)
{
	struct debuglog *log = NULL;
	int err;

	if (app->input) {
		err = dkl_debuglog_saved(app->ctx, &log);
	} else {
		dkl_debuglog_follow(app->ctx, app->instance);
		err = dkl_debuglog_open(app->ctx, app->instance, 0, &log);
	}
	if (!err)
		err = check_clock(app, log);
	if (!err && !app->input && !opts->flags)
		err = take_lustre(app, opts);
	if (!err && !log->in && opts->sink->whole)
		err = dkt_fail(app->ctx, -ENOENT, APP_NO_LOG);
	if (!err && !log->in && !opts->lustre)
		app_say(APP_NO_LOG);
	if (!err)
		err = dkl_dk_print(app->ctx, log, opts, result);
	dkl_debuglog_close(log);
	dkl_log_source_free(opts->lustre);
	return err;
}

/* Prints the end of the log and errors; returns the exit status. */
static int finish(struct app *app, const struct dk_opts *opts, const struct dk_result *result,
		  const char *file, int err)
{
	bool is_data = !file && opts->sink->style.traits & DKT_STYLE_DATA;

	/* Output for a program holds only records. */
	if (!err)
		dkl_dk_result_print(result, "dktrace",
				    opts->skip_self || is_data ? stderr : stdout);
	dkl_rate_report(&opts->selection->rate, "dktrace");
	if (err)
		return result->closed ? EXIT_PIPE : app_fail(app);
	return result->losses.lost || result->missed ? EXIT_LOST : 0;
}

/* Sets how the log is read. */
static void set_flags(const struct app *app, unsigned int flags, struct dk_opts *opts)
{
	opts->flags = flags ? flags : opts->sink->whole ? DKT_LIVE_WHOLE : 0;
	opts->skip_self = flags & DKT_LIVE_FOLLOW;
	opts->drop_privileges = true;
	opts->keep_privileges = app->keep_privileges;
	/* The kernel tells how many records the log has, and not of others. */
	if (!(flags & (DKT_LIVE_FOLLOW | DKT_LIVE_SNAPSHOT | DKT_LIVE_LAST_BOOT)))
		opts->look = look;
}

/* The journal gets the parts of a legacy line as fields. */
static int read_journal(const struct app *app, const char *file, struct sink_opts *sink)
{
	sink->journal = OPT(app, log)->journal;
	if (OPT(app, log)->journal &&
	    (file || OPT(app, sink)->format || OPT(app, print)->raw_text || !sink->style.name ||
	     strcmp(sink->style.name, "legacy") != 0))
		return app_usage(
			"cannot combine --journal with a file, another style or --raw-text");
	return 0;
}

/* Other styles begin with a line that is of no record, or have no lines of records. */
static int read_stamp(const struct app *app, struct sink_opts *sink)
{
	static const char *const styles[] = { "legacy", "trace", "raw", "json" };

	sink->stamps = OPT(app, log)->stamp;
	for (size_t i = 0;
	     OPT(app, log)->stamp && !OPT(app, log)->journal && i < ARRAY_SIZE(styles); i++)
		if (!strcmp(sink->style.name, styles[i]))
			return 0;
	return OPT(app, log)->stamp ?
		       app_usage("--stamp takes the styles legacy, trace, raw and json") :
		       0;
}

/* True if report can print the file. */
static bool has_records(struct app *app, const char *file)
{
	int fd __cleanup(close) = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	DKT_OPTS(dkt_source_opts, opts);
	struct dkt_source *source = NULL;
	struct dkt_ctx *ctx = NULL;
	struct stat st;
	bool has;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return false;
	/* That it cannot be decompressed is no reason to replace it. */
	if (unpack_file(app, fd, file, file))
		return true;
	if (app_new_ctx(app, NULL, &ctx) || dkl_log_clean(ctx, &fd)) {
		dkt_ctx_free(ctx);
		return true;
	}
	opts.fd = fd + 1;
	has = dkl_log_kind_of(fd) != LOG_NONE || !dkt_source_open(ctx, file, &opts, &source);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	return has;
}

/* Other commands read the FILE that is their argument, so it may be a mistake for theirs. */
static int check_argument(struct app *app, const char *file)
{
	return has_records(app, file) ?
		       app_usage("%s: %s has records: 'dktrace report %s' prints them, and"
				 " --output %s replaces the file",
				 app->command->name, file, file, file) :
		       0;
}

int dk_command(struct app *app, const char *argument, unsigned int flags)
{
	const char *file = argument ? argument : app->output;
	struct looking looking = { .prints = !file };
	struct selection selection = { 0 };
	struct outfile out = OUTFILE_INIT;
	struct dk_result result = { 0 };
	struct sink_opts sink;
	struct dk_opts opts = {
		.selection = &selection, .sink = &sink, .file = &out, .look_data = &looking
	};
	double seconds = 0;
	int err, rc = sink_args_read(app, file, "legacy", &sink);

	if (!rc && argument)
		rc = check_argument(app, argument);
	if (!rc)
		rc = read_journal(app, file, &sink);
	if (!rc)
		rc = read_stamp(app, &sink);
	if (!rc)
		rc = opt_seconds("duration", OPT(app, live)->duration, &seconds);
	if (seconds)
		opts.until = dkt__monotonic_ns() + (uint64_t)(seconds * 1e9);
	if (!rc)
		rc = selection_args_read(app, &selection);
	/* Open the file before reading removes records from the log. */
	if (!rc && dkl_sink_open_file(app->ctx, &sink, file, &out))
		rc = app_fail(app);
	out.only_copy = !app->input && !(flags & DKT_LIVE_KEEP);
	if (!rc) {
		set_flags(app, flags, &opts);
		/* A signal stops between two records: all printed records are removed from the log. */
		dkt__stop_on_end();
		err = print_log(app, &opts, &result);
		progress_end(&looking.progress);
		rc = finish(app, &opts, &result, file, err);
		if (err)
			dkl_outfile_drop_empty(&out);
	}
	print_output(&out);
	dkl_outfile_close(&out);
	dkl_dk_result_clear(&result);
	dkl_selection_clear(&selection);
	return rc;
}

int cmd_dk(struct app *app, int argc, char **argv)
{
	const unsigned int flags = !strcmp(argv[0], "follow") ? DKT_LIVE_FOLLOW :
				   !strcmp(argv[0], "show")   ? DKT_LIVE_KEEP :
								0;
	struct stat st;

	if (app->input && !stat(app->input, &st) && !S_ISDIR(st.st_mode))
		return app_usage("%s: --input takes a saved tree: 'dktrace report %s' prints the"
				 " records of a file",
				 argv[0], app->input);
	return dk_command(app, argc > 1 ? argv[1] : NULL, flags);
}
