/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets one parameter: in Lustre's files, in the trace log, or in both. */
#include "compat/lctl/param/write.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "compat/apply/apply.h"
#include "compat/io/say.h"
#include "compat/lctl/cmd.h"
#include "compat/set/param.h"
#include "compat/set/param/debug_words.h"
#include "compat/set/param/file.h"
#include "lib/base/util.h"

/* ---- dktrace's own parameters ---- */

static int open_log(struct param_write *pw)
{
	struct lctl *lctl = pw->lctl;
	int err;

	if (pw->log)
		return 0;
	err = dkl_debuglog_open(lctl->ctx, lctl->instance, DEBUGLOG_CHANGE, &pw->log);
	if (!err && pw->log->rebuilt)
		dkl_say_line(
			stderr,
			"%s: the file of settings is missing: the settings were read from the instance '%s'",
			lctl->self, pw->log->name);
	return err;
}

static void print_notes(const struct lctl *lctl, const char *name, char *notes)
{
	char *save = NULL;

	for (char *line = notes ? strtok_r(notes, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		dkl_say_line(stderr, "%s: %s: %s", lctl->self, name, line);
}

static int write_own(struct param_write *pw, const struct param *param, const char *value)
{
	const char *name = dkl_param_name(param);
	char *notes __cleanup(free) = NULL;
	int err = open_log(pw);

	if (err) {
		dkl_lctl_print_error(pw->lctl);
		return err;
	}
	err = dkl_param_set(pw->log, param, value, &notes);
	if (!err && !pw->quiet)
		dkl_say_line(stdout, "%s=%s", name, value);
	fflush(stdout);
	print_notes(pw->lctl, name, notes);
	if (!err)
		return 0;
	dkl_lctl_print_error(pw->lctl);
	dkl_say_line(stderr, "error: set_param: setting %s/%s=%s: %s", pw->log->dir, name, value,
		     strerror(-err));
	return err;
}

/* Sets the parameters that match, for a pattern that matches no file; false: none matches. */
static bool write_owns(struct param_write *pw, const char *pattern, const char *value, int *err)
{
	const struct param *param = NULL;
	bool found = false;
	int ret;

	*err = 0;
	while ((param = dkl_param_next(param))) {
		if (!dkl_param_name_fits(dkl_param_name(param), pattern))
			continue;
		found = true;
		ret = write_own(pw, param, value);
		*err = *err ? *err : ret;
	}
	return found;
}

/* ---- files ---- */

/*
 * Sets the trace log's parameter like Lustre's of the same name. A mask is read back from Lustre,
 * because the value may be relative to the previous mask.
 */
static int follow(struct param_write *pw, const struct param *param, const char *path,
		  const char *value)
{
	char now[PARAM_FILE_MAX];
	char *notes __cleanup(free) = NULL;
	int err = dkl_param_is_mask(param) ? dkl_param_file_read(param, path, now) : 0;

	if (err)
		return err;
	err = dkl_param_follow(pw->log, param, value, now, &notes);
	if (!err)
		print_notes(pw->lctl, dkl_param_name(param), notes);
	return err;
}

static int write_both(struct param_write *pw, const struct param *param, const char *path,
		      const char *value)
{
	char before[PARAM_FILE_MAX];
	char *theirs __cleanup(free) = NULL;
	/* Open the log first: that takes over changes that others have made to Lustre's mask. */
	int opened = open_log(pw), unread = dkl_param_file_read(param, path, before);
	int err = dkl_param_for_lustre(pw->lctl->ctx, param, value, &theirs);
	bool undone;

	if (err) {
		dkl_lctl_print_error(pw->lctl);
		return err;
	}
	err = theirs ? dkl_param_file_write(path, theirs, "set_param") : 0;
	if (err || (opened == -ENOENT && !dkl_debug_words_has_event(value)))
		return err;
	err = opened ? opened : follow(pw, param, path, value);
	if (!err)
		return 0;
	dkl_lctl_print_error(pw->lctl);
	undone = !unread && !dkl_param_file_write(path, before, NULL);
	dkl_say_line(stderr, "error: set_param: setting %s=%s: %s the trace log cannot follow: %s",
		     path, value, undone ? "undone:" : "done, but", strerror(-err));
	return err;
}

/* Reports the parts of the mask that the log could not follow. */
static void print_log_notes(const struct param_write *pw, const struct param *param)
{
	const char *notes[] = { pw->log ? pw->log->note : NULL,
				pw->log ? pw->log->no_probe : NULL };

	fflush(stdout);
	for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
		if (notes[i])
			dkl_say_line(stderr, "%s: %s: %s", pw->lctl->self, dkl_param_name(param),
				     notes[i]);
}

/* Prints the value like get_param, which keeps the ends of its lines. */
static void print_set(const char *name, const char *value)
{
	dkl_say_text(stdout, name, strlen(name));
	putchar('=');
	dkl_say_text(stdout, value, strlen(value));
	putchar('\n');
}

static int write_file(struct param_write *pw, const struct tree_match *match, const char *value)
{
	const struct param *own = dkl_tree_is_kernel(match->path) ? dkl_param_find(match->name) :
								    NULL;
	char *name __cleanup(free) = dkl_tree_dotted(match->name, "");
	int err;

	if (own)
		err = write_both(pw, own, match->path, value);
	else
		err = dkl_param_file_write(match->path, value, "set_param");
	if (!err && !pw->quiet)
		print_set(name ? name : match->name, value);
	if (!err && own)
		print_log_notes(pw, own);
	return err;
}

/* 1: not a file; nothing was written. */
static int write_match(struct param_write *pw, const struct tree_match *match, const char *value)
{
	struct stat st;
	int err;

	if (stat(match->path, &st)) {
		err = -errno;
		dkl_say_line(stderr, "error: set_param: %s '%s': %s",
			     lstat(match->path, &st) ? "lstat" : "stat", match->path,
			     strerror(-err));
		return err;
	}
	if (!pw->modules && strstr(match->path, "/module/"))
		return 1;
	return S_ISREG(st.st_mode) ? write_file(pw, match, value) : 1;
}

/* Reports that the pattern matches no file that can be set. */
static int refuse(const char *path, const char *value)
{
	struct stat st;
	int err = !stat(path, &st) && S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;

	dkl_say_line(stderr, "error: set_param: setting %s=%s: %s", path, value, strerror(-err));
	return err;
}

int dkl_param_write(struct param_write *pw, const char *pattern, const char *value)
{
	struct tree_matches matches;
	bool any = false, modules = pw->modules;
	const char *named = dkl_tree_pattern(pattern, &modules);
	int ret, err = dkl_tree_find(&pw->lctl->tree, named, modules, &matches);

	if (err == -ENOENT && write_owns(pw, pattern, value, &ret))
		return ret;
	if (err) {
		dkl_say_line(stderr, "error: set_param: param_path '%s': %s", pattern,
			     strerror(-err));
		return err;
	}
	for (size_t i = 0; i < matches.n; i++) {
		ret = write_match(pw, &matches.rows[i], value);
		any |= ret <= 0;
		if (ret < 0 && !err)
			err = ret;
	}
	if (!any)
		err = refuse(matches.n ? matches.rows[0].path : pattern, value);
	dkl_tree_matches_clear(&matches);
	return err;
}

void dkl_param_write_end(struct param_write *pw)
{
	dkl_debuglog_close(pw->log);
	pw->log = NULL;
}
