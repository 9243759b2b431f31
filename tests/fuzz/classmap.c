/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the class map's files: each is refused with a place, or usable. */
#include <stdlib.h>
#include <string.h>

#include "compat/lustre/class.h"
#include "tests/fuzz/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct class_map *map;
	struct dkt_ctx *ctx;
	const char **modules;
	size_t n;

	if (dkt_ctx_new(NULL, &ctx))
		return 0;
	if (dkl_class_map_load_text(ctx, "map", (const char *)data, size, &map)) {
		if (strncmp(dkt_error(ctx), "map:", 4))
			abort();
	} else if (!dkl_class_map_resolve(map, NULL, 0) &&
		   !dkl_class_map_modules(map, UINT32_MAX, &modules, &n)) {
		free(modules);
	}
	dkl_class_map_free(map);
	dkt_ctx_free(ctx);
	return 0;
}
