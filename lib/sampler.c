/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sampler: records a profile into a perf.data file. */
#include <sys/uio.h>

#include "lib/base/when.h"
#include "lib/sampler.h"

/* Bytes of a CPU's ring: what users may lock for each CPU by default, and more if stacks are copied. */
#define RING_SIZE       (512u << 10)
#define RING_SIZE_DWARF (2u << 20)
#define RING_SIZE_OFF   (4u << 20)

/* The file has all records of a second ago. Without end_fd, somebody asks more often. */
#define WAIT_MS 1000
#define LOOK_MS 50

static int check(struct dkt_ctx *ctx, const struct dkt__sampler_opts *opts)
{
	if (opts->only_user && opts->only_kernel)
		return dkt_fail(ctx, -EINVAL,
				"sample only the kernel and only programs: "
				"choose one of them, or neither");
	if (opts->off_cpu && (opts->only_user || opts->only_kernel))
		return dkt_fail(ctx, -EINVAL,
				"waits have callers in the kernel and in programs: sample both");
	if (opts->stack_size % 8 || opts->stack_size > DKT__SAMPLER_STACK_MAX)
		return dkt_fail(ctx, -EINVAL,
				"a copied stack has a multiple of 8 bytes, at most %d, not %u",
				DKT__SAMPLER_STACK_MAX, opts->stack_size);
	return 0;
}

int dkt__sampler_open(struct dkt_ctx *ctx, const struct dkt__sampler_opts *opts,
		      struct dkt__sampler **out)
{
	dkt__needs(ctx, dkt__clear(out) && ctx && opts);

	struct dkt__sampler *sampler = calloc(1, sizeof(*sampler));
	int err;

	if (!sampler)
		return dkt__no_memory(ctx);
	sampler->ctx = ctx;
	sampler->epoll = -1;
	sampler->file.fd = -1;
	sampler->first = UINT64_MAX;
	sampler->hits.pids.n_words = 1;
	err = dkt__opts_take(ctx, dkt__sampler_opts, &sampler->opts, opts);
	if (!err)
		err = check(ctx, &sampler->opts);
	sampler->ring_size = sampler->opts.off_cpu                       ? RING_SIZE_OFF :
			     sampler->opts.callers == DKT__CALLERS_DWARF ? RING_SIZE_DWARF :
									   RING_SIZE;
	if (sampler->opts.ring_size)
		sampler->ring_size = sampler->opts.ring_size;
	if (!err)
		err = dkt__sampler_events_open(sampler);
	if (!err)
		err = dkt__sampler_formats_read(sampler);
	if (!err)
		err = dkt__sampler_rings_map(sampler);
	if (err)
		dkt__sampler_close(sampler);
	else
		*out = sampler;
	return err;
}

/*
 * Mappings and names from before are read while those that come are recorded already, so that none is
 * missing. Only then samples are taken of a machine: the reading itself is no part of what it does.
 */
static int begin(struct dkt__sampler *sampler)
{
	const struct dkt__sampler_opts *opts = &sampler->opts;
	int err = dkt__sampler_events_enable(sampler, true);

	if (!err)
		err = dkt__sampler_processes_write(sampler);
	if (!err)
		err = dkt__sampler_events_enable(sampler, false);
	return !err && opts->begin ? opts->begin(opts->data) : err;
}

static bool is_over(struct dkt__sampler *sampler)
{
	const struct dkt__sampler_opts *opts = &sampler->opts;

	/* CPUs come and go, but threads that have ended do not come back. */
	sampler->result.exited = opts->n_threads && !sampler->n_running;
	return sampler->result.exited || (opts->over && opts->over(opts->data));
}

/* Returns how long the next wait may last, in ms. */
static int wait_ms(const struct dkt__sampler *sampler, uint64_t from)
{
	const struct dkt__sampler_opts *opts = &sampler->opts;
	const int most = opts->waits && opts->end_fd < 0 ? LOOK_MS : WAIT_MS;
	const double left = opts->seconds - (double)(dkt__monotonic_ns() - from) / 1e9;

	if (opts->seconds <= 0 || left * 1000 > most)
		return most;
	return left > 0 ? (int)(left * 1000) + 1 : 1;
}

static int follow(struct dkt__sampler *sampler, uint64_t from)
{
	int err = 0;

	while (!err && !is_over(sampler)) {
		err = dkt__sampler_rings_wait(sampler, wait_ms(sampler, from));
		if (!err)
			err = dkt__sampler_rings_drain(sampler);
	}
	return err;
}

/* Completes the file also after an error, which then is the result. */
static int end(struct dkt__sampler *sampler, int err)
{
	char *words = err ? dkt__error_take(sampler->ctx) : NULL;
	const int failed = sampler->file.table ? dkt__sampler_file_end(sampler) : 0;

	return err ? dkt__error_give(sampler->ctx, err, words) : failed;
}

int dkt__sampler_begin(struct dkt__sampler *sampler, int fd)
{
	dkt__needs(NULL, sampler);

	int err;

	dkt__sampler_file_clear(sampler);
	err = dkt__sampler_file_begin(sampler, fd);
	return err ?: begin(sampler);
}

int dkt__sampler_step(struct dkt__sampler *sampler)
{
	dkt__needs(NULL, sampler);

	int err = dkt__sampler_rings_drain(sampler);

	sampler->result.lost = dkt__sampler_events_lost(sampler);
	sampler->result.bytes = sampler->file.data_at + sampler->file.size;
	return err;
}

void dkt__sampler_stop(struct dkt__sampler *sampler)
{
	if (!sampler)
		return;
	dkt__sampler_events_disable(sampler);
	dkt__sampler_rings_skip(sampler);
	dkt__sampler_hits_clear(&sampler->hits);
	sampler->hits.pids.n_words = 1;
}

int dkt__sampler_run(struct dkt__sampler *sampler, int fd)
{
	dkt__needs(NULL, sampler);

	uint64_t from;
	int err = dkt__sampler_begin(sampler, fd);

	from = dkt__monotonic_ns();
	if (!err)
		err = follow(sampler, from);
	sampler->result.seconds = (double)(dkt__monotonic_ns() - from) / 1e9;
	dkt__sampler_events_disable(sampler);
	if (!err)
		err = dkt__sampler_rings_drain(sampler);
	sampler->result.lost = dkt__sampler_events_lost(sampler);
	return end(sampler, err);
}

int dkt__sampler_get(const struct dkt__sampler *sampler, struct dkt__sampler_result *result,
		     size_t sz)
{
	dkt__needs(NULL, dkt__blank(result, sz) && sampler);

	return dkt__fill(result, sz, &sampler->result);
}

void dkt__sampler_close(struct dkt__sampler *sampler)
{
	if (!sampler)
		return;
	dkt__sampler_rings_unmap(sampler);
	dkt__sampler_events_close(sampler);
	dkt__sampler_hits_clear(&sampler->hits);
	dkt__sampler_file_clear(sampler);
	free(sampler->formats.data);
	free(sampler);
}
