/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files that samples are in: programs, and the names of the kernel. */
#include "lib/debuginfo/build_id.h"
#include "lib/perfdata.h"

/* The names of the running kernel, or those that were kept of another one. */
static void find_kallsyms(struct dkt__perf *perf)
{
	if (perf->running)
		perf->kallsyms = strdup("/proc/kallsyms");
	for (int i = 0; !perf->kallsyms && i < BUILD_ID_PLACES; i++)
		perf->kallsyms = dkt__build_id_path(perf->streams.base.ctx, (enum build_id_place)i,
						    perf->kernel_build, perf->n_kernel_build,
						    "kallsyms");
}

static int list_all(struct dkt__perf *perf)
{
	struct dkt__recorded kernel = { .kind = DKT__RECORDED_KERNEL,
					.path = DKT__PERF_KERNEL_MAP,
					.build = perf->kernel_build,
					.n_build = perf->n_kernel_build };

	if (kernel.n_build) {
		find_kallsyms(perf);
		kernel.file = perf->kallsyms;
		if (dkt__append(perf->recorded, perf->n_recorded, kernel))
			return -ENOMEM;
	}
	return dkt__perf_programs_list(perf);
}

int dkt__perf_recorded(struct dkt_source *source, size_t i, struct dkt__recorded *recorded)
{
	struct dkt__perf *perf = (struct dkt__perf *)source;
	int err = perf->recorded ? 0 : list_all(perf);

	if (err)
		return dkt__no_memory(source->ctx);
	if (i >= perf->n_recorded)
		return 1;
	*recorded = perf->recorded[i];
	return 0;
}

void dkt__perf_recorded_clear(struct dkt__perf *perf)
{
	free(perf->recorded);
	free(perf->kallsyms);
}
