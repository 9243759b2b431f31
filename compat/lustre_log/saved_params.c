/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads parameters of Lustre that were saved: what `lctl get_param` printed, and copies of the kernel's directories. */
#include "compat/lustre_log/saved_params.h"

#include <ctype.h>
#include <fts.h>

#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"

/* Larger files are logs and recordings. */
#define MOST_BYTES (64U << 20)

/* ---- the output of get_param ---- */

/* The parameter of a host whose lines are read; several hosts' lines can be mixed, as pdsh writes them. */
struct open_param {
	char *host;
	char *name; /* NULL: none yet */
	struct dkt_buf value;
};

struct reading {
	struct open_param *open; /* one for each host */
	size_t n;
	saved_param_fn fn;
	void *data;
};

static void clear(struct reading *reading)
{
	for (size_t i = 0; i < reading->n; i++) {
		free(reading->open[i].host);
		free(reading->open[i].name);
		free(reading->open[i].value.data);
	}
	free(reading->open);
}

/* Passes what was read of a parameter. */
static int finish(const struct reading *reading, struct open_param *open)
{
	char *name __cleanup(free) = open->name, *value __cleanup(free) = NULL;

	open->name = NULL;
	if (!name)
		return 0;
	value = dkt__buf_take(&open->value);
	return value ? reading->fn(reading->data,
				   &(struct saved_param){ open->host, name, value }) :
		       -ENOMEM;
}

/* Returns the host's, NULL: memory is out. */
static struct open_param *find(struct reading *reading, const char *host, size_t len)
{
	struct open_param *list;

	for (size_t i = 0; i < reading->n; i++)
		if (strlen(reading->open[i].host) == len &&
		    !memcmp(reading->open[i].host, host, len))
			return &reading->open[i];
	list = reallocarray(reading->open, reading->n + 1, sizeof(*list));
	if (!list)
		return NULL;
	reading->open = list;
	list[reading->n] = (struct open_param){ .host = strndup(host, len) };
	return list[reading->n].host ? &list[reading->n++] : NULL;
}

/* Returns how long the name of a parameter before '=' is; 0: the line does not begin one. */
static size_t name_len(const char *line)
{
	size_t n = 0;
	bool dot = false;

	if (!islower((unsigned char)*line))
		return 0;
	while (line[n] && !isspace((unsigned char)line[n]) && line[n] != '=') {
		dot |= line[n] == '.';
		n++;
	}
	/* Those at the top, such as memused, have no dot; a value has no such line before the first name. */
	return line[n] == '=' && (dot || !strncmp(line, "memused", 7) ||
				  !strncmp(line, "lnet_memused", 12)) ?
		       n :
		       0;
}

/* Returns how long the prefix "HOST: " is; 0: the line has none. */
static size_t prefix_len(const char *line)
{
	const size_t n = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789.-_");

	return n && line[n] == ':' && line[n + 1] == ' ' ? n + 2 : 0;
}

static int begin(const struct reading *reading, struct open_param *open, const char *line,
		 size_t len)
{
	int err = finish(reading, open);

	if (err)
		return err;
	open->name = strndup(line, len);
	dkt_buf_str(&open->value, line + len + 1);
	return open->name ? 0 : -ENOMEM;
}

static void append(struct open_param *open, const char *line)
{
	if (!open->name || !*line)
		return;
	if (open->value.len)
		dkt_buf_str(&open->value, "\n");
	dkt_buf_str(&open->value, line);
}

/* A line of a value can look like a prefix ("import: "), but not while hosts are named. */
static int read_line(struct reading *reading, const char *line)
{
	size_t host = 0, len = name_len(line);
	struct open_param *open;

	if (!len) {
		host = prefix_len(line);
		len = host ? name_len(line + host) : 0;
	}
	if (!len && host && !(reading->n && *reading->open[reading->n - 1].host))
		host = 0;
	open = find(reading, line, host ? host - 2 : 0);
	if (!open)
		return -ENOMEM;
	if (len)
		return begin(reading, open, line + host, len);
	append(open, line + host);
	return 0;
}

int dkl_saved_params_text(char *text, saved_param_fn fn, void *data)
{
	struct reading reading = { .fn = fn, .data = data };
	int err = 0;

	for (char *next, *line = text; !err && line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		err = read_line(&reading, line);
	}
	for (size_t i = 0; !err && i < reading.n; i++)
		err = finish(&reading, &reading.open[i]);
	clear(&reading);
	return err;
}

/* ---- files ---- */

/* Returns the part of a path that is the name of a parameter, with slashes; NULL: the file is no parameter. */
static const char *name_of_path(const char *path)
{
	static const char *const dirs[] = { "/fs/lustre/", "/kernel/debug/lustre/" };

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		const char *at = strstr(path, dirs[i]);

		if (at)
			return at + strlen(dirs[i]);
	}
	return NULL;
}

static int read_copy(const char *file, char *text, size_t len, saved_param_fn fn, void *data)
{
	char *name __cleanup(free) = strdup(file);
	struct saved_param param = { "", name, text };

	if (!name)
		return -ENOMEM;
	for (char *p = name; *p; p++)
		if (*p == '/')
			*p = '.';
	while (len && text[len - 1] == '\n')
		text[--len] = '\0';
	return fn(data, &param);
}

/* Returns -EFBIG or another error of the file, whose message is the caller's. */
static int read_file(const char *path, saved_param_fn fn, void *data)
{
	char *text __cleanup(free) = NULL;
	const char *name = name_of_path(path);
	size_t len;
	int err = dkt__read_file(path, MOST_BYTES, &text, &len);

	if (err)
		return err;
	/* A file with NULs is no text. */
	if (strlen(text) != len)
		return 0;
	return name ? read_copy(name, text, len, fn, data) : dkl_saved_params_text(text, fn, data);
}

/* Returns the error of an entry of the tree, or what the reading of its file returned. */
static int read_entry(const FTSENT *entry, saved_param_fn fn, void *data)
{
	if (entry->fts_info == FTS_NS || entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR)
		return -entry->fts_errno;
	return entry->fts_info == FTS_F ? read_file(entry->fts_path, fn, data) : 0;
}

int dkl_saved_params_read(struct dkt_ctx *ctx, const char *path, saved_param_fn fn, void *data,
			  uint64_t *unread)
{
	char *const paths[] = { (char *)path, NULL };
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	int err = 0;

	if (!tree)
		return dkt__no_memory(ctx);
	for (FTSENT *entry; !err && (entry = fts_read(tree));) {
		err = read_entry(entry, fn, data);
		if (err < 0 && err != -ENOMEM && entry->fts_level) {
			*unread += err != -EFBIG;
			err = 0;
		}
		if (err)
			dkt_fail(ctx, err, "read %s: %s", entry->fts_path, strerror(-err));
	}
	fts_close(tree);
	return err;
}
