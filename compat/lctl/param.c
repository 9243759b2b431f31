/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* get_param, list_param and find_param. */
#include <fcntl.h>
#include <regex.h>
#include <sys/stat.h>

#include "compat/apply/apply.h"
#include "compat/io/say.h"
#include "compat/lctl/cmd.h"
#include "compat/lctl/lctl.h"
#include "compat/lctl/param/list.h"
#include "compat/log/directory.h"
#include "compat/set/param.h"
#include "compat/set/param/debug_words.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/util.h"

/* State of one command. The members after `opts` start as zeroes. */
struct param_walk {
	struct lctl *lctl;
	const char *command; /* for messages: get_param or list_param */
	const struct param_opts *opts;
	bool values; /* read the values */
	const regex_t *regex; /* names must match; NULL: all do */
	struct param_dir root;
	size_t found; /* parameters that matched so far */
	int err; /* first error (-errno), which becomes the exit status */
	struct debuglog *log; /* opened to read dktrace's own parameters */
	bool log_failed;
};

/* The directories above the current one, to detect loops of symbolic links. */
struct above {
	const struct above *next;
	const struct stat *st;
};

static int walk_pattern(struct param_walk *walk, const char *pattern, bool modules,
			struct param_dir *dir, const struct above *above);

/* Reports that an operation on a path failed, and keeps the first error. */
static void report(struct param_walk *walk, int err, const char *command, const char *call,
		   const char *path)
{
	dkl_say_line(stderr, "error: %s:%s '%s': %s", command, call, path, strerror(-err));
	if (!walk->err)
		walk->err = err;
}

/* ---- values ---- */

static int read_value(struct param_walk *walk, const char *path, char **text, size_t *len)
{
	int err;

	*text = NULL;
	*len = 0;
	if (!walk->values || walk->opts->only_name) {
		*text = calloc(1, 1);
		return *text ? 0 : -ENOMEM;
	}
	err = dkt__read_file(path, SIZE_MAX, text, len);
	if (*len && (*text)[*len - 1] == '\n')
		--*len;
	/* find_param looks at all files, and not every file can be read. */
	if (err && !walk->regex)
		report(walk, err, "read_param", "", path);
	return err;
}

/* Adds the names of the log's events to the text of Lustre's own debug. Without events the text stays. */
static int add_events(struct param_walk *walk, const struct tree_match *match, char **text,
		      size_t *len)
{
	char *events __cleanup(free) = NULL;
	struct settings set;
	char *both;

	if (strcmp(match->name, "debug") || !dkl_tree_is_kernel(match->path) || !*len ||
	    dkl_log_dir_settings(walk->lctl->ctx, walk->lctl->instance, &set))
		return 0;
	events = dkl_debug_words_text(&set);
	dkl_settings_clear(&set);
	if (!events || !*events)
		return events ? 0 : -ENOMEM;
	both = dkt__format("%.*s %s", (int)*len, *text, events);
	if (!both)
		return -ENOMEM;
	free(*text);
	*text = both;
	*len = strlen(both);
	return 0;
}

/* ---- one match ---- */

static const char *mark_of(const struct param_opts *opts, mode_t mode)
{
	if (!opts->type || opts->path || opts->yaml)
		return "";
	return S_ISDIR(mode) ? "/" : mode & S_IWUSR ? "=" : "";
}

/* lctl recognises parameters that cannot be tuned by parts of their names. */
static bool is_tunable(const char *path)
{
	static const char *const not_tuned[] = {
		"console", "debug_", "fail_",      "force", "import",
		"panic_",  "peers",  "srpc_sepol", "stats", "target_obd",
	};

	for (size_t i = 0; i < ARRAY_SIZE(not_tuned); i++)
		if (strstr(path, not_tuned[i]))
			return false;
	return true;
}

static bool is_wanted(const struct param_opts *opts, const char *path, mode_t mode, bool link)
{
	if ((link && !opts->links) || (opts->only_dirs && !S_ISDIR(mode)))
		return false;
	if ((mode & opts->mode) != opts->mode || (opts->tunable && !is_tunable(path)))
		return false;
	return opts->modules || !strstr(path, "/module/");
}

/* Like lctl, skips a directory with a dot in its name: no pattern with dots could name it. */
static bool can_descend(const char *name)
{
	char *clean __cleanup(free) = dkl_tree_dotted(name, "");

	if (!clean)
		return false;
	dkl_tree_clean(clean, false);
	return !strcmp(clean, name);
}

static int descend(struct param_walk *walk, const char *name, const struct stat *st,
		   const struct above *above)
{
	const struct above here = { above, st };
	char *below __cleanup(free) = NULL;
	char *pattern __cleanup(free) = NULL;
	struct param_dir *dir;
	int ret;

	for (; above; above = above->next)
		if (above->st->st_dev == st->st_dev && above->st->st_ino == st->st_ino)
			return 0;
	if (!can_descend(name))
		return 0;
	below = dkt__format("%s/", name);
	pattern = dkt__format("%s/*", name);
	if (!below || !pattern)
		return -ENOMEM;
	ret = dkl_param_dir_below(&walk->root, walk->opts, below, &dir);
	if (ret)
		return ret;
	ret = walk_pattern(walk, pattern, walk->opts->modules, dir, &here);
	return ret == -ENOENT ? 0 : ret;
}

static bool name_matches(const struct param_walk *walk, const char *name)
{
	return !walk->regex || !regexec(walk->regex, name, 0, NULL, 0);
}

/* Adds a parameter to the directory that will be printed. */
static int add(struct param_walk *walk, struct param_dir *dir, const struct tree_match *match,
	       mode_t mode, bool link)
{
	const struct param_opts *opts = walk->opts;
	char *name __cleanup(free) = opts->path ? strdup(match->path) :
						  dkl_tree_dotted(match->name, mark_of(opts, mode));
	char *text;
	size_t len;

	if (!name)
		return -ENOMEM;
	/* Only files have a value; do not open one whose name does not match. */
	if ((walk->values && !S_ISREG(mode)) || !name_matches(walk, name))
		return 0;
	if (read_value(walk, match->path, &text, &len))
		return 0;
	if (add_events(walk, match, &text, &len)) {
		free(text);
		return -ENOMEM;
	}
	return dkl_param_dir_add(dir, opts, name, mode, link, text, len);
}

/* 1: a directory to descend to, with its state in st. */
static int walk_match(struct param_walk *walk, struct param_dir *dir,
		      const struct tree_match *match, struct stat *st)
{
	bool link;
	int ret;

	if (lstat(match->path, st)) {
		report(walk, -errno, walk->command, " lstat", match->path);
		return 0;
	}
	link = S_ISLNK(st->st_mode);
	if (link && stat(match->path, st)) {
		report(walk, -errno, walk->command, " stat", match->path);
		return 0;
	}
	walk->found++;
	if (!is_wanted(walk->opts, match->path, st->st_mode, link))
		return 0;
	ret = add(walk, dir, match, st->st_mode, link);
	return ret ? ret : S_ISDIR(st->st_mode) && walk->opts->recursive;
}

/* A pattern searches all trees, so the first directory of a name stands for all of them. */
static bool is_first(const struct tree_matches *matches, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(matches->rows[i].name, matches->rows[at].name))
			return false;
	return true;
}

static int walk_pattern(struct param_walk *walk, const char *pattern, bool modules,
			struct param_dir *dir, const struct above *above)
{
	struct tree_matches matches;
	int err = dkl_tree_find(&walk->lctl->tree, pattern, modules, &matches);

	for (size_t i = 0; !err && i < matches.n; i++) {
		struct stat st;

		err = walk_match(walk, dir, &matches.rows[i], &st);
		if (err == 1)
			err = is_first(&matches, i) ?
				      descend(walk, matches.rows[i].name, &st, above) :
				      0;
	}
	dkl_tree_matches_clear(&matches);
	return err;
}

/* ---- dktrace's own parameters ---- */

static int open_log(struct param_walk *walk)
{
	struct lctl *lctl = walk->lctl;
	int err;

	if (walk->log)
		return 0;
	/* Report the failure once. */
	if (walk->log_failed)
		return walk->err;
	err = dkl_debuglog_open(lctl->ctx, lctl->instance, 0, &walk->log);
	if (!err)
		return 0;
	walk->log_failed = true;
	if (!walk->err)
		walk->err = err;
	dkl_lctl_print_error(lctl);
	return err;
}

static int add_own(struct param_walk *walk, const struct param *param)
{
	const mode_t mode = S_IFREG | S_IRUSR | S_IWUSR;
	char *name __cleanup(free) =
		dkl_tree_dotted(dkl_param_name(param), mark_of(walk->opts, mode));
	char *path __cleanup(free) = NULL, *text = NULL, *value;
	int err = 0;

	if (!name)
		return -ENOMEM;
	if (!name_matches(walk, name))
		return 0;
	walk->found++;
	if (walk->opts->only_dirs || (walk->opts->tunable && !is_tunable(dkl_param_name(param))))
		return 0;
	if (!walk->values || walk->opts->only_name) {
		text = calloc(1, 1);
	} else {
		if (open_log(walk))
			return 0;
		err = dkl_param_get(walk->log, param, &text);
	}
	if (err) {
		dkl_lctl_print_error(walk->lctl);
		path = dkt__format("%s/%s", walk->log->dir, dkl_param_name(param));
		report(walk, err, "read_param", "", path ? path : dkl_param_name(param));
		return 0;
	}
	/* Any user can choose the strings in a filter expression, so escape them. */
	value = text ? dkl_shown(text) : NULL;
	free(text);
	if (!value)
		return -ENOMEM;
	return dkl_param_dir_add(&walk->root, walk->opts, name, mode, false, value, strlen(value));
}

/* Looks up dktrace's own parameters, which have no file on a machine without Lustre. */
static int walk_own(struct param_walk *walk, const char *pattern)
{
	const struct param *param = NULL;
	size_t before = walk->found;
	int err = 0;

	while (!err && (param = dkl_param_next(param)))
		if (dkl_param_name_fits(dkl_param_name(param), pattern))
			err = add_own(walk, param);
	return err ? err : walk->found > before ? 0 : -ENOENT;
}

/*
 * Finds the parameters that match a pattern from dkl_tree_clean(), and prints them. Prints errors and
 * keeps the first in err. Returns -errno if nothing matches or the pattern is invalid.
 */
static int walk_names(struct param_walk *walk, const char *pattern)
{
	bool modules = walk->opts->modules;
	const char *named = dkl_tree_pattern(pattern, &modules);
	int err = walk_pattern(walk, named, modules, &walk->root, NULL);

	if (err == -ENOENT)
		err = walk_own(walk, pattern);
	dkl_param_dir_print(&walk->root, walk->opts);
	dkl_param_dir_clear(&walk->root);
	return err;
}

static void walk_end(struct param_walk *walk)
{
	dkl_debuglog_close(walk->log);
	walk->log = NULL;
}

/* True if the name is empty, which is reported. */
static bool is_empty(struct param_walk *walk, const char *command, const char *name)
{
	if (*name)
		return false;
	dkl_say_line(stderr, "error: %s: cleaning '': %s", command, strerror(EINVAL));
	if (!walk->err)
		walk->err = -EINVAL;
	return true;
}

static int finish(struct param_walk *walk)
{
	walk_end(walk);
	return -walk->err;
}

/* list_param -R prints only its own message, after this. */
static void report_no_match(struct param_walk *walk, const char *pattern, int err)
{
	if (walk->values || !walk->opts->recursive)
		dkl_say_line(stderr, "error: %s: param_path '%s': %s", walk->command, pattern,
			     strerror(-err));
	if (!walk->err)
		walk->err = err;
}

int dkl_lctl_cmd_get_param(struct lctl *lctl, int argc, char **argv)
{
	struct param_opts opts = { .name = true, .links = true };
	struct param_walk walk = {
		.lctl = lctl, .command = "get_param", .opts = &opts, .values = true
	};
	int i = dkl_param_opts_parse(argc, argv, "bc:FHlLmMnNoprRtwy", &opts);

	if (i < 0 || i >= argc)
		return dkl_lctl_usage("get_param");
	opts.name |= opts.only_name;
	dkl_debuglog_follow(lctl->ctx, lctl->instance);
	for (; i < argc; i++) {
		int err, sent;

		if (is_empty(&walk, argv[0], argv[i]))
			continue;
		dkl_tree_clean(argv[i], opts.type);
		err = walk_names(&walk, argv[i]);
		sent = err == -ENOENT ? dkl_lctl_get_by_netlink(lctl, argv[i], &opts) : 1;
		if (err && sent > 0) {
			report_no_match(&walk, argv[i], err);
			dkl_lctl_hint_param(lctl, argv[i]);
		} else if (sent < 0 && !walk.err)
			walk.err = sent;
	}
	return finish(&walk);
}

int dkl_lctl_cmd_list_param(struct lctl *lctl, int argc, char **argv)
{
	struct param_opts opts = { .name = true, .only_name = true, .links = true, .merge = true };
	struct param_walk walk = { .lctl = lctl, .command = "list_param", .opts = &opts };
	int i = dkl_param_opts_parse(argc, argv, "bc::DFlLmMoprRtw", &opts);

	if (i < 0 || i >= argc)
		return dkl_lctl_usage("list_param");
	for (; i < argc; i++) {
		size_t before = walk.found;
		int err, was = walk.err;

		if (is_empty(&walk, argv[0], argv[i]))
			continue;
		dkl_tree_clean(argv[i], opts.type);
		walk.err = 0;
		err = walk_names(&walk, argv[i]);
		if (err)
			report_no_match(&walk, argv[i], err);
		if (walk.err && walk.found == before)
			dkl_say_line(stderr, "error: %s: listing '%s': %s", argv[0], argv[i],
				     strerror(-walk.err));
		walk.err = was ? was : walk.err;
	}
	return finish(&walk);
}

static int compile(const char *command, const char *text, regex_t *regex)
{
	char why[256];
	int err = regcomp(regex, text, REG_EXTENDED);

	if (!err)
		return 0;
	regerror(err, regex, why, sizeof(why));
	dkl_say_line(stderr, "error: %s: Regex error compiling '%s': %s", command, text, why);
	return err;
}

int dkl_lctl_cmd_find_param(struct lctl *lctl, int argc, char **argv)
{
	struct param_opts opts = { .name = true, .links = true, .merge = true, .recursive = true };
	struct param_walk walk = { .lctl = lctl, .command = "get_param", .opts = &opts };
	int i = dkl_param_opts_parse(argc, argv, "bc:lLmMnNop", &opts);
	int rc, status = 0;

	if (i < 0 || i >= argc)
		return dkl_lctl_usage("find_param");
	opts.name |= opts.only_name;
	walk.values = !opts.only_name;
	walk.command = opts.only_name ? "list_param" : "get_param";
	for (; i < argc; i++) {
		regex_t regex;
		int err = compile(argv[0], argv[i], &regex);

		if (err) {
			status = err;
			continue;
		}
		walk.regex = &regex;
		err = walk_names(&walk, "*");
		regfree(&regex);
		if (err)
			dkl_say_line(stderr, "error: %s: listing '*': %s", argv[0], strerror(-err));
		if (!status)
			status = -err;
	}
	rc = finish(&walk);
	return status ? status : rc;
}
