/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the loaded kernel modules of the chosen subsystems in /proc/modules. */
#include "compat/lustre/modules.h"

#include <inttypes.h>

#include "lib/base/io.h"
#include "lib/base/util.h"

#define LOADED "/proc/modules"

/* Half of the kernel's limit for a filter. */
#define SITES_MAX 2000

static bool has_name(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

int dkl_modules_read(const struct class_map *map, uint32_t subsystems, struct modules *modules)
{
	const char **names __cleanup(free) = NULL;
	char *line __cleanup(free) = NULL;
	struct module module;
	size_t n, size = 0;
	FILE *f __cleanup(fclose) = NULL;
	int err = dkl_class_map_modules(map, subsystems, &names, &n);

	*modules = (struct modules){ 0 };
	/* A kernel without modules has no such file. */
	f = err ? NULL : fopen(LOADED, "re");
	while (!err && f && getline(&line, &size, f) > 0)
		if (sscanf(line, "%63s %" SCNu64 " %*s %*s Live 0x%" SCNx64, module.name,
			   &module.bytes, &module.from) == 3 &&
		    has_name(names, n, module.name))
			err = dkt__append(modules->list, modules->n, module);
	if (err)
		dkl_modules_clear(modules);
	return err;
}

void dkl_modules_clear(struct modules *modules)
{
	free(modules->list);
	*modules = (struct modules){ 0 };
}

int dkl_modules_sites(const struct modules *modules, char **sites)
{
	size_t len;
	FILE *out = open_memstream(sites, &len);

	for (size_t i = 0; out && i < modules->n && ftell(out) < SITES_MAX; i++)
		if (modules->list[i].from)
			fprintf(out, "%s(call_site >= 0x%" PRIx64 " && call_site < 0x%" PRIx64 ")",
				ftell(out) ? " || " : "", modules->list[i].from,
				modules->list[i].from + modules->list[i].bytes);
	return dkt__text_end_some(out, 0, sites);
}

int dkl_modules_names(const struct modules *modules, char **names)
{
	size_t len;
	FILE *out = open_memstream(names, &len);

	for (size_t i = 0; out && i < modules->n; i++)
		fprintf(out, "%s%s", i ? " " : "", modules->list[i].name);
	return dkt__text_end_some(out, 0, names);
}
