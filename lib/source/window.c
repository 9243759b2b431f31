/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests each record against a source's time window, for kinds of sources that cannot seek. */
#include "lib/source.h"

bool dkt__window_has_cpu(const struct dkt__window *window, uint32_t cpu)
{
	return dkt__cpu_asked(window->cpus, window->n_cpus, cpu);
}

int dkt__window_set(struct dkt__window *window, const struct dkt_source *source,
		    const struct dkt_source_opts *opts)
{
	dkt__source_times(source, opts, &window->since, &window->until);
	if (!opts->n_cpus)
		return 0;
	window->cpus = calloc(opts->n_cpus, sizeof(*window->cpus));
	if (!window->cpus)
		return dkt__no_memory(source->ctx);
	memcpy(window->cpus, opts->cpus, opts->n_cpus * sizeof(*window->cpus));
	window->n_cpus = opts->n_cpus;
	return 0;
}

int dkt__window_next(struct dkt__window *window, int (*next)(void *data, struct dkt_record *record),
		     void *data, struct dkt_record *record)
{
	int err;

	window->begun = true;
	do
		err = next(data, record);
	while (!err && (record->ts < window->since || !dkt__window_has_cpu(window, record->cpu)));
	return !err && window->until && record->ts >= window->until ? 1 : err;
}

/* Works only before the first record: this source cannot go back to records already read. */
int dkt__window_seek(struct dkt__window *window, uint64_t since, uint64_t until)
{
	if (window->begun)
		return -EOPNOTSUPP;
	window->since = since;
	window->until = until;
	return 0;
}
