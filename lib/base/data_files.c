/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the files of a kind of data and reads them in order of their names. */
#include "lib/base/data_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/util.h"

#define SUFFIX        ".yaml"
#define FILE_SIZE_MAX (1 << 20)

/* The Makefile assembles it from DATADIR, so that another PREFIX compiles nothing again. */
extern const char dkt__data_dir[];

static const struct kind {
	const char *what; /* for messages */
	const char *dir;
	const char *variable;
} kinds[] = {
	[DKT__DATA_CLASSES] = { "class map", "classes.d", "DKTRACE_CLASSES" },
	[DKT__DATA_INTERVALS] = { "intervals", "intervals.d", "DKTRACE_INTERVALS" },
};

struct file {
	const char *name; /* within its directory */
	const char *path;
	size_t dir; /* later directories win */
};

struct files {
	const struct kind *kind;
	struct dkt__arena arena;
	struct file *list;
	size_t n;
	char **why;
};

/* Stores the message about a path, with the words before it. */
static int fail(const struct files *files, int err, const char *before, const char *path,
		const char *reason)
{
	*files->why = dkt__format("%s%s: %s", before, path, reason);
	return *files->why ? err : -ENOMEM;
}

static int fail_dir(const struct files *files, int err, const char *path)
{
	char *before __cleanup(free) = dkt__format("%s ", files->kind->what);

	return before ? fail(files, err, before, path, strerror(-err)) : -ENOMEM;
}

/* ---- which files ---- */

/* Hidden files and editors' backups are not read. */
static bool is_data_name(const char *name)
{
	size_t len = strlen(name), suffix = strlen(SUFFIX);

	return name[0] != '.' && len > suffix && !strcmp(name + len - suffix, SUFFIX);
}

static int add_file(struct files *files, const char *dir, size_t dir_index, const char *name)
{
	size_t size = strlen(dir) + 1 + strlen(name) + 1;
	char *path = dkt__arena_alloc(&files->arena, size);

	files->list = dkt__arena_grow(&files->arena, files->list, files->n, sizeof(*files->list));
	if (!path || !files->list)
		return -ENOMEM;
	snprintf(path, size, "%s/%s", dir, name);
	files->list[files->n++] =
		(struct file){ .name = path + strlen(dir) + 1, .path = path, .dir = dir_index };
	return 0;
}

static int add_dir(struct files *files, const char *path, size_t dir_index)
{
	DIR *dir __cleanup(closedir) = opendir(path);
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return fail_dir(files, -errno, path);
	while (!err && (errno = 0, entry = readdir(dir)))
		if (is_data_name(entry->d_name))
			err = add_file(files, path, dir_index, entry->d_name);
	if (!err && errno)
		err = -errno;
	return err ? fail_dir(files, err, path) : 0;
}

static int file_cmp(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	int d = strcmp(x->name, y->name);

	return d ? d : (x->dir > y->dir) - (x->dir < y->dir);
}

/* ---- reading files ---- */

static int read_file(struct files *files, const char *path, dkt__data_fn fn, void *data)
{
	int fd __cleanup(close) = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text __cleanup(free) = NULL;
	struct stat st;
	size_t len;
	int err;

	if (fd < 0 || fstat(fd, &st))
		return fail(files, -errno, "", path, strerror(errno));
	if (S_ISCHR(st.st_mode))
		return 0; /* a link to /dev/null disables a shipped file */
	if (!S_ISREG(st.st_mode))
		return fail(files, -EINVAL, "", path, "not a regular file");
	err = dkt__read_fd(fd, FILE_SIZE_MAX, &text, &len);
	return err ? fail(files, err, "", path, strerror(-err)) : fn(data, path, text, len);
}

int dkt__data_read_dirs(enum dkt__data_kind kind, const char *const *dirs, size_t n,
			dkt__data_fn fn, void *data, char **why)
{
	struct files files = { .kind = &kinds[kind], .why = why };
	int err = 0;

	*why = NULL;
	for (size_t i = 0; i < n && !err; i++)
		err = add_dir(&files, dirs[i], i);
	if (!err && files.n)
		qsort(files.list, files.n, sizeof(*files.list), file_cmp);
	for (size_t i = 0; i < files.n && !err; i++)
		if (i + 1 == files.n || strcmp(files.list[i].name, files.list[i + 1].name) != 0)
			err = read_file(&files, files.list[i].path, fn, data);
	dkt__arena_free(&files.arena);
	return err;
}

/* ---- directories ---- */

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Returns the directory of a program that runs where it was built, or where DESTDIR staged it. NULL: none. */
static char *find_beside_program(const char *dir)
{
	static const char *const places[] = { "share", "share/dktrace" };
	char exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (len < 0)
		return NULL;
	exe[len] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *path = dkt__format("%s/../%s/%s", exe, places[i], dir);

		if (!path || is_dir(path))
			return path;
		free(path);
	}
	return NULL;
}

struct dirs {
	char **list;
	size_t n;
};

static void clear_dirs(struct dirs *dirs)
{
	while (dirs->n)
		free(dirs->list[--dirs->n]);
	free(dirs->list);
}

static int add_path(struct dirs *dirs, char *path)
{
	int err = path ? dkt__append(dirs->list, dirs->n, path) : -ENOMEM;

	if (err)
		free(path);
	return err;
}

static int list_variable(const char *value, struct dirs *dirs)
{
	char *copy __cleanup(free) = strdup(value), *rest = copy, *dir;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (dir = strsep(&rest, ":")))
		if (*dir)
			err = add_path(dirs, strdup(dir));
	return err;
}

static int list_usual(const struct kind *kind, struct dirs *dirs)
{
	char *shipped = dkt__format("%s/%s", dkt__data_dir, kind->dir);
	char *beside = shipped && !is_dir(shipped) ? find_beside_program(kind->dir) : NULL;
	char *site __cleanup(free) = dkt__format("%s/%s", CONFDIR, kind->dir);
	int err;

	if (beside) {
		free(shipped);
		shipped = beside;
	}
	err = add_path(dirs, shipped);
	if (!err && !site)
		err = -ENOMEM;
	if (!err && access(site, F_OK) == 0)
		err = add_path(dirs, strdup(site));
	return err;
}

/* The directories of the kind, in the order in which they are read. */
static int list_dirs(const struct kind *kind, struct dirs *dirs)
{
	const char *variable = secure_getenv(kind->variable);

	return variable && *variable ? list_variable(variable, dirs) : list_usual(kind, dirs);
}

int dkt__data_read(enum dkt__data_kind kind, dkt__data_fn fn, void *data, char **why)
{
	struct dirs dirs = { 0 };
	int err = list_dirs(&kinds[kind], &dirs);

	*why = NULL;
	if (!err)
		err = dkt__data_read_dirs(kind, (const char *const *)dirs.list, dirs.n, fn, data,
					  why);
	clear_dirs(&dirs);
	return err;
}

int dkt__data_each_dir(int (*fn)(void *data, const char *dir), void *data)
{
	struct dirs dirs = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(kinds); i++)
		err = list_dirs(&kinds[i], &dirs);
	for (size_t i = 0; !err && i < dirs.n; i++)
		err = fn(data, dirs.list[i]);
	clear_dirs(&dirs);
	return err;
}
