/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of parameters that get_param, list_param and find_param found and will print. */
#include "compat/lctl/param/list.h"

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
