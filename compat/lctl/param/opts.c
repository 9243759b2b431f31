/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options that get_param, list_param and find_param share. */
#include "compat/lctl/param/opts.h"

#include <getopt.h>
#include <stddef.h>
#include <sys/stat.h>

#include "compat/io/say.h"
#include "lib/base/util.h"

/* Each command accepts all long names. The order decides what an abbreviation means. */
static const struct option names[] = {
	/* clang-format off */
	{ "dshbak",         no_argument,       NULL, 'b' },
	{ "color",          optional_argument, NULL, 'c' },
	{ "dir-only",       no_argument,       NULL, 'D' },
	{ "directory-only", no_argument,       NULL, 'D' },
	{ "classify",       no_argument,       NULL, 'F' },
	{ "header",         no_argument,       NULL, 'H' },
	{ "links",          no_argument,       NULL, 'l' },
	{ "no-links",       no_argument,       NULL, 'L' },
	{ "merge",          no_argument,       NULL, 'm' },
	{ "no-merge",       no_argument,       NULL, 'M' },
	{ "no-name",        no_argument,       NULL, 'n' },
	{ "only-name",      no_argument,       NULL, 'N' },
	{ "name-only",      no_argument,       NULL, 'N' },
	{ "module",         no_argument,       NULL, 'o' },
	{ "path",           no_argument,       NULL, 'p' },
	{ "readable",       no_argument,       NULL, 'r' },
	{ "recursive",      no_argument,       NULL, 'R' },
	{ "tunable",        no_argument,       NULL, 't' },
	{ "writable",       no_argument,       NULL, 'w' },
	{ "yaml",           no_argument,       NULL, 'y' },
	{ NULL,             0,                 NULL, 0 },
	/* clang-format on */
};

static const struct letter {
	char letter;
	bool value;
	size_t offset; /* of a bool in struct param_opts */
} letters_of[] = {
	{ 'D', true, offsetof(struct param_opts, only_dirs) },
	{ 'F', true, offsetof(struct param_opts, type) },
	{ 'H', true, offsetof(struct param_opts, header) },
	{ 'l', true, offsetof(struct param_opts, links) },
	{ 'L', false, offsetof(struct param_opts, links) },
	{ 'm', true, offsetof(struct param_opts, merge) },
	{ 'M', false, offsetof(struct param_opts, merge) },
	{ 'n', false, offsetof(struct param_opts, name) },
	{ 'N', true, offsetof(struct param_opts, only_name) },
	{ 'o', true, offsetof(struct param_opts, modules) },
	{ 'p', true, offsetof(struct param_opts, path) },
	{ 'R', true, offsetof(struct param_opts, recursive) },
	{ 't', true, offsetof(struct param_opts, tunable) },
	{ 'y', true, offsetof(struct param_opts, yaml) },
};

static bool is_one_of(const char *word, const char *a, const char *b)
{
	return !strcmp(word, a) || !strcmp(word, b);
}

static bool set_color(const char *word, struct param_opts *opts)
{
	if (!word || is_one_of(word, "always", "yes"))
		opts->color = true;
	else if (is_one_of(word, "never", "no"))
		opts->color = false;
	else if (!strcmp(word, "auto"))
		opts->color = isatty(STDOUT_FILENO);
	else
		return false;
	return true;
}

static bool set_letter(int letter, const char *arg, struct param_opts *opts)
{
	switch (letter) {
	case 'b':
		opts->collapse = opts->merge = true;
		return true;
	case 'c':
		return set_color(arg, opts);
	case 'r':
		opts->mode |= S_IRUSR;
		return true;
	case 'w':
		opts->mode |= S_IWUSR;
		return true;
	default:
		break;
	}
	for (size_t i = 0; i < ARRAY_SIZE(letters_of); i++)
		if (letters_of[i].letter == letter) {
			*(bool *)((char *)opts + letters_of[i].offset) = letters_of[i].value;
			return true;
		}
	return false;
}

int dkl_param_opts_parse(int argc, char **argv, const char *letters, struct param_opts *opts)
{
	int c;

	opts->color = dkl_say_in_color();
	/* 0, not 1: getopt() forgets a group of letters that it has not finished. */
	optind = 0;
	while ((c = dkl_say_getopt(argc, argv, letters, names)) != -1)
		if (!set_letter(c, optarg, opts))
			return -1;
	return optind;
}
