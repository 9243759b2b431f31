/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dk, debug_kernel: prints Lustre's own buffer and the trace log as one text, and empties both. */
#include <sys/stat.h>
#include <time.h>

#include "compat/apply/apply.h"
#include "compat/dk/debug_daemon.h"
#include "compat/dk/dk.h"
#include "compat/io/output.h"
#include "compat/io/say.h"
#include "compat/lctl/cmd.h"
#include "compat/lustre/libcfs.h"
#include "compat/pipeline/sink.h"
#include "lib/base/buf.h"
#include "lib/base/parse.h"

#define PARAM "dump_kernel"

struct dk_args {
	const char *file; /* NULL: standard output */
	bool raw;
};

/* True if C's atoi() takes the text for a number other than 0. */
static bool is_set(const char *text)
{
	int64_t number;

	return dkt__take_s64(&text, NULL, DKT__DEC, &number) == -ERANGE || number;
}

/* A single argument is the flag, not a file, if it consists of digits and begins with 0 or 1. */
static void read_args(int argc, char **argv, struct dk_args *args)
{
	const char *first = argv[1];

	*args = (struct dk_args){ .file = argc > 1 ? first : NULL };
	if (argc > 2) {
		args->raw = is_set(argv[2]);
	} else if (argc > 1 && (*first == '0' || *first == '1') &&
		   !first[strspn(first, "0123456789")]) {
		args->raw = is_set(first);
		args->file = NULL;
	}
}

/* ---- raw ---- */

/* The kernel accepts only an absolute path, and only of a file that does not exist. */
static char *raw_name(const struct dk_args *args)
{
	char *cwd __cleanup(free) = NULL;

	if (!args->file)
		return dkt__format("/tmp/lustre-log%lld.%d", (long long)time(NULL), getpid());
	if (*args->file == '/')
		return strdup(args->file);
	cwd = getcwd(NULL, 0);
	return cwd ? dkt__format("%s/%s", cwd, args->file) : NULL;
}

static int dump_raw(struct lctl *lctl, const char *param, const struct dk_args *args)
{
	char *name __cleanup(free) = raw_name(args);
	struct stat st;

	if (!name) {
		dkl_say_line(stderr, "%s: %s", lctl->self, strerror(ENOMEM));
		return 1;
	}
	if (!stat(name, &st) && S_ISREG(st.st_mode))
		unlink(name);
	if (dkl_libcfs_dump_to(lctl->ctx, param, name)) {
		fprintf(stderr, "%s\n", dkt_error(lctl->ctx));
		return 1;
	}
	return 0;
}

/* The trace log in the same form: the file is complete, or as it was, and the log too. */
static int write_raw(struct lctl *lctl, struct debuglog *log, const struct dk_args *args)
{
	char *name __cleanup(free) = raw_name(args);
	const struct sink_opts sink = { .writer = &dkl_raw_writer,
					.whole = true,
					.placer = lctl->placer };
	struct selection selection = { 0 };
	struct outfile file = OUTFILE_INIT;
	struct dk_result result = { 0 };
	struct dk_opts opts = { .selection = &selection,
				.sink = &sink,
				.file = &file,
				.flags = DKT_LIVE_WHOLE,
				.drop_privileges = !lctl->session };
	int err = name ? dkl_sink_open_file(lctl->ctx, &sink, name, &file) :
			 dkt_fail(lctl->ctx, -ENOMEM, "%s", strerror(ENOMEM));

	if (!err)
		err = dkl_dk_print(lctl->ctx, log, &opts, &result);
	if (err)
		dkl_lctl_print_error(lctl);
	dkl_outfile_close(&file);
	dkl_dk_result_clear(&result);
	return err ? 1 : 0;
}

/* ---- text ---- */

/*
 * dk opens the file before it takes records out of the kernel, and truncates it after that
 * succeeded.
 */
static int open_file(struct lctl *lctl, const char *name, bool *is_new)
{
	int fd;

	*is_new = access(name, F_OK);
	fd = placer_serves(lctl->placer) ? dkl_placer_open_plain(lctl->ctx, lctl->placer) :
					   dkl_output_open(lctl->ctx, name, 0);
	if (fd < 0)
		dkl_say_line(stderr, "fopen(%s) failed: %s", name, dkt_error(lctl->ctx));
	return fd;
}

static int empty_file(struct lctl *lctl, int fd, const char *name)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !ftruncate(fd, 0))
		return 0;
	return dkt_fail(lctl->ctx, -errno, "empty %s: %s", name, strerror(errno));
}

/* The debug daemon, while it runs, consumes the records of the trace log. */
static void report_daemon(struct lctl *lctl, const struct debuglog *log)
{
	struct daemon_state state;

	if (!log || dkl_daemon_load(lctl->ctx, log->dir, &state))
		return;
	if (state.pid)
		dkl_say_line(stderr,
			     "%s: the debug daemon writes the trace log to %s: stop it, or use df",
			     lctl->self, state.file);
	dkl_daemon_state_clear(&state);
}

static int print_text(struct lctl *lctl, struct debuglog *log, struct log_source *lustre, int fd)
{
	struct selection selection = { .hidden_classes = lctl->hidden_classes,
				       .hidden_subsystems = lctl->hidden_subsystems };
	/* Print the same bytes as Lustre's lctl, but escape them for a terminal. */
	const struct sink_opts sink = { .style.name = "legacy", .raw_text = !isatty(fd) };
	struct outfile file = { .fd = fd, .in_place = true };
	struct dk_opts opts = { .selection = &selection, .sink = &sink, .file = &file };
	struct dk_result result = { 0 };
	int err;

	opts.lustre = lustre;
	opts.drop_privileges = !lctl->session;
	err = dkl_dk_print(lctl->ctx, log, &opts, &result);
	if (err && !result.closed)
		dkl_lctl_print_error(lctl);
	lctl->closed |= result.closed;
	if (err == -EBUSY || result.only_lustre)
		report_daemon(lctl, log);
	if (lustre)
		dkl_lctl_print_damage(lctl, LIBCFS_LOG_NAME, dkl_log_source_counts(lustre));
	if (!err)
		dkl_dk_result_print(&result, lctl->self, stdout);
	dkl_dk_result_clear(&result);
	return err ? 1 : 0;
}

static int dump_text(struct lctl *lctl, struct debuglog *log, const char *param,
		     const struct dk_args *args)
{
	struct record_sort_opts opts = { .show = { .subsystems = ~lctl->hidden_subsystems,
						   .classes = ~lctl->hidden_classes },
					 .report_bad = dkl_lctl_print_bad };
	struct log_source *lustre = NULL;
	int fd __cleanup(close) = -1;
	bool is_new = false;
	int err = 0, rc = 1;

	if (args->file) {
		fd = open_file(lctl, args->file, &is_new);
		if (fd < 0)
			return 1;
	}
	fflush(stdout);
	if (param)
		err = dkl_libcfs_log_take(lctl->ctx, param, &opts, &lustre);
	/* Like lctl, print nothing if the kernel created no file. */
	if (err)
		fprintf(stderr, "%s\n", dkt_error(lctl->ctx));
	if (err || (!lustre && !(log && log->in))) {
		rc = err ? 1 : 0;
		if (is_new)
			unlink(args->file);
	} else if (args->file && empty_file(lctl, fd, args->file)) {
		dkl_lctl_print_error(lctl);
	} else {
		rc = print_text(lctl, log, lustre, args->file ? fd : STDOUT_FILENO);
	}
	dkl_log_source_free(lustre);
	return rc;
}

/* ---- the command ---- */

/* Reports that neither Lustre's buffer nor a trace log exists. */
static int report_no_log(struct lctl *lctl, int err)
{
	/* RUN_DIR shows users without access to the tracer whether a log was ever started. */
	if (err && err != -ENOENT && !access(RUN_DIR, F_OK)) {
		dkl_lctl_print_error(lctl);
		return 1;
	}
	fprintf(stderr, "invalid parameter '" PARAM "'\nopen(" PARAM ") failed: %s\n",
		strerror(ENOENT));
	return 1;
}

int dkl_lctl_cmd_dk(struct lctl *lctl, int argc, char **argv)
{
	char *param __cleanup(free) = NULL;
	struct debuglog *log = NULL;
	struct dk_args args;
	int err = 0, rc;

	if (argc > 3) {
		dkl_say_line(stderr, "usage: %s [file] [raw]", argv[0]);
		return 0;
	}
	read_args(argc, argv, &args);
	if (lctl->input) {
		err = dkl_debuglog_saved(lctl->ctx, &log);
	} else {
		if (dkl_tree_first(&lctl->tree, PARAM, &param))
			param = NULL;
		dkl_debuglog_follow(lctl->ctx, lctl->instance);
		err = dkl_debuglog_open(lctl->ctx, lctl->instance, 0, &log);
	}
	if (lctl->input && err) {
		dkl_lctl_print_error(lctl);
		rc = 1;
	} else if (!lctl->input && !param && (err || !log->in)) {
		rc = report_no_log(lctl, err);
	} else if (args.raw && param) {
		rc = dump_raw(lctl, param, &args);
	} else if (args.raw) {
		rc = write_raw(lctl, log, &args);
	} else {
		rc = dump_text(lctl, log, param, &args);
	}
	dkl_debuglog_close(log);
	return rc;
}
