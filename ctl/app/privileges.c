/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drops privileges before a command reads data from others. */
#include "ctl/app/privileges.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "compat/io/output.h"
#include "compat/pipeline/sink.h"
#include "ctl/app/cage.h"
#include "ctl/app/groups.h"
#include "lib/base/buf.h"
#include "lib/base/perf_magic.h"
#include "lib/base/run_dir.h"
#include "lib/inside.h"

struct app_file {
	const char *path;
	int fd;
};

static bool begins_with(int fd, const char *magic)
{
	char bytes[16];
	const size_t len = strlen(magic);

	return pread(fd, bytes, len, 0) == (ssize_t)len && !memcmp(bytes, magic, len);
}

/* True for perf.data files of this user: they hold kernel addresses, whose names we look up. */
static bool wants_symbols(int fd, const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == geteuid() && begins_with(fd, DKT__PERF_MAGIC);
}

/* The same of a directory of perf, whose file data has the header. */
static bool dir_wants_symbols(int fd)
{
	int data __cleanup(close) =
		openat(fd, "data", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	return data >= 0 && !fstat(data, &st) && wants_symbols(data, &st);
}

/* The command itself reports a file that cannot be opened. */
static int take_file(struct app *app, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st = { 0 };
	bool kept;
	int err = 0;

	if (fd < 0)
		return 0;
	/* The reader of a saved tree opens the files in it later. */
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode) && st.st_uid != geteuid())
		app->keep_privileges |= DKT__KEEP_INPUT;
	if (wants_symbols(fd, &st) || (S_ISDIR(st.st_mode) && dir_wants_symbols(fd)))
		app->keep_privileges |= DKT__KEEP_SYMBOLS;
	/* A pipe can be opened only once: the program that writes it ends if nobody reads. */
	kept = S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode);
	if (kept)
		err = dkt__append(app->files, app->n_files, (struct app_file){ path, fd });
	if (err || !kept)
		close(fd);
	return err;
}

/* The indices of the first and the last argument that is a file to read. */
static int first_read(const struct app *app)
{
	return app->command->flags & CMD_READ_NAMED ? 2 : 1;
}

static int last_read(const struct app *app, int argc)
{
	if (app->command->flags & (CMD_READ_ALL | CMD_READ_NAMED))
		return argc - app->n_command - 1;
	return app->command->flags & CMD_READ_FIRST ? 1 : 0;
}

static int take_files(struct app *app, int argc, char **argv)
{
	bool is_argument = first_read(app) < argc && app->input == argv[first_read(app)];
	const char *opened = opt_with(app, OPT_OPENED);
	int err = app->input && !is_argument ? take_file(app, app->input) : 0;

	if (!err && opened)
		err = take_file(app, opened);
	if (!err && app->command->flags & CMD_READ_TREE)
		err = take_file(app, app->root);
	for (int i = first_read(app); !err && i <= last_read(app, argc); i++)
		err = take_file(app, argv[i]);
	return err;
}

/* True if one of the arguments is the log of this machine. */
static bool has_log(const struct app *app, int argc, char **argv)
{
	for (int i = first_read(app); i <= last_read(app, argc); i++)
		if (!strcmp(argv[i], INPUT_LOG))
			return true;
	return false;
}

/* Returns NULL if memory is out, which the command finds, too. */
static const char *archive_name(struct app *app, const char *path)
{
	char *name = dkt__format("%s.tar.gz", path);

	return dkt__strings_take(&app->joined, name) ? NULL : name;
}

static const char *find_output(struct app *app, int argc, char **argv)
{
	if (app->command->flags & CMD_WRITE_LAST && argc > 1)
		return argv[argc - 1];
	/* A recording has a name in any case. */
	if (app->command->flags & CMD_WRITE_TRACE && !app->output)
		app->output = "trace.dat";
	if (app->command->flags & CMD_WRITE_PROFILE && !app->output && !app->input)
		app->output = "perf.data";
	if (app->command->flags & CMD_WRITE_ARCHIVE && !app->output && argc > 1)
		app->output = archive_name(app, argv[1]);
	/* A recovered file takes the place of the recording. */
	if (app->command->flags & CMD_WRITE_IN_PLACE && !app->output)
		return argv[1];
	return app->output;
}

/* The files that are arguments, for a command that records without one. */
static void find_input(struct app *app, int argc, char **argv)
{
	const int first = first_read(app);

	if (app->command->flags & CMD_RECORD && !app->input && last_read(app, argc) >= first)
		app->input = argv[first];
}

/*
 * A trace.dat file is read where it is. A directory for temporary files costs a quarter of the start, so that
 * a command that prints such files has none.
 */
static bool needs_temporary(struct app *app, int argc, char **argv)
{
	const int first = first_read(app), last = last_read(app, argc);
	size_t n = 0;

	if (app->command->flags & CMD_NEEDS_TEMPORARY || find_output(app, argc, argv))
		return true;
	while (n < app->n_files && begins_with(app->files[n].fd, "\x17\x08\x44tracing"))
		n++;
	return !n || n < app->n_files || (last >= first && n < (size_t)(last - first + 1));
}

static bool is_directory(const char *kind)
{
	struct sink_opts opts = { 0 };

	return kind && !dkl_sink_kind(kind, &opts) && opts.style.traits & DKT_STYLE_FILES;
}

/* How the command creates its output, if it is not one file. */
static unsigned int output_needs(const struct app *app, const char *output)
{
	const struct sink_options *sink = OPT(app, sink);
	const bool by_name = app->command->flags & CMD_FORMAT && !sink->format;

	if (!output)
		return 0;
	/* A recording has its name while it grows; pieces and files of a style have names of their own. */
	if (app->command->flags & CMD_NAMES || is_directory(sink->style))
		return CAGE_NAMES;
	return is_directory(by_name ? dkl_sink_by_path(output) : sink->format) ? CAGE_DIRECTORY : 0;
}

static int confine(struct app *app, int argc, char **argv, bool log)
{
	const char *output = find_output(app, argc, argv);
	const int first = first_read(app), last = last_read(app, argc);
	unsigned int needs = (log ? CAGE_KERNEL : 0) | output_needs(app, output);

	if (needs_temporary(app, argc, argv))
		needs |= CAGE_TEMPORARY;
	if (app->keep_privileges & DKT__KEEP_SYMBOLS)
		needs |= CAGE_PROGRAMS;
	return cage_enter(app, argv + first, last < first ? 0 : (size_t)(last - first + 1), output,
			  needs);
}

/* Settings of a tree are those of whoever has made it. */
static int confine_to_tree(struct app *app, const char *output)
{
	struct statfs st;

	/* With these, privileges_confine() comes later. */
	if (!app->root || app->n_command || opt_with(app, OPT_PROGRAM | OPT_PROCESS))
		return 0;
	/* The kernel's own files are nobody else's. */
	if (!statfs(app->root, &st) && st.f_type == TRACEFS_MAGIC)
		return 0;
	return cage_enter(app, NULL, 0, output,
			  CAGE_KERNEL | CAGE_STATE | CAGE_LUSTRE | output_needs(app, output) |
				  (app->command->flags & CMD_RECORD ? CAGE_TEMPORARY : 0)) ?
		       app_fail(app) :
		       0;
}

int privileges_begin(struct app *app, int argc, char **argv)
{
	unsigned int flags = app->command->flags, log = 0;
	int err;

	if (!(flags & (CMD_READ | CMD_RECORD)) && !(flags & CMD_READ_TREE && app->root))
		return flags & CMD_TREE ? confine_to_tree(app, NULL) : 0;
	find_input(app, argc, argv);
	err = dkl_output_keep(app->ctx, find_output(app, argc, argv), &app->keep_privileges);
	if (!err)
		err = take_files(app, argc, argv);
	if (!err && flags & CMD_RECORD && !app->input)
		return confine_to_tree(app, find_output(app, argc, argv));
	/* The log needs nothing opened in advance; keep the privileges that tracefs needs. */
	if (!err && has_log(app, argc, argv) && !dkt_tracefs_open(app->ctx, 0))
		log = DKT__KEEP_TRACEFS | DKT__KEEP_SYMBOLS;
	if (!err)
		err = dkt__caps_limit(app->ctx, app->keep_privileges | log);
	if (!err)
		err = confine(app, argc, argv, log);
	return err ? app_fail(app) : 0;
}

int privileges_limit(const struct app *app, unsigned int keep)
{
	return dkt__caps_limit(app->ctx,
			       app->keep_privileges | keep | DKT__KEEP_TRACEFS | DKT__KEEP_SYMBOLS);
}

int privileges_confine(struct app *app)
{
	const bool process = opt_with(app, OPT_PROCESS);
	int err = privileges_limit(app, process ? DKT__KEEP_PROCESSES : 0);

	return err ? err :
		     cage_enter(app, NULL, 0, NULL, CAGE_STATE | (process ? CAGE_PROCESSES : 0));
}

int privileges_confine_dump(struct app *app, const char *output)
{
	char *const tree[] = { (char *)(uintptr_t)app->input };

	return cage_enter(app, tree, 1, output, 0) ? app_fail(app) : 0;
}

int privileges_file(const struct app *app, const char *path)
{
	for (size_t i = 0; i < app->n_files; i++)
		if (!strcmp(app->files[i].path, path))
			return app->files[i].fd + 1;
	return 0;
}

void privileges_end(struct app *app)
{
	if (app->made_run_dir)
		dkt__run_dir_remove();
	dkl_placer_end(&app->placer);
	dkt__own_dir_remove(&app->temporary);
	while (app->n_files)
		close(app->files[--app->n_files].fd);
	free(app->files);
	app->files = NULL;
}
