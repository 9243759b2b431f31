/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Confines a command to its files before it parses bytes of others. */
#include "ctl/app/cage.h"

#include <glob.h>
#include <sys/stat.h>

#include "compat/io/output.h"
#include "compat/io/run_dir.h"
#include "compat/set/param/tree.h"
#include "fleet/collect/collection.h"
#include "lib/base/buf.h"
#include "lib/base/cage.h"
#include "lib/base/data_files.h"

/* Names of hosts, and certificates. */
static const char *const network_files[] = { "/etc/hosts",
					     "/etc/host.conf",
					     "/etc/resolv.conf",
					     "/etc/nsswitch.conf",
					     "/etc/gai.conf",
					     "/etc/services",
					     "/etc/ssl",
					     "/etc/pki",
					     "/etc/ca-certificates",
					     "/etc/crypto-policies",
					     "/run/systemd/resolve",
					     NULL };

static const char *const kernel_files[] = { "/proc", "/sys", "/lib/modules", "/boot", NULL };

static const char *const program_files[] = { "/", NULL };

static int allow_input(void *data, const char *path)
{
	return dkt__cage_allow(data, path, DKT__CAGE_READ);
}

static int allow_list(struct dkt__cage *cage, const char *const *paths)
{
	int err = 0;

	while (!err && *paths)
		err = allow_input(cage, *paths++);
	return err;
}

/* ---- the files of the command ---- */

/* Files that are read with another: the description of its collection, the log of a database. */
static int allow_beside(struct dkt__cage *cage, const char *path)
{
	const char *slash = strrchr(path, '/');
	const int dir = slash ? (int)(slash - path + 1) : 0;
	char *about __cleanup(free) = dkt__format("%.*s" COLLECTION_NAME, dir, path);
	/* The description stands for all files of its collection. */
	const bool whole = !strcmp(path + dir, COLLECTION_NAME);
	char *all __cleanup(free) = whole ? dkt__format("%.*s.", dir, path) : NULL;
	char *wal __cleanup(free) = dkt__format("%s-wal", path);
	char *shm __cleanup(free) = dkt__format("%s-shm", path);
	const char *const paths[] = { about, wal, shm, all, NULL };

	return about && wal && shm && (all || !whole) ? allow_list(cage, paths) : -ENOMEM;
}

/* Debug information that is beside a program, whose name only the program tells. */
static int allow_debug_files(struct dkt__cage *cage, const char *program)
{
	const char *slash = strrchr(program, '/');
	const int len = slash ? (int)(slash - program + 1) : 0;
	char *dir __cleanup(free) = dkt__format("%.*s.debug", len, program);
	char *files __cleanup(free) = dkt__format("%.*s*.debug", len, program);
	glob_t found = { 0 };
	int err = dir && files ? allow_input(cage, dir) : -ENOMEM;

	if (!err && glob(files, GLOB_NOSORT, NULL, &found) == GLOB_NOSPACE)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < found.gl_pathc; i++)
		err = allow_input(cage, found.gl_pathv[i]);
	globfree(&found);
	return err;
}

/* A recording that is recovered gets the records that the kernel still has. */
static int allow_recording(struct dkt__cage *cage, const char *path)
{
	struct stat st;

	return stat(path, &st) || !S_ISREG(st.st_mode) ?
		       0 :
		       dkt__cage_allow(cage, path, DKT__CAGE_WRITE);
}

static int allow_inputs(const struct app *app, struct dkt__cage *cage, char *const *inputs,
			size_t n)
{
	const bool recovers = app->command && app->command->flags & CMD_WRITE_IN_PLACE;
	/* Standard input is opened again, to see whether somebody writes it. */
	int err = allow_input(cage, "/proc/self/fd/0");

	for (size_t i = 0; !err && i < n; i++) {
		err = allow_input(cage, inputs[i]);
		if (!err)
			err = allow_beside(cage, inputs[i]);
		if (!err && recovers)
			err = allow_recording(cage, inputs[i]);
	}
	return err;
}

static int allow_dir_of(struct dkt__cage *cage, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir __cleanup(free) = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");

	return dir ? dkt__cage_allow(cage, dir, DKT__CAGE_WRITE) : -ENOMEM;
}

/* Gives the directories of the output, and of the links that it may be. */
static int allow_names(struct dkt__cage *cage, const char *path)
{
	char *at __cleanup(free) = dkl_output_link(path);
	int err = allow_dir_of(cage, path);

	for (int i = 0; !err && at && i < OUTPUT_LINKS; i++) {
		char *next = dkl_output_link(at);

		err = allow_dir_of(cage, at);
		free(at);
		at = next;
	}
	return err;
}

/* The command itself reports a directory that cannot be created. */
static int allow_directory(struct app *app, struct dkt__cage *cage)
{
	struct placer_answer made;

	return dkl_placer_ask(app->ctx, &app->placer, PLACER_OPEN_DIR, &made) ?
		       0 :
		       dkt__cage_allow(cage, made.temp, DKT__CAGE_WRITE);
}

static int allow_output(struct app *app, struct dkt__cage *cage, const char *path,
			unsigned int needs)
{
	struct stat st = { 0 };
	int err = 0;

	if (!path || !strcmp(path, "-"))
		return 0;
	/* Devices and pipes are opened as they are. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return dkt__cage_allow(cage, path, DKT__CAGE_WRITE);
	if (needs & CAGE_NAMES)
		return allow_names(cage, path);
	/* An earlier file may be one that must not be replaced. */
	if (S_ISREG(st.st_mode))
		err = allow_input(cage, path);
	if (!err)
		err = dkl_placer_begin(app->ctx, path, &app->placer);
	return err || !(needs & CAGE_DIRECTORY) ? err : allow_directory(app, cage);
}

/* ---- needs beside ---- */

static int allow_kernel(struct app *app, struct dkt__cage *cage)
{
	/* Without tracefs the command says why it needs it. */
	const int found = dkt_tracefs_open(app->ctx, 0);
	const char *const own[] = { found ? "" : dkt_tracefs_dir(app->ctx), RUN_DIR,
				    "/sys/kernel/debug" };
	int err = allow_list(cage, kernel_files);

	for (size_t i = 0; !err && i < ARRAY_SIZE(own); i++)
		if (*own[i])
			err = dkt__cage_allow(cage, own[i], DKT__CAGE_WRITE);
	return err;
}

static int allow_setting(void *data, const char *path)
{
	return dkt__cage_allow(data, path, DKT__CAGE_WRITE);
}

/* A directory that does not exist yet can have no rule. */
static int allow_state(struct app *app, struct dkt__cage *cage)
{
	app->made_run_dir = dkl_run_dir_create(app->ctx, NULL) > 0;
	return dkt__cage_allow(cage, "/run", DKT__CAGE_REMOVE_DIRS);
}

static int allow_needs(struct app *app, struct dkt__cage *cage, unsigned int needs)
{
	const char *program = opt_with(app, OPT_PROGRAM);
	int err = dkt__data_each_dir(allow_input, cage);

	if (!err && needs & CAGE_NETWORK)
		err = allow_list(cage, network_files);
	if (!err && needs & CAGE_LUSTRE)
		err = dkl_tree_each(allow_setting, cage);
	if (!err && needs & CAGE_TEMPORARY)
		err = dkt__own_dir_make(&app->temporary, cage);
	if (!err && needs & CAGE_STATE)
		err = allow_state(app, cage);
	if (!err && needs & CAGE_KERNEL)
		err = allow_kernel(app, cage);
	if (!err && program)
		err = allow_debug_files(cage, program);
	if (!err && needs & CAGE_PROGRAMS)
		err = allow_list(cage, program_files);
	return err;
}

static unsigned int calls_needed(const struct app *app, unsigned int needs)
{
	return (needs & CAGE_NETWORK ? DKT__CAGE_NETWORK : 0) |
	       (needs & CAGE_ACCEPT ? DKT__CAGE_ACCEPT : 0) |
	       (opt_with(app, OPT_DATAGRAMS) || needs & CAGE_STATE ? DKT__CAGE_DATAGRAMS : 0) |
	       (needs & (CAGE_NAMES | CAGE_DIRECTORY | CAGE_KERNEL | CAGE_STATE) ? DKT__CAGE_NAMES :
										   0) |
	       (needs & CAGE_TEMPORARY ? DKT__CAGE_REMOVE : 0) |
	       (needs & CAGE_PROCESSES ? DKT__CAGE_PROCESSES : 0);
}

static unsigned int needs_of(const struct command *command)
{
	/* lctl's commands have no row. */
	if (!command)
		return 0;
	return (command->flags & CMD_NEEDS_NETWORK ? CAGE_NETWORK : 0) |
	       (command->flags & CMD_NEEDS_KERNEL ? CAGE_KERNEL : 0);
}

int cage_enter(struct app *app, char *const *inputs, size_t n, const char *output,
	       unsigned int needs)
{
	struct dkt__cage cage __cleanup(cage_end) = DKT__CAGE_INIT;
	int err;

	needs |= needs_of(app->command);
	if (opt_with(app, OPT_SERVERS))
		needs |= CAGE_NETWORK | CAGE_TEMPORARY;
	err = dkt__cage_begin(&cage, calls_needed(app, needs));
	if (!err)
		err = allow_inputs(app, &cage, inputs, n);
	if (!err)
		err = opt_each_input(app, allow_input, &cage);
	if (!err)
		err = allow_output(app, &cage, output, needs);
	if (!err)
		err = dkt__cage_allow_system(&cage);
	if (!err)
		err = allow_needs(app, &cage, needs);
	if (!err)
		err = dkt__cage_enter(&cage);
	return err ? dkt_fail(app->ctx, err, "confine the process to its files: %s",
			      strerror(-err)) :
		     0;
}
