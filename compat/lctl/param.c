/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* get_param, list_param and find_param. */
#include "compat/apply/apply.h"
#include "compat/io/say.h"
#include "compat/lctl/cmd.h"
#include "compat/lctl/param/walk.h"
#include "lib/base/util.h"

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
	dkl_param_walk_end(walk);
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
		err = dkl_param_walk(&walk, argv[i]);
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
		err = dkl_param_walk(&walk, argv[i]);
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
		err = dkl_param_walk(&walk, "*");
		regfree(&regex);
		if (err)
			dkl_say_line(stderr, "error: %s: listing '*': %s", argv[0], strerror(-err));
		if (!status)
			status = -err;
	}
	rc = finish(&walk);
	return status ? status : rc;
}
