/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lines of sources. A program names its sources, and can name any file: without the rule below the listing of
 * somebody's program would show root's secrets.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "ctl/annotate/annotate.h"
#include "lib/base/io.h"

/* Sources are smaller. */
#define BYTES_MAX (4u << 20)

/* True if others may enter each directory of the path. */
static bool is_reachable(const char *path)
{
	char whole[PATH_MAX];
	struct stat st;

	if (!realpath(path, whole))
		return false;
	for (char *slash = whole; (slash = strrchr(whole, '/'));) {
		slash[slash == whole] = '\0';
		if (stat(whole, &st) || !(st.st_mode & S_IXOTH))
			return false;
		if (!whole[1])
			return true;
	}
	return false;
}

static bool is_shown(const char *path, const struct stat *st, uid_t owner)
{
	return st->st_uid == owner || (st->st_mode & S_IROTH && is_reachable(path));
}

/* Returns the text with spaces in place of tabs, where an editor shows them. NULL: memory is out. */
static char *expand(const char *text)
{
	size_t n = 0, column = 0;
	char *wide = malloc(8 * strlen(text) + 1);

	for (; wide && *text; text++) {
		size_t spaces = *text == '\t' ? 8 - column % 8 : 0;

		column = *text == '\n' ? 0 : column + (spaces ?: 1);
		for (; spaces; spaces--)
			wide[n++] = ' ';
		if (*text != '\t')
			wide[n++] = *text;
	}
	if (wide)
		wide[n] = '\0';
	return wide;
}

static void split(struct source_file *file)
{
	for (char *line = file->text; line && *line;) {
		char *end = strchrnul(line, '\n'), *next = *end ? end + 1 : end;

		if (end > line && end[-1] == '\r')
			end[-1] = '\0';
		*end = '\0';
		if (dkt__append(file->lines, file->n, line))
			return;
		line = next;
	}
}

static void read_text(struct source_file *file, uid_t owner)
{
	char *text __cleanup(free) = NULL;
	int fd __cleanup(close) = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		return;
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > BYTES_MAX)
		file->reason = "it is not a regular file of a usual size";
	else if (!is_shown(file->path, &st, owner))
		file->reason = "it belongs to another user than the program, and not everybody may"
			       " read it";
	if (file->reason)
		return;
	text = malloc((size_t)st.st_size + 1);
	n = text ? dkt__pread_all(fd, text, (size_t)st.st_size, 0) : -1;
	if (n < 0)
		return;
	text[n] = '\0';
	file->text = expand(text);
	split(file);
}

static struct source_file *find(struct source_files *files, const char *path, uid_t owner)
{
	struct source_file *file;

	for (size_t i = 0; i < files->n; i++)
		if (!strcmp(files->list[i]->path, path))
			return files->list[i];
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->path = path;
	if (dkt__append(files->list, files->n, file)) {
		free(file);
		return NULL;
	}
	read_text(file, owner);
	return file;
}

const char *source_line(struct source_files *files, const char *path, int line, uid_t owner)
{
	const struct source_file *file = find(files, path, owner);

	return file && line > 0 && (size_t)line <= file->n ? file->lines[line - 1] : NULL;
}

void source_files_clear(struct source_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		free(files->list[i]->text);
		free(files->list[i]->lines);
		free(files->list[i]);
	}
	free(files->list);
}
