/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The class map of libdktrace-lustre. */
#include "compat/liblustre/map.h"
#include "lib/base/memory.h"
#include "lib/base/util.h"

#include "compat/liblustre/kind.h"
#include "compat/lustre/style_legacy.h"
#include "lib/base/opts.h"

int dkt_lustre_map_new(struct dkt_ctx *ctx, const struct dkt_lustre_map_opts *opts,
		       struct dkt_lustre_map **out)
{
	struct dkt_lustre_map_opts mine;
	struct dkt_lustre_map *map;
	int err = dkt__opts_take(ctx, dkt_lustre_map_opts, &mine, opts);

	*out = NULL;
	if (err)
		return err;
	map = calloc(1, sizeof(*map));
	if (!map)
		return dkt__no_memory(ctx);
	map->ctx = ctx;
	if (mine.n_dirs)
		err = dkl_class_map_load_dirs(ctx, mine.dirs, mine.n_dirs, &map->files);
	if (!err)
		err = dkl_class_map_open(ctx, map->files, &map->classes);
	if (err)
		dkt_lustre_map_free(map);
	else
		*out = map;
	return err;
}

void dkt_lustre_map_free(struct dkt_lustre_map *map)
{
	if (!map)
		return;
	dkl_legacy_style_free(map->lines);
	dkl_class_map_free(map->classes);
	dkl_class_map_free(map->files);
	free(map);
}

size_t dkt_lustre_map_count(const struct dkt_lustre_map *map, enum dkt_lustre_mask mask,
			    unsigned int bit)
{
	return dkl_class_map_count(map->classes, kind_of(mask), bit);
}

const char *dkt_lustre_map_about(const struct dkt_lustre_map *map, enum dkt_lustre_mask mask,
				 unsigned int bit)
{
	return dkl_class_map_about(map->classes, kind_of(mask), bit);
}

void dkt_lustre_map_event(const struct dkt_lustre_map *map, const struct dkt_event *event,
			  uint32_t *debug, uint32_t *subsystems)
{
	const struct class_bits *bits = dkl_class_map_event(map->classes, event);

	*debug = bits->classes;
	*subsystems = bits->subsystems;
}

int dkt_lustre_map_record(struct dkt_lustre_map *map, const struct dkt_record *record,
			  uint32_t *debug, uint32_t *subsystems)
{
	struct class_bits bits;
	int err = 0;

	*debug = *subsystems = 0;
	if (!map->lines)
		err = dkl_legacy_style_new(map->ctx, map->classes, NULL, &map->lines);
	if (err)
		return err;
	bits = dkl_legacy_style_bits(map->lines, record);
	*debug = bits.classes;
	*subsystems = bits.subsystems;
	return 0;
}

int dkt_lustre_map_filter(const struct dkt_lustre_map *map, const struct dkt_event *event,
			  uint32_t debug, char **filter)
{
	return dkt__with_words(map->ctx,
			       dkl_class_map_filter(map->classes, event, debug, NULL, filter));
}
