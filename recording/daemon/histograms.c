/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts latencies in histograms, and writes them for Prometheus. */
#include "recording/daemon/histograms.h"

#include <inttypes.h>

#include "compat/lustre_log/rpc_times.h"
#include "lib/base/memory.h"
#include "lib/base/util.h"

/* ns */
static const uint64_t bounds[HISTOGRAM_BOUNDS] = {
	1000,      2500,      5000,       10000,      25000,      50000,       100000,   250000,
	500000,    1000000,   2500000,    5000000,    10000000,   25000000,    50000000, 100000000,
	250000000, 500000000, 1000000000, 2500000000, 5000000000, 10000000000,
};

static unsigned int find_bound(uint64_t ns)
{
	unsigned int i = 0;

	while (i < HISTOGRAM_BOUNDS && ns > bounds[i])
		i++;
	return i;
}

static bool has_class(uint32_t classes, unsigned int class)
{
	return class < MASK_BITS ? classes & UINT32_C(1) << class : !classes;
}

void histograms_add(struct histograms *all, unsigned int kind, uint32_t classes, uint64_t ns,
		    bool remove)
{
	const unsigned int bound = find_bound(ns);

	for (unsigned int class = 0; class < HISTOGRAM_CLASSES; class ++) {
		struct histogram *histogram = &all->of[kind][class];

		if (!has_class(classes, class))
			continue;
		histogram->sum += remove ? -ns : ns;
		histogram->counts[bound] += remove ? -UINT64_C(1) : 1;
	}
}

void histograms_know(struct histograms *all, unsigned int kind, uint32_t classes)
{
	for (unsigned int class = 0; class < HISTOGRAM_CLASSES; class ++)
		if (has_class(classes, class))
			all->of[kind][class].known = true;
}

/* ---- shared ---- */

static uint64_t load(const uint64_t *shared)
{
	return __atomic_load_n(shared, __ATOMIC_RELAXED);
}

static void raise_to(uint64_t *shared, uint64_t value)
{
	/* Only one process writes. A number that is less now, because pairs were taken away, is waited for. */
	if (value > load(shared))
		__atomic_store_n(shared, value, __ATOMIC_RELAXED);
}

void histograms_publish(const struct histograms *all, struct histograms *shared)
{
	for (unsigned int kind = 0; kind < HISTOGRAM_KINDS; kind++)
		for (unsigned int class = 0; class < HISTOGRAM_CLASSES; class ++) {
			const struct histogram *from = &all->of[kind][class];
			struct histogram *to = &shared->of[kind][class];

			if (!from->known)
				continue;
			for (unsigned int i = 0; i <= HISTOGRAM_BOUNDS; i++)
				raise_to(&to->counts[i], from->counts[i]);
			raise_to(&to->sum, from->sum);
			raise_to(&to->known, from->known);
		}
}

/* ---- text ---- */

/* Pairs of one name are one kind. */
static const char *kind_name(struct dkt_ctx *ctx, unsigned int kind)
{
	const struct dkt_interval *list;
	size_t n;

	if (kind == HISTOGRAM_RPC)
		return RPC_TIMES_NAME;
	if (dkt_interval_list(ctx, &list, &n) || kind - HISTOGRAM_PAIRS >= n)
		return "";
	return list[kind - HISTOGRAM_PAIRS].name;
}

/* The labels of a histogram. A name of a log has no character that a label must escape. */
struct series {
	FILE *f;
	const char *log, *latency, *class;
};

static void put_series(const struct series *series, const char *metric)
{
	fprintf(series->f, "%s{log=\"%s\",latency=\"%s\",class=\"%s\"", metric, series->log,
		series->latency, series->class);
}

static void put(const struct series *series, const struct histogram *histogram)
{
	uint64_t count = 0;

	for (unsigned int i = 0; i <= HISTOGRAM_BOUNDS; i++) {
		count += load(&histogram->counts[i]);
		put_series(series, "dktrace_latency_seconds_bucket");
		if (i < HISTOGRAM_BOUNDS)
			fprintf(series->f, ",le=\"%g\"} %" PRIu64 "\n", (double)bounds[i] / 1e9,
				count);
		else
			fprintf(series->f, ",le=\"+Inf\"} %" PRIu64 "\n", count);
	}
	put_series(series, "dktrace_latency_seconds_sum");
	fprintf(series->f, "} %.9f\n", (double)load(&histogram->sum) / 1e9);
	put_series(series, "dktrace_latency_seconds_count");
	fprintf(series->f, "} %" PRIu64 "\n", count);
}

void histograms_text(struct dkt_ctx *ctx, FILE *f, const struct histograms *shared, const char *log)
{
	fputs("# HELP dktrace_latency_seconds Time between two records, in each class that the first"
	      " one's event belongs to.\n# TYPE dktrace_latency_seconds histogram\n",
	      f);
	for (unsigned int kind = 0; kind < HISTOGRAM_KINDS; kind++)
		for (unsigned int class = 0; class < HISTOGRAM_CLASSES; class ++) {
			const struct histogram *histogram = &shared->of[kind][class];
			const struct series series = { f, log, kind_name(ctx, kind),
						       class < MASK_BITS ?
							       dkl_mask_name(MASK_DEBUG, class) :
							       "none" };

			if (load(&histogram->known))
				put(&series, histogram);
		}
}
