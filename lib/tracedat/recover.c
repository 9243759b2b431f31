/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pages of a trace.dat of version 7 that was cut off. Where the CPUs' pages are is said behind them;
 * without that they are found by what they look like: a CPU ends where time goes back.
 */
#include "tracedat.h"

#include "banned.h"

#define SECTION_HEAD 16

/* trace-cmd's chunks are far smaller. */
#define CHUNK_MAX (16u << 20)

static uint64_t align(const struct dkt__dat *dat, uint64_t at)
{
	return (at + dat->page_size - 1) / dat->page_size * dat->page_size;
}

static bool add_cpu(struct dkt__dat_buffer *buffer, uint64_t offset, uint64_t size)
{
	struct dkt__dat_cpu *cpus =
		reallocarray(buffer->cpus, buffer->n_cpus + 1, sizeof(*buffer->cpus));

	if (!cpus)
		return false;
	buffer->cpus = cpus;
	cpus[buffer->n_cpus] =
		(struct dkt__dat_cpu){ .cpu = buffer->n_cpus, .offset = offset, .size = size };
	buffer->n_cpus++;
	return true;
}

static void find_pages(struct dkt__dat *dat, struct dkt__dat_buffer *buffer, uint64_t at)
{
	uint64_t from = at, last = 0, stamp, end = dat->file.size;

	for (; at < end && end - at >= sizeof(stamp); at += dat->page_size, last = stamp) {
		stamp = dkt__page_time(dat->file.data + at, dat->swap);
		if (stamp >= last || buffer->n_cpus == dat->n_cpus)
			continue;
		if (!add_cpu(buffer, from, at - from))
			return;
		from = at;
	}
	if (from < end)
		add_cpu(buffer, from, end - from);
}

/* Steps over a CPU's chunks. False: there are none there. */
static bool skip_chunks(const struct dkt__dat *dat, struct dkt__cursor *cur)
{
	uint64_t i, n = dkt__cursor_number(cur, 4), packed, size;

	for (i = 0; i < n && !cur->bad; i++) {
		packed = dkt__cursor_number(cur, 4);
		size = dkt__cursor_number(cur, 4);
		if (!size || size > CHUNK_MAX || size % dat->page_size)
			return i > 0;
		dkt__cursor_bytes(cur, packed);
	}
	return n;
}

static void find_chunks(struct dkt__dat *dat, struct dkt__dat_buffer *buffer, uint64_t at)
{
	bool more = true;

	while (more && at < dat->file.size && buffer->n_cpus < dat->n_cpus) {
		struct dkt__cursor cur = dkt__dat_at(dat, at);

		if (!skip_chunks(dat, &cur))
			return;
		more = add_cpu(buffer, at, dat->file.size - at) && !cur.bad;
		at = align(dat, (uint64_t)(cur.p - dat->file.data));
	}
}

int dkt__dat_recover(struct dkt__dat *dat, uint64_t at)
{
	struct dkt__cursor cur = dkt__dat_at(dat, at);
	bool is_buffer = dkt__cursor_number(&cur, 2) == DAT_BUFFER;
	bool packed = dkt__cursor_number(&cur, 2) & 1;
	struct dkt__dat_buffer *buffer;
	size_t i;

	if (cur.bad || !is_buffer || !dat->page_size)
		return 0;
	for (i = 0; i < dat->n_buffers; i++)
		if (!*dat->buffers[i].name)
			return 0;
	buffer = dkt__dat_buffer_add(dat, "");
	if (!buffer)
		return -ENOMEM;
	buffer->packed = packed;
	at = align(dat, at + SECTION_HEAD);
	if (packed)
		find_chunks(dat, buffer, at);
	else
		find_pages(dat, buffer, at);
	dkt__streams_damage(&dat->streams,
			    "which records are of which cpu was behind the cut and is guessed");
	return 0;
}
