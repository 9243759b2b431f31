/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints parameters as get_param, list_param and find_param do. */
#include <sys/stat.h>

#include "compat/io/say.h"
#include "compat/lctl/param/list.h"

#define RESET   "\033[0m"
#define CHANGED "\033[91m"
#define TWICE   "\033[93m"
#define DIR     "\033[94m"
#define LINK    "\033[96m"

/* Prints a later value of a name, and colours the bytes that differ from the first value. */
static void print_changes(const struct param_value *value, const struct param_value *first,
			  const char *color)
{
	size_t i, from, both = value->len < first->len ? value->len : first->len;
	bool on = false;

	for (i = from = 0; i < both; i++) {
		bool same = value->text[i] == first->text[i];

		if (on != same)
			continue;
		dkl_say_text(stdout, value->text + from, i - from);
		fputs(same ? color : CHANGED, stdout);
		from = i;
		on = !same;
	}
	dkl_say_text(stdout, value->text + from, i - from);
	if (i < value->len) {
		if (!on)
			fputs(CHANGED, stdout);
		dkl_say_text(stdout, value->text + i, value->len - i);
		putchar('\n');
	}
	fputs(color, stdout);
}

/* Prints each line of a value after a prefix, whose first part is escaped. */
static void print_lines(const struct param_value *value, const char *prefix, const char *mark)
{
	const char *line = value->text, *end = value->text + value->len, *next;

	do {
		next = memchr(line, '\n', (size_t)(end - line));
		dkl_say_text(stdout, prefix, strlen(prefix));
		fputs(mark, stdout);
		dkl_say_text(stdout, line, (size_t)((next ? next : end) - line));
		if (next)
			putchar('\n');
		line = next ? next + 1 : NULL;
	} while (line);
}

/* The joined name of -b is only for values that several parameters share. */
static const char *name_of(const struct param_entry *entry, const struct param_value *value,
			   const struct param_opts *opts)
{
	return opts->collapse && value->count > 1 ? entry->name : value->name;
}

static void print_text(const struct param_entry *entry, const struct param_value *value,
		       const struct param_opts *opts, const char *color)
{
	bool lines = memchr(value->text, '\n', value->len);
	const char *name = name_of(entry, value, opts);

	if (opts->only_name) {
		if (opts->name)
			dkl_say_text(stdout, name, strlen(name));
	} else if (lines && opts->header) {
		print_lines(value, name, "=");
	} else if (lines && opts->yaml && opts->name) {
		dkl_say_text(stdout, name, strlen(name));
		fputs(": |\n", stdout);
		print_lines(value, "", "  ");
	} else {
		if (opts->name) {
			dkl_say_text(stdout, name, strlen(name));
			printf("%s%s", opts->yaml ? ": " : "=", lines ? "\n" : "");
		}
		if (opts->color && value != entry->values)
			print_changes(value, entry->values, color ? color : RESET);
		else
			dkl_say_text(stdout, value->text, value->len);
	}
}

static void print_value(const struct param_entry *entry, const struct param_value *value,
			const struct param_opts *opts, const char *color)
{
	if (!opts->name && !value->len)
		return;
	if (opts->color && color)
		fputs(color, stdout);
	print_text(entry, value, opts, color);
	printf("%s\n", opts->color ? RESET : "");
}

static void print_entry(const struct param_entry *entry, const struct param_opts *opts)
{
	const char *color = entry->link ? LINK : S_ISDIR(entry->mode) ? DIR : NULL;

	if (opts->tunable && !S_ISREG(entry->mode))
		return;
	for (size_t i = 0; i < entry->n; i++) {
		if (i && !opts->merge)
			color = TWICE;
		print_value(entry, &entry->values[i], opts, color);
	}
}

/* Prints the parameters of a directory, then its subdirectories. */
void dkl_param_dir_print(const struct param_dir *dir, const struct param_opts *opts)
{
	for (size_t i = 0; i < dir->n; i++)
		print_entry(&dir->entries[i], opts);
	for (size_t i = 0; i < dir->n_dirs; i++)
		dkl_param_dir_print(dir->dirs[i], opts);
}
