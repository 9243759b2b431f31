/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the files of the class map. */
#include "compat/lustre/class/map.h"
#include "lib/base/data_files.h"
#include "lib/base/memory.h"
#include "lib/base/util.h"

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

/* The map that files are added to. */
struct loading {
	struct dkt_ctx *ctx;
	struct class_map *map;
};

static int add_file(void *data, const char *path, const char *text, size_t len)
{
	const struct loading *loading = data;

	return dkl_class_parse(loading->ctx, loading->map, path, text, len);
}

/* dirs NULL: the usual ones. */
static int load(struct dkt_ctx *ctx, const char *const *dirs, size_t n, struct class_map **map)
{
	struct loading loading = { .ctx = ctx, .map = calloc(1, sizeof(*loading.map)) };
	char *why __cleanup(free) = NULL;
	int err;

	*map = NULL;
	if (!loading.map)
		return dkt__no_memory(ctx);
	err = dirs ? dkt__data_read_dirs(DKT__DATA_CLASSES, dirs, n, add_file, &loading, &why) :
		     dkt__data_read(DKT__DATA_CLASSES, add_file, &loading, &why);
	if (why)
		dkt_fail(ctx, err, "%s", why);
	return finish(loading.map, dkt__with_words(ctx, err), map);
}

int dkl_class_map_load_dirs(struct dkt_ctx *ctx, const char *const *dirs, size_t n,
			    struct class_map **map)
{
	return load(ctx, dirs, n, map);
}

int dkl_class_map_load(struct dkt_ctx *ctx, struct class_map **map)
{
	return load(ctx, NULL, 0, map);
}
