/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the files of the class map and reads them in order of their names. */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "compat/lustre/class/map.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"

#define CLASSES_VARIABLE "DKTRACE_CLASSES"
#define CLASSES_SITE     CONFDIR "/classes.d"
#define CLASSES_SUFFIX   ".yaml"
#define FILE_SIZE_MAX    (1 << 20)

/* The Makefile assembles it from DATADIR, so that another PREFIX compiles nothing again. */
extern const char dkl_class_dir_shipped[];

struct file {
	const char *name; /* within its directory */
	const char *path;
	size_t dir; /* later directories win */
};

struct file_list {
	struct dkt__arena arena;
	struct file *files;
	size_t n;
};

/* ---- which files ---- */

/* Hidden files and editors' backups are not part of the map. */
static bool is_map_name(const char *name)
{
	size_t len = strlen(name), suffix = strlen(CLASSES_SUFFIX);

	return name[0] != '.' && len > suffix && !strcmp(name + len - suffix, CLASSES_SUFFIX);
}

static int add_file(struct file_list *list, const char *dir, size_t dir_index, const char *name)
{
	size_t size = strlen(dir) + 1 + strlen(name) + 1;
	char *path = dkt__arena_alloc(&list->arena, size);
	struct file *file;

	list->files = dkt__arena_grow(&list->arena, list->files, list->n, sizeof(*list->files));
	if (!path || !list->files)
		return -ENOMEM;
	snprintf(path, size, "%s/%s", dir, name);
	file = &list->files[list->n++];
	*file = (struct file){ .name = path + strlen(dir) + 1, .path = path, .dir = dir_index };
	return 0;
}

static int add_dir(struct dkt_ctx *ctx, struct file_list *list, const char *path, size_t dir_index)
{
	DIR *dir __cleanup(closedir) = opendir(path);
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return dkt_fail(ctx, -errno, "class map %s: %s", path, strerror(errno));
	while (!err && (errno = 0, entry = readdir(dir)))
		if (is_map_name(entry->d_name))
			err = add_file(list, path, dir_index, entry->d_name);
	if (!err && errno)
		err = -errno;
	return err ? dkt_fail(ctx, err, "class map %s: %s", path, strerror(-err)) : 0;
}

static int file_cmp(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	int d = strcmp(x->name, y->name);

	return d ? d : (x->dir > y->dir) - (x->dir < y->dir);
}

/* ---- reading files ---- */

static int read_file(struct dkt_ctx *ctx, struct class_map *map, const char *path)
{
	int fd __cleanup(close) = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text __cleanup(free) = NULL;
	struct stat st;
	size_t len;
	int err;

	if (fd < 0 || fstat(fd, &st))
		return dkt_fail(ctx, -errno, "%s: %s", path, strerror(errno));
	if (S_ISCHR(st.st_mode))
		return 0; /* a link to /dev/null disables a shipped file */
	if (!S_ISREG(st.st_mode))
		return dkt_fail(ctx, -EINVAL, "%s: not a regular file", path);
	err = dkt__read_fd(fd, FILE_SIZE_MAX, &text, &len);
	if (err)
		return dkt_fail(ctx, err, "%s: %s", path, strerror(-err));
	return dkl_class_parse(ctx, map, path, text, len);
}

static int load_list(struct dkt_ctx *ctx, struct file_list *list, const char *const *dirs, size_t n,
		     struct class_map *map)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = add_dir(ctx, list, dirs[i], i);
	if (!err && list->n)
		qsort(list->files, list->n, sizeof(*list->files), file_cmp);
	for (size_t i = 0; i < list->n && !err; i++)
		if (i + 1 == list->n || strcmp(list->files[i].name, list->files[i + 1].name))
			err = read_file(ctx, map, list->files[i].path);
	return err;
}

/* ---- maps ---- */

void dkl_class_map_free(struct class_map *map)
{
	if (!map)
		return;
	free(map->bits);
	free(map->conditions);
	dkt__arena_free(&map->arena);
	free(map);
}

/* Stores the new map, or frees it after an error. */
static int finish(struct class_map *map, int err, struct class_map **out)
{
	if (err)
		dkl_class_map_free(map);
	else
		*out = map;
	return err;
}

int dkl_class_map_load_text(struct dkt_ctx *ctx, const char *file, const char *text, size_t len,
			    struct class_map **map)
{
	struct class_map *new = calloc(1, sizeof(*new));

	*map = NULL;
	if (!new)
		return dkt__no_memory(ctx);
	return finish(new, dkl_class_parse(ctx, new, file, text, len), map);
}

int dkl_class_map_load_dirs(struct dkt_ctx *ctx, const char *const *dirs, size_t n,
			    struct class_map **map)
{
	struct class_map *new = calloc(1, sizeof(*new));
	struct file_list list = { 0 };
	int err;

	*map = NULL;
	if (!new)
		return dkt__no_memory(ctx);
	err = load_list(ctx, &list, dirs, n, new);
	dkt__arena_free(&list.arena);
	return finish(new, err, map);
}

/* ---- directories ---- */

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Returns the map of a program that runs where it was built, or where DESTDIR staged it. NULL: none. */
static char *find_beside_program(void)
{
	static const char *const places[] = { "share/classes.d", "share/dktrace/classes.d" };
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
		char *path = dkt__format("%s/../%s", exe, places[i]);

		if (!path || is_dir(path))
			return path;
		free(path);
	}
	return NULL;
}

/* The directories of the map, in the order in which they are read. */
struct class_dirs {
	const char **list;
	size_t n;
	char *text; /* what the list points to */
};

static int list_variable(const char *value, struct class_dirs *dirs)
{
	char *rest, *dir;

	dirs->text = rest = strdup(value);
	dirs->list = calloc(strlen(value) + 1, sizeof(*dirs->list));
	if (!dirs->text || !dirs->list)
		return -ENOMEM;
	while ((dir = strsep(&rest, ":")))
		if (*dir)
			dirs->list[dirs->n++] = dir;
	return 0;
}

static int list_usual(struct class_dirs *dirs)
{
	dirs->list = calloc(2, sizeof(*dirs->list));
	if (!dirs->list)
		return -ENOMEM;
	if (!is_dir(dkl_class_dir_shipped))
		dirs->text = find_beside_program();
	dirs->list[dirs->n++] = dirs->text ? dirs->text : dkl_class_dir_shipped;
	if (access(CLASSES_SITE, F_OK) == 0)
		dirs->list[dirs->n++] = CLASSES_SITE;
	return 0;
}

static int list_dirs(struct class_dirs *dirs)
{
	const char *variable = secure_getenv(CLASSES_VARIABLE);

	*dirs = (struct class_dirs){ 0 };
	return variable && *variable ? list_variable(variable, dirs) : list_usual(dirs);
}

static void clear_dirs(struct class_dirs *dirs)
{
	free(dirs->list);
	free(dirs->text);
}

int dkl_class_map_load(struct dkt_ctx *ctx, struct class_map **map)
{
	struct class_dirs dirs;
	int err = list_dirs(&dirs);

	*map = NULL;
	err = err ? dkt__no_memory(ctx) : dkl_class_map_load_dirs(ctx, dirs.list, dirs.n, map);
	clear_dirs(&dirs);
	return err;
}

int dkl_class_map_each_dir(int (*fn)(void *data, const char *dir), void *data)
{
	struct class_dirs dirs;
	int err = list_dirs(&dirs);

	for (size_t i = 0; !err && i < dirs.n; i++)
		err = fn(data, dirs.list[i]);
	clear_dirs(&dirs);
	return err;
}
