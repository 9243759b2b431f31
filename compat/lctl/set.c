/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* set_param. */
#include <getopt.h>
#include <regex.h>

#include "compat/io/say.h"
#include "compat/lctl/cmd.h"
#include "compat/lctl/param/write.h"
#include "compat/lctl/real_lctl.h"
#include "compat/set/param.h"
#include "lib/base/parse.h"

struct set_opts {
	bool quiet;
	bool modules;
	bool client; /* this and the next three are left to Lustre's lctl */
	bool permanent;
	bool file;
	bool remove;
};

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

static int set_option(const char *command, int letter, const char *arg, struct set_opts *opts)
{
	int64_t n;

	switch (letter) {
	case 'C':
		opts->client = true;
		return opts->permanent ? conflict(command, "-C", "-P") : 0;
	case 'P':
		opts->permanent = true;
		return opts->client ? conflict(command, "-P", "-C") : 0;
	case 'd':
		opts->remove = true;
		return 0;
	case 'F':
		opts->file = true;
		return 0;
	case 'n':
		opts->quiet = true;
		return 0;
	case 'o':
		opts->modules = true;
		return 0;
	case 't':
		/*
		 * dktrace sets parameters one by one, but checks the number of threads like lctl.
		 */
		return arg && (dkt__take_s64(&arg, NULL, DKT__DEC, &n) || n < 2) ? -1 : 0;
	default:
		return -1;
	}
}

static int parse_options(int argc, char **argv, struct set_opts *opts)
{
	int c, ret = 0;

	optind = 0;
	/* lctl prints only its help. */
	opterr = 0;
	while (!ret && (c = getopt_long(argc, argv, "C::dFnoPt::", names, NULL)) != -1)
		ret = set_option(argv[0], c, optarg, opts);
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
		err = dkl_param_write(pw, argv[0], value);
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
	struct set_opts opts = { 0 };
	struct param_write pw = { .lctl = lctl };
	int err, first = parse_options(argc, argv, &opts);

	if (first < 0 || first >= argc)
		return dkl_lctl_usage("set_param");
	if (opts.remove || opts.client || opts.permanent || opts.file) {
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
	pw.quiet = opts.quiet;
	pw.modules = opts.modules;
	err = set_all(&pw, argv[0], argc - first, argv + first);
	dkl_param_write_end(&pw);
	return -err;
}
