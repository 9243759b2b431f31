/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of the recorded kernel's functions: those of the running kernel if it is the same one, or
 * those that perf record has kept.
 */
#include <sys/utsname.h>

#include "lib/base/gained.h"
#include "lib/base/parse.h"
#include "lib/debuginfo/build_id.h"
#include "lib/perfdata.h"
#include "lib/symbol.h"

#define KALLSYMS "/proc/kallsyms"

int dkt__perf_anchor(struct dkt__perf *perf, const struct dkt__perf_item *item)
{
	size_t skip = strlen(DKT__PERF_KERNEL_MAP);

	if ((item->type != PERF_RECORD_MMAP && item->type != PERF_RECORD_MMAP2) ||
	    item->pid != -1 || perf->anchor || item->size <= skip ||
	    memcmp(item->data, DKT__PERF_KERNEL_MAP, skip) != 0)
		return 0;
	perf->anchor = strndup((const char *)item->data + skip, item->size - skip);
	perf->anchor_at = item->offset;
	return perf->anchor ? 0 : -ENOMEM;
}

/* True if the running kernel has the symbol at the address; hidden addresses are 0. */
static bool is_at(const char *symbol, uint64_t address)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(true);
	FILE *f __cleanup(fclose) = fopen(KALLSYMS, "re");
	char *line __cleanup(free) = NULL;
	size_t room = 0;
	ssize_t n;

	while (f && (n = getline(&line, &room, f)) > 0) {
		const char *end = line;
		uint64_t at;

		line[n - 1] = '\0';
		if (!dkt__take_u64(&end, NULL, DKT__HEX, &at) && n > end - line + 3 &&
		    !strcmp(end + 3, symbol))
			return at && at == address;
	}
	return false;
}

/* True if samples have addresses. */
static bool has_addresses(const struct dkt__perf *perf)
{
	for (size_t i = 0; i < perf->n_attrs; i++)
		if (perf->attrs[i].sample_type & PERF_SAMPLE_CALLCHAIN ||
		    (perf->attrs[i].nr && perf->attrs[i].sample_type & PERF_SAMPLE_IP))
			return true;
	return false;
}

bool dkt__perf_is_here(const struct dkt__perf *perf)
{
	struct utsname name;

	return perf->host && !uname(&name) && !strcmp(perf->host, name.nodename);
}

/* True if the recorded kernel still runs. The kernel has another address after each boot. */
static bool is_running(const struct dkt__perf *perf)
{
	struct utsname name;

	return dkt__perf_is_here(perf) && perf->release && !uname(&name) &&
	       !strcmp(perf->release, name.release) && is_at(perf->anchor, perf->anchor_at);
}

void dkt__perf_symbols(struct dkt__perf *perf)
{
	struct dkt_ctx *ctx = perf->streams.base.ctx;

	if (!perf->anchor || !has_addresses(perf))
		return;
	perf->running = is_running(perf);
	if (perf->running) {
		perf->has_symbols = !dkt__symbols_read(ctx, KALLSYMS);
		return;
	}
	for (int i = 0; i < BUILD_ID_PLACES; i++) {
		char *path __cleanup(free) = dkt__build_id_path(ctx, (enum build_id_place)i,
								perf->kernel_build,
								perf->n_kernel_build, "kallsyms");

		if (!path || dkt__symbols_read(ctx, path))
			continue;
		perf->has_symbols = true;
		dkt__symbols_shift(ctx, perf->anchor, perf->anchor_at);
		return;
	}
}
