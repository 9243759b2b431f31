/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recovers a truncated trace.dat of version 7. trace-cmd writes the options, which hold the offsets
 * of sections and of each CPU's data, after the records, so they are missing. The reader therefore
 * walks from section to section. In a buffer, a CPU's pages end where the time goes back; a CPU's
 * chunks end after the number of chunks that precedes them.
 */
#include "lib/tracedat.h"

/* Much larger than the chunks that trace-cmd writes. */
#define CHUNK_MAX (16u << 20)

static uint64_t align(const struct dkt__dat *dat, uint64_t at)
{
	return (at + dat->page_size - 1) / dat->page_size * dat->page_size;
}

static bool add_cpu(struct dkt__dat_buffer *buffer, uint64_t offset, uint64_t size)
{
	const struct dkt__dat_cpu cpu = { .cpu = buffer->n_cpus, .offset = offset, .size = size };

	return !dkt__append(buffer->cpus, buffer->n_cpus, cpu);
}

/* False: the buffer has as many CPUs as the file says. */
static bool may_have_more(const struct dkt__dat *dat, const struct dkt__dat_buffer *buffer)
{
	return !dat->n_cpus || buffer->n_cpus < dat->n_cpus;
}

static void find_pages(struct dkt__dat *dat, struct dkt__dat_buffer *buffer, uint64_t at,
		       uint64_t end)
{
	uint64_t from = at, last = 0, stamp;

	for (; at < end && end - at >= sizeof(stamp); at += dat->page_size, last = stamp) {
		stamp = dkt__page_time(dat->file.data + at, dat->swap);
		/* The CPU whose pages are being read is not in n_cpus yet, so add 1. */
		if (stamp >= last || (dat->n_cpus && buffer->n_cpus + 1 >= dat->n_cpus))
			continue;
		if (!add_cpu(buffer, from, at - from))
			return;
		from = at;
	}
	if (from < end)
		add_cpu(buffer, from, end - from);
}

/* Skips a CPU's chunks. False: the cursor is not at a CPU's chunks. */
static bool skip_chunks(const struct dkt__dat *dat, struct dkt__cursor *cur)
{
	uint64_t n = dkt__cursor_number(cur, 4), packed, size;

	for (uint64_t i = 0; i < n && !cur->bad; i++) {
		packed = dkt__cursor_number(cur, 4);
		size = dkt__cursor_number(cur, 4);
		if (!size || size > CHUNK_MAX || size % dat->page_size)
			return i > 0;
		dkt__cursor_bytes(cur, packed);
	}
	return n;
}

static void find_chunks(struct dkt__dat *dat, struct dkt__dat_buffer *buffer, uint64_t at,
			uint64_t end)
{
	bool more = true;

	while (more && at < end && may_have_more(dat, buffer)) {
		struct dkt__cursor cur = dkt__dat_at(dat, at);

		if (!skip_chunks(dat, &cur))
			return;
		/* As in the table, the size leaves out the 4-byte number of chunks. */
		more = !cur.bad && end - at > 4 &&
		       add_cpu(buffer, at, (uint64_t)(cur.p - dat->file.data) - at - 4);
		if (cur.bad && end - at > 4)
			add_cpu(buffer, at, end - at - 4);
		at = align(dat, (uint64_t)(cur.p - dat->file.data));
	}
}

/* Reads the head of the section at the offset at. False: there is no section. */
static bool find_section(const struct dkt__dat *dat, uint64_t at, struct dkt__dat_section *section)
{
	return dkt__dat_section_at(dat, at, section) &&
	       (section->id == DAT_DONE || section->id == DAT_BUFFER ||
		(section->id >= DAT_STRINGS && section->id <= DAT_BUFFER_TEXT));
}

/* A truncated file may hold only the first part of a section. */
static uint64_t end_of(const struct dkt__dat_section *section)
{
	return section->at + DKT__MIN(section->size, section->left);
}

static bool is_known(const struct dkt__dat *dat, uint64_t section)
{
	size_t i = 0;

	while (i < dat->n_buffers && dat->buffers[i].section != section)
		i++;
	return i < dat->n_buffers;
}

/*
 * Adds a buffer whose name is in the missing options. The first one without a name is taken for the
 * top instance; the others are called unknown-N.
 */
static struct dkt__dat_buffer *add_unknown(struct dkt__dat *dat)
{
	char name[32] = "";

	for (size_t i = 0; i < dat->n_buffers; i++)
		if (!*dat->buffers[i].name)
			snprintf(name, sizeof(name), "unknown-%zu", dat->n_buffers);
	return dkt__dat_buffer_add(dat, name);
}

static int recover_buffer(struct dkt__dat *dat, const struct dkt__dat_section *section)
{
	struct dkt__dat_section next;
	struct dkt__dat_buffer *buffer;
	uint64_t at = align(dat, section->at), end = end_of(section);

	/* trace-cmd sets the size after the records. Without it, take the rest of the file. */
	if (end == section->at && !find_section(dat, end, &next))
		end = dat->file.size;
	if (at >= end)
		return 0;
	buffer = add_unknown(dat);
	if (!buffer)
		return dkt__no_memory(dat->ctx);
	buffer->section = section->at - SECTION_HEAD;
	buffer->packed = section->packed;
	if (section->packed)
		find_chunks(dat, buffer, at, end);
	else
		find_pages(dat, buffer, at, end);
	dkt__streams_damage(&dat->streams,
			    "the CPU of each record was in the missing part and is guessed");
	return 0;
}

int dkt__dat_recover(struct dkt__dat *dat, uint64_t at)
{
	struct dkt__dat_section section;
	int err = 0;

	while (!err && dat->page_size && find_section(dat, at, &section)) {
		if (section.id == DAT_BUFFER && !is_known(dat, at))
			err = recover_buffer(dat, &section);
		else if (!(dat->seen & 1u << section.id))
			dkt__dat_read_section(dat, section.id, at);
		at = end_of(&section);
	}
	return err;
}
