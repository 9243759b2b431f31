/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* set_param. */
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <regex.h>
#include <sys/stat.h>

#include "compat/apply/apply.h"
#include "compat/io/say.h"
#include "compat/lctl/cmd.h"
#include "compat/lctl/forward.h"
#include "compat/lctl/lctl.h"
#include "compat/lctl/real_lctl.h"
#include "compat/log/debuglog.h"
#include "compat/set/param.h"
#include "compat/set/param/debug_words.h"
#include "compat/set/param/tree.h"
#include "lib/base/parse.h"
#include "lib/base/util.h"

/* State of one command. The members after `lctl` start as zeroes. */
struct param_write {
	struct lctl *lctl;
	bool quiet; /* do not print the value that was set */
	bool modules;
	/* Opened for a change when the first of dktrace's own parameters is set. */
	struct debuglog *log;
};

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

/*
 * Sets the parameters that match a pattern from dkl_tree_clean(), and prints values and errors; the
 * caller prints lctl's last line. Returns 0 or the first error.
 */
static int write_value(struct param_write *pw, const char *pattern, const char *value)
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

static const struct option names[] = {
	/* clang-format off */
	{ "client",    optional_argument, NULL, 'C' },
	{ "delete",    no_argument,       NULL, 'd' },
	{ "file",      no_argument,       NULL, 'F' },
	{ "noname",    no_argument,       NULL, 'n' },
	{ "module",    no_argument,       NULL, 'o' },
	{ "perm",      no_argument,       NULL, 'P' },
	{ "permanent", no_argument,       NULL, 'P' },
	{ "threads",   optional_argument, NULL, 't' },
	{ NULL,        0,                 NULL, 0 },
	/* clang-format on */
};

/* ---- options ---- */

static int conflict(const char *command, const char *option, const char *with)
{
	dkl_say_line(stderr, "error: %s: %s cannot be used with %s", command, option, with);
	return -1;
}

/* given has an entry for each letter. */
static int set_option(const char *command, int letter, const char *arg, bool *given)
{
	int64_t n;

	/* dktrace sets parameters one by one, but checks the number of threads like lctl. */
	if (letter == '?' ||
	    (letter == 't' && arg && (dkt__take_s64(&arg, NULL, DKT__DEC, &n) || n < 2)))
		return -1;
	given[letter] = true;
	if (given['C'] && given['P'])
		return letter == 'C' ? conflict(command, "-C", "-P") :
				       conflict(command, "-P", "-C");
	return 0;
}

static int parse_options(int argc, char **argv, bool *given)
{
	int c, ret = 0;

	optind = 0;
	/* lctl prints only its help. */
	opterr = 0;
	while (!ret && (c = getopt_long(argc, argv, "C::dFnoPt::", names, NULL)) != -1)
		ret = set_option(argv[0], c, optarg, given);
	opterr = 1;
	return ret ? ret : optind;
}

/* ---- NAME=VALUE, NAME VALUE ---- */

static bool is_mask(const char *name)
{
	const struct param *param = dkl_param_find(name);

	return (param && dkl_param_is_mask(param)) || !strcmp(name, "subsystem_printk");
}

/*
 * Accepts debug+=lfsck, `debug +=lfsck` and debug-=trace as debug=+lfsck and debug=-trace. The sign
 * replaces the `=`, which is the byte before the value.
 */
static void move_sign(char *name, char **value)
{
	size_t len = strlen(name);

	if (len && strchr("+-", name[len - 1])) {
		char sign = name[len - 1];

		name[len - 1] = '\0';
		if (is_mask(name))
			*--*value = sign;
		else
			name[len - 1] = sign;
	} else if (strchr("+-", (*value)[0]) && (*value)[1] == '=' && is_mask(name)) {
		(*value)[1] = (*value)[0];
		++*value;
	}
}

/*
 * Splits the first argument, or takes the value from the second. Returns the number used, or
 * -EINVAL.
 */
static int split(int argc, char **argv, char **value)
{
	char *equals = strchr(argv[0], '=');

	if (equals)
		*equals++ = '\0';
	*value = equals ? equals : argc > 1 ? argv[1] : NULL;
	if (!*value || !**value)
		return -EINVAL;
	if (equals || strchr("+-", **value))
		move_sign(argv[0], value);
	return equals ? 1 : 2;
}

static void warn_deprecated(const char *name)
{
	regex_t regex;

	if (regcomp(&regex, "^nodemap/[^/]+/fileset$", REG_EXTENDED | REG_NOSUB))
		return;
	if (!regexec(&regex, name, 0, NULL, 0))
		dkl_say_line(stdout,
			     "Warning: The parameter '%s' is deprecated. Please use"
			     " \"lctl nodemap_set_fileset\" instead.",
			     name);
	regfree(&regex);
}

/* Scripts compare lctl's messages, so the hint is a line of its own after them. */
static void hint(const struct lctl *lctl, const char *name, const char *value, int err)
{
	const struct param *param = dkl_param_find(name);
	struct dkt__guess guess;
	size_t at, len;

	if (!param)
		dkl_lctl_hint_param(lctl, name);
	else if (lctl->hints && err == -EINVAL && dkl_param_is_mask(param) &&
		 dkl_param_misspelt(param, value, &guess, &at, &len))
		dkl_lctl_hint(lctl, &guess);
}

/* Returns the status of the last parameter. Stops at an argument that cannot be parsed. */
static int set_all(struct param_write *pw, const char *command, int argc, char **argv)
{
	int n, err = 0;

	for (; argc > 0; argc -= n, argv += n) {
		char *value;

		n = split(argc, argv, &value);
		if (n < 0) {
			dkl_say_line(stderr, "error: %s: setting %s: %s", command, argv[0],
				     strerror(-n));
			return n;
		}
		if (!*argv[0]) {
			dkl_say_line(stderr, "error: %s: cleaning '': %s", command,
				     strerror(EINVAL));
			return -EINVAL;
		}
		dkl_tree_clean(argv[0], false);
		warn_deprecated(argv[0]);
		err = write_value(pw, argv[0], value);
		if (!err)
			continue;
		dkl_say_line(stderr, "error: %s: setting '%s'='%s': %s", command, argv[0], value,
			     strerror(-err));
		hint(pw->lctl, argv[0], value, err);
	}
	return err;
}

int dkl_lctl_cmd_set_param(struct lctl *lctl, int argc, char **argv)
{
	bool given[CHAR_MAX + 1] = { false };
	struct param_write pw = { .lctl = lctl };
	int err, first = parse_options(argc, argv, given);

	if (first < 0 || first >= argc)
		return dkl_lctl_usage("set_param");
	/* Lustre's lctl has to do these. */
	if (given['C'] || given['d'] || given['F'] || given['P']) {
		/* Scripts compare lctl's messages. */
		if (strcmp(lctl->self, "lctl") && !dkl_real_lctl_exists())
			dkl_say_line(
				stderr,
				"%s: %s -C, -d, -F and -P change the configuration of a Lustre file"
				" system: 'dktrace save' keeps this machine's settings, and 'dktrace"
				" apply' sets them again",
				lctl->self, argv[0]);
		return dkl_lctl_forward(lctl, argc, argv);
	}
	pw.quiet = given['n'];
	pw.modules = given['o'];
	err = set_all(&pw, argv[0], argc - first, argv + first);
	dkl_debuglog_close(pw.log);
	return -err;
}
