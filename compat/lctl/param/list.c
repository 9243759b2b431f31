/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of parameters that get_param, list_param and find_param found and will print, and their options. */
#include "compat/lctl/param/list.h"

#include <getopt.h>
#include <stddef.h>
#include <sys/stat.h>

#include "compat/io/say.h"
#include "lib/base/util.h"

/* ---- -b: targets with the same value ---- */

/* Replaces the text after each `word` by a star: up to `mark`, or `skip` bytes if mark is 0. */
static void star_out(char *name, const char *word, size_t skip, char mark)
{
	char *at = name, *end;

	while ((at = strstr(at, word))) {
		at += strlen(word);
		end = mark ? strchr(at, mark) : strlen(at) < skip ? NULL : at + skip;
		if (!end || end == at)
			continue;
		*at++ = '*';
		memmove(at, end, strlen(end) + 1);
	}
}

/* Gives lustre-OST0000-osc and lustre-OST0001-osc the same name, lustre-OST*-osc. */
static char *collapse(const char *name)
{
	char *copy = strdup(name);

	if (!copy)
		return NULL;
	star_out(copy, "OST", 4, 0);
	star_out(copy, "MDT", 4, 0);
	star_out(copy, "QMT", 4, 0);
	star_out(copy, "MGC", 0, '@');
	return copy;
}

/* ---- adding ---- */

static struct param_entry *find_entry(struct param_dir *dir, const char *name)
{
	for (size_t i = 0; i < dir->n; i++)
		if (!strcmp(dir->entries[i].name, name))
			return &dir->entries[i];
	return NULL;
}

static struct param_value *find_value(struct param_entry *entry, const char *text, size_t len)
{
	for (size_t i = 0; i < entry->n; i++)
		if (entry->values[i].len == len && !memcmp(entry->values[i].text, text, len))
			return &entry->values[i];
	return NULL;
}

static int add_value(struct param_entry *entry, const char *name, char *text, size_t len)
{
	struct param_value value = { strdup(name), text, len, 1 };

	if (value.name && !dkt__append(entry->values, entry->n, value))
		return 0;
	free(value.name);
	free(text);
	return -ENOMEM;
}

static struct param_entry *new_entry(struct param_dir *dir, const char *name, mode_t mode,
				     bool link)
{
	struct param_entry entry = { .name = strdup(name), .mode = mode, .link = link };

	if (entry.name && !dkt__append(dir->entries, dir->n, entry))
		return &dir->entries[dir->n - 1];
	free(entry.name);
	return NULL;
}

int dkl_param_dir_add(struct param_dir *dir, const struct param_opts *opts, const char *name,
		      mode_t mode, bool link, char *text, size_t len)
{
	char *key __cleanup(free) = opts->collapse ? collapse(name) : strdup(name);
	struct param_entry *entry = key ? find_entry(dir, key) : NULL;
	struct param_value *same;

	if (!entry && key)
		entry = new_entry(dir, key, mode, link);
	if (!entry) {
		free(text);
		return -ENOMEM;
	}
	same = opts->merge ? find_value(entry, text, len) : NULL;
	if (!same)
		return add_value(entry, name, text, len);
	free(text);
	same->count++;
	return 0;
}

static struct param_dir *new_dir(struct param_dir *root, const char *path)
{
	struct param_dir *dir = calloc(1, sizeof(*dir));

	if (!dir)
		return NULL;
	dir->path = strdup(path);
	if (dir->path && !dkt__append(root->dirs, root->n_dirs, dir))
		return dir;
	free(dir->path);
	free(dir);
	return NULL;
}

/* Like lctl, puts a directory below the first one whose path occurs in its own. */
static struct param_dir *dir_below(struct param_dir *root, const char *path)
{
	for (size_t i = 0; i < root->n_dirs; i++)
		if (strstr(path, root->dirs[i]->path))
			return strcmp(path, root->dirs[i]->path) ? dir_below(root->dirs[i], path) :
								   root->dirs[i];
	return new_dir(root, path);
}

int dkl_param_dir_below(struct param_dir *root, const struct param_opts *opts, const char *path,
			struct param_dir **dir)
{
	char *key __cleanup(free) = opts->collapse ? collapse(path) : strdup(path);

	*dir = key ? dir_below(root, key) : NULL;
	return *dir ? 0 : -ENOMEM;
}

void dkl_param_dir_clear(struct param_dir *dir)
{
	for (size_t i = 0; i < dir->n; i++) {
		for (size_t v = 0; v < dir->entries[i].n; v++) {
			free(dir->entries[i].values[v].name);
			free(dir->entries[i].values[v].text);
		}
		free(dir->entries[i].values);
		free(dir->entries[i].name);
	}
	for (size_t i = 0; i < dir->n_dirs; i++) {
		dkl_param_dir_clear(dir->dirs[i]);
		free(dir->dirs[i]);
	}
	free(dir->entries);
	free(dir->dirs);
	free(dir->path);
	*dir = (struct param_dir){ 0 };
}

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
