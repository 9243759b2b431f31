/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of the kernel's code and of its modules, which were mapped before sampling began. */
#include <inttypes.h>
#include <sys/utsname.h>

#include "lib/base/gained.h"
#include "lib/base/parse.h"
#include "lib/sampler.h"

#define MODULES_MAX 4096

struct map_record {
	uint32_t pid, tid;
	uint64_t start, size, offset;
};

static void put_map(struct dkt_buf *buf, const struct map_record *map, const char *name)
{
	dkt__sampler_put_head(buf, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL,
			      sizeof(*map) + dkt__sampler_text_size(name));
	dkt__buf_add(buf, map, sizeof(*map));
	dkt__sampler_put_text(buf, name);
	dkt__sampler_put_tail(buf);
}

/* ---- the kernel ---- */

/* Gets the address of a line such as "ffffffff81000000 T _text" if it has one of these names. */
static bool is_symbol(const char *line, const char *name, uint64_t *address)
{
	const char *p = line;

	return !dkt__take_u64(&p, NULL, DKT__HEX, address) && *p == ' ' && p[1] && p[2] == ' ' &&
	       !strcmp(p + 3, name);
}

/* A reader learns from the symbol's address how far the kernel was moved at boot. */
static void put_kernel(struct dkt_buf *buf)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(true);
	FILE *f __cleanup(fclose) = fopen("/proc/kallsyms", "re");
	char *line __cleanup(free) = NULL;
	const char *anchor = NULL;
	uint64_t start = 0, end = 0, address;
	size_t room = 0;

	while (f && !end && getline(&line, &room, f) > 0) {
		line[strcspn(line, "\t\n")] = '\0';
		if (is_symbol(line, "_text", &address)) {
			start = address;
			anchor = "[kernel.kallsyms]_text";
		} else if (!anchor && is_symbol(line, "_stext", &address)) {
			start = address;
			anchor = "[kernel.kallsyms]_stext";
		} else if (is_symbol(line, "_etext", &address)) {
			end = address;
		}
	}
	/* Addresses are 0 for users who may not know them. */
	if (anchor && start && end > start)
		put_map(buf,
			&(struct map_record){ .pid = UINT32_MAX,
					      .start = start,
					      .size = end - start,
					      .offset = start },
			anchor);
}

/* ---- modules ---- */

/* Reads "nfsd 786432 13 - Live 0xffffffffc0a00000". */
static bool parse_module(char *line, struct dkt__sampler_module *module)
{
	char *words[6], *rest = line;
	uint64_t size;
	size_t n = 0;

	while (n < ARRAY_SIZE(words) && (words[n] = strsep(&rest, " \n")))
		n++;
	if (n < ARRAY_SIZE(words) || dkt__parse_u64(words[1], DKT__DEC, &size) ||
	    dkt__parse_u64(words[5], DKT__AS_C, &module->start) || !module->start)
		return false;
	module->end = module->start + size;
	module->name = strdup(words[0]);
	return module->name;
}

static int by_address(const void *a, const void *b)
{
	const struct dkt__sampler_module *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void read_modules(struct dkt__sampler_hits *hits)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(true);
	FILE *f __cleanup(fclose) = fopen("/proc/modules", "re");
	char *line __cleanup(free) = NULL;
	size_t room = 0;

	while (f && hits->n_modules < MODULES_MAX && getline(&line, &room, f) > 0) {
		struct dkt__sampler_module module = { 0 };

		if (parse_module(line, &module) &&
		    dkt__append(hits->modules, hits->n_modules, module))
			free(module.name);
	}
	if (hits->n_modules)
		qsort(hits->modules, hits->n_modules, sizeof(*hits->modules), by_address);
}

/* True if the file's name, without its endings, is that of the module, which has _ for each -. */
static bool is_file_of(const char *file, size_t len, const char *module)
{
	if (strlen(module) != len)
		return false;
	for (size_t i = 0; i < len; i++)
		if ((file[i] == '-' ? '_' : file[i]) != module[i])
			return false;
	return true;
}

/* Takes "kernel/fs/nfsd/nfsd.ko.xz: kernel/net/sunrpc/sunrpc.ko". */
static void take_path(struct dkt__sampler_hits *hits, const char *dir, char *line)
{
	char *colon = strchr(line, ':'), *base;

	if (!colon)
		return;
	*colon = '\0';
	base = strrchr(line, '/');
	base = base ? base + 1 : line;
	for (size_t i = 0; i < hits->n_modules; i++) {
		struct dkt__sampler_module *module = &hits->modules[i];

		if (!module->path && is_file_of(base, strcspn(base, "."), module->name))
			module->path = dkt__format("%s/%s", dir, line);
	}
}

static void find_paths(struct dkt__sampler_hits *hits)
{
	struct utsname names;
	char *dir __cleanup(free) = NULL;
	char *list __cleanup(free) = NULL;
	FILE *f __cleanup(fclose) = NULL;
	char *line __cleanup(free) = NULL;
	size_t room = 0;

	if (!hits->n_modules || uname(&names))
		return;
	dir = dkt__format("/lib/modules/%s", names.release);
	list = dir ? dkt__format("%s/modules.dep", dir) : NULL;
	f = list ? fopen(list, "re") : NULL;
	while (f && getline(&line, &room, f) > 0)
		take_path(hits, dir, line);
}

/* A module without a known file is shown by its name, as perf does. */
static void put_module(struct dkt_buf *buf, const struct dkt__sampler_module *module)
{
	char *name __cleanup(free) = module->path ? strdup(module->path) :
						    dkt__format("[%s]", module->name);
	const struct map_record map = { .pid = UINT32_MAX,
					.start = module->start,
					.size = module->end - module->start };

	if (name)
		put_map(buf, &map, name);
}

int dkt__sampler_kernel_put(struct dkt__sampler *sampler, struct dkt_buf *buf)
{
	struct dkt__sampler_hits *hits = &sampler->hits;

	put_kernel(buf);
	read_modules(hits);
	find_paths(hits);
	for (size_t i = 0; i < hits->n_modules; i++)
		put_module(buf, &hits->modules[i]);
	return buf->err;
}
