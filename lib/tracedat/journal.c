/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads a recording in progress (tracedat/journal.h): finds the pages of each CPU, which are scattered
 * over the file, without reading the pages.
 */
#include "lib/tracedat/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/source/file.h"
#include "lib/tracedat.h"

/* The head of a section, and for pages the numbers that follow it. */
#define LOOK (SECTION_HEAD + 16)

/* Reads the head of the section at this offset. Returns 1 if there is none. */
static int look(const struct dkt__dat *dat, uint64_t at, uint8_t *bytes,
		struct dkt__dat_section *section)
{
	ssize_t n = dkt__pread_all(dat->file.fd, bytes, DKT__MIN(LOOK, dat->file.size - at), at);
	struct dkt__cursor cur = { .p = bytes, .end = bytes + DKT__MAX(n, 0), .swap = dat->swap };

	if (n < 0)
		return dkt_fail(dat->ctx, (int)n, "read %s from byte %llu on: %s", dat->file.name,
				(unsigned long long)at, strerror((int)-n));
	return !dkt__dat_section(cur, at, dat->file.size, section);
}

/* Returns a cursor for the whole content, which must be in the file. */
static struct dkt__cursor content(const struct dkt__dat *dat,
				  const struct dkt__dat_section *section)
{
	struct dkt__cursor cur = dkt__dat_at(dat, section->at);

	cur.end = cur.p + section->size;
	return cur;
}

static void report_invalid(struct dkt__dat *dat, const struct dkt__dat_section *section)
{
	dkt__streams_damage(&dat->streams, "the section at byte %llu is invalid",
			    (unsigned long long)section->at - SECTION_HEAD);
}

/* ---- buffers and CPUs ---- */

static int read_bases(struct dkt__dat *dat, struct dkt__dat_buffer *buffer, struct dkt__cursor *cur)
{
	uint64_t n = dkt__cursor_number(cur, 4);

	if (cur->bad || n > DKT__DAT_CPUS || n > dkt__cursor_left(cur) / 16)
		return 0;
	buffer->bases = calloc(n + 1, sizeof(*buffer->bases));
	if (!buffer->bases)
		return dkt__no_memory(dat->ctx);
	buffer->n_bases = (uint32_t)n;
	for (uint32_t i = 0; i < n; i++) {
		buffer->bases[i].read = dkt__cursor_number(cur, 8);
		buffer->bases[i].lost = dkt__cursor_number(cur, 8);
	}
	return 0;
}

static int read_buffer(struct dkt__dat *dat, const struct dkt__dat_section *section)
{
	struct dkt__cursor cur = content(dat, section);
	uint64_t nr = dkt__cursor_number(&cur, 4);
	uint32_t page_size = (uint32_t)dkt__cursor_number(&cur, 4);
	const char *name = dkt__cursor_string(&cur), *clock = dkt__cursor_string(&cur);
	bool whole = !cur.bad;
	const char *instance = dkt__cursor_string(&cur), *boot = dkt__cursor_string(&cur);
	struct dkt__dat_buffer *buffer;

	if (!whole || nr != dat->n_buffers) {
		report_invalid(dat, section);
		return 0;
	}
	buffer = dkt__dat_buffer_add(dat, name);
	if (!buffer)
		return dkt__no_memory(dat->ctx);
	buffer->page_size = page_size;
	buffer->clock = dkt__ctx_strndup(dat->ctx, clock, strlen(clock));
	if (!cur.bad) {
		buffer->instance = dkt__ctx_strndup(dat->ctx, instance, strlen(instance));
		buffer->boot = dkt__ctx_strndup(dat->ctx, boot, strlen(boot));
		if (!buffer->instance || !buffer->boot)
			return dkt__no_memory(dat->ctx);
	}
	return buffer->clock ? read_bases(dat, buffer, &cur) : dkt__no_memory(dat->ctx);
}

/* Returns the CPU with that number. Most sections are of the CPU after that of the last section. */
static struct dkt__dat_cpu *find_cpu(struct dkt__dat_buffer *buffer, uint32_t nr)
{
	for (uint32_t i = 0; i < buffer->n_cpus; i++) {
		uint32_t at = (buffer->recent + i) % buffer->n_cpus;

		if (buffer->cpus[at].cpu == nr) {
			buffer->recent = at;
			return &buffer->cpus[at];
		}
	}
	return NULL;
}

/* Gets the CPU whose numbers come next. Sets *cpu to NULL if the numbers are invalid. */
static int take_cpu(struct dkt__dat *dat, struct dkt__cursor *cur, struct dkt__dat_cpu **cpu)
{
	uint64_t nr = dkt__cursor_number(cur, 4);
	struct dkt__dat_cpu made = { .cpu = (uint32_t)dkt__cursor_number(cur, 4) };
	struct dkt__dat_buffer *buffer;

	*cpu = NULL;
	if (cur->bad || nr >= dat->n_buffers || made.cpu >= DKT__DAT_CPUS)
		return 0;
	buffer = &dat->buffers[nr];
	if (buffer->page_size < DKT__DAT_PAGE_MIN || buffer->page_size > DKT__DAT_PAGE_MAX)
		return 0;
	*cpu = find_cpu(buffer, made.cpu);
	if (*cpu || dat->n_places >= DKT__DAT_PLACES)
		return 0;
	made.pieces.codec = dat->codec;
	made.pieces.page_size = buffer->page_size;
	made.pieces.plain.fd = dat->file.fd;
	made.pieces.file = &dat->file;
	if (dkt__append(buffer->cpus, buffer->n_cpus, made))
		return dkt__no_memory(dat->ctx);
	dat->n_places++;
	buffer->recent = buffer->n_cpus - 1;
	*cpu = &buffer->cpus[buffer->recent];
	return 0;
}

/* ---- pages ---- */

/* The numbers of the buffer and of the CPU, and the sizes before compressed pages. */
#define PAGES_HEAD  8
#define PACKED_HEAD 8

static bool take_packed(const struct dkt__dat *dat, struct dkt__dat_section *section,
			struct dkt__chunk *chunk)
{
	chunk->packed = (uint32_t)dkt__cursor_number(&section->cur, 4);
	chunk->size = (uint32_t)dkt__cursor_number(&section->cur, 4);
	if (section->cur.bad || !dat->codec || !chunk->packed ||
	    chunk->packed != section->size - PAGES_HEAD - PACKED_HEAD)
		return false;
	chunk->data = dat->file.data + section->at + PAGES_HEAD + PACKED_HEAD;
	return true;
}

/* A section that lacks its end has its complete pages. */
static bool take_plain(const struct dkt__dat_section *section, uint32_t page_size,
		       struct dkt__chunk *chunk)
{
	uint64_t size = DKT__MIN(section->size, section->left) - PAGES_HEAD;

	if (section->size - PAGES_HEAD > DKT__CHUNK_MAX)
		return false;
	chunk->at = section->at + PAGES_HEAD;
	chunk->size = (uint32_t)(size - size % page_size);
	return section->size > section->left || size == chunk->size;
}

/* Adds the pages of a section to its CPU. Returns -errno or how many bytes of it are pages. */
static int64_t read_pages(struct dkt__dat *dat, struct dkt__dat_section *section)
{
	struct dkt__chunk chunk = { 0 };
	struct dkt__dat_cpu *cpu;
	int err = take_cpu(dat, &section->cur, &cpu);
	bool good;

	if (err)
		return err;
	good = cpu && (section->packed ? take_packed(dat, section, &chunk) :
					 take_plain(section, cpu->pieces.page_size, &chunk));
	if (!good || chunk.size > DKT__CHUNK_MAX || chunk.size % cpu->pieces.page_size) {
		report_invalid(dat, section);
		return 0;
	}
	err = chunk.size ? dkt__chunks_add(&cpu->pieces, chunk) : 0;
	return err ? dkt__no_memory(dat->ctx) : (int64_t)chunk.size;
}

/* ---- the walk ---- */

static int read_mark(struct dkt__dat *dat, const struct dkt__dat_section *section)
{
	struct dkt__cursor cur = content(dat, section);
	int err = 0;

	dat->mark = dkt__cursor_number(&cur, 8);
	while (!err && dkt__cursor_left(&cur)) {
		struct dkt__dat_cpu *cpu;
		uint64_t lost;

		err = take_cpu(dat, &cur, &cpu);
		lost = dkt__cursor_number(&cur, 8);
		if (!err && (!cpu || cur.bad)) {
			report_invalid(dat, section);
			break;
		}
		if (!err)
			cpu->lost = lost;
	}
	return err;
}

#define INFO_MAX (1 << 16)

/* True if this descriptor holds a lock: a test would take the lock away. */
static bool is_locked_here(int fd)
{
	char name[48], *text __cleanup(free) = NULL;
	int info __cleanup(close) = -1;
	size_t len;

	snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", fd);
	info = open(name, O_RDONLY | O_CLOEXEC);
	return info < 0 || dkt__read_fd(info, INFO_MAX, &text, &len) || strstr(text, "FLOCK");
}

/* Holds the lock for a moment; those that record try more than once to get it. */
static bool is_locked(int fd)
{
	char name[48];
	int own __cleanup(close) = -1;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	own = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return own >= 0 && flock(own, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
}

/*
 * True if another process holds the lock of those that record, or the file has grown since it was opened.
 * False for the file of a caller that holds the lock itself.
 */
static bool is_written(const struct dkt__file *file)
{
	struct stat st;

	if (fstat(file->fd, &st) || !S_ISREG(st.st_mode) || is_locked_here(file->fd))
		return false;
	/* The writer may have ended meanwhile. */
	return is_locked(file->fd) || (!fstat(file->fd, &st) && (uint64_t)st.st_size > file->size);
}

static void report_tail(struct dkt__dat *dat, uint64_t from)
{
	/* Its writer is about to complete it. */
	if (is_written(&dat->file))
		return;
	if (from < dat->file.size)
		dkt__streams_damage(&dat->streams, "the last %llu bytes cannot be read",
				    (unsigned long long)(dat->file.size - from));
	else
		dkt__streams_damage(&dat->streams, "its last section is incomplete");
}

/* Reads a section that lacks its end. */
static int read_tail(struct dkt__dat *dat, struct dkt__dat_section *section)
{
	int64_t n = 0;

	if (section->id == DKT__JOURNAL_PAGES && !section->packed && section->left >= PAGES_HEAD)
		n = read_pages(dat, section);
	if (n < 0)
		return (int)n;
	dat->end = n ? section->at + PAGES_HEAD + (uint64_t)n : section->at - SECTION_HEAD;
	dat->cut_section = n ? section->at - SECTION_HEAD : 0;
	report_tail(dat, section->at + (n ? PAGES_HEAD + (uint64_t)n : 0));
	return 0;
}

/* Reads a complete section. Returns 1 after the last one. */
static int read_section(struct dkt__dat *dat, struct dkt__dat_section *section)
{
	const uint64_t at = section->at - SECTION_HEAD;
	int64_t n;

	switch (section->id) {
	case DKT__JOURNAL_BUFFER:
		return read_buffer(dat, section);
	case DKT__JOURNAL_PAGES:
		n = read_pages(dat, section);
		return n < 0 ? (int)n : 0;
	case DKT__JOURNAL_MARK:
		return read_mark(dat, section);
	case DKT__JOURNAL_END:
		dat->streams.base.info.growing = false;
		if (section->size || section->left)
			dkt__streams_damage(&dat->streams, "%llu bytes follow its end",
					    (unsigned long long)section->left);
		return 1;
	case DAT_DONE:
		/* The first options are read already, and have no statistics. */
		if (section->size)
			return dkt__dat_read_stats(dat, at);
		dkt__streams_damage(&dat->streams, "there are zeros at byte %llu",
				    (unsigned long long)at);
		report_tail(dat, at);
		return 1;
	default:
		if (!dkt__dat_is_table(section->id)) {
			report_invalid(dat, section);
			report_tail(dat, at);
			return 1;
		}
		dkt__dat_read_section(dat, section->id, at);
		return 0;
	}
}

int dkt__dat_read_more(struct dkt__dat *dat, uint64_t at)
{
	uint8_t bytes[LOOK];
	struct dkt__dat_section section;
	int err = 0;

	for (; !err && at < dat->file.size; at = section.at + section.size) {
		err = look(dat, at, bytes, &section);
		if (err < 0)
			return err;
		if (err) {
			report_tail(dat, at);
			err = 0;
			break;
		}
		if (section.size > section.left)
			return read_tail(dat, &section);
		err = read_section(dat, &section);
	}
	if (!err)
		dat->end = at;
	return DKT__MIN(err, 0);
}

int dkt__dat_read_journal(struct dkt__dat *dat, uint64_t at)
{
	dat->cut = false;
	dat->streams.base.info.growing = true;
	return dkt__dat_read_more(dat, at);
}

/* True for a section that can be before a mark. */
static bool may_precede(const struct dkt__dat_section *section)
{
	return dkt__dat_is_table(section->id) || (section->id == DAT_DONE && section->size) ||
	       (section->id >= DKT__JOURNAL_BUFFER && section->id <= DKT__JOURNAL_MARK);
}

bool dkt__dat_is_end(const struct dkt__file *file, bool swap, uint64_t n, uint64_t at)
{
	const struct dkt__cursor cur = { .p = file->data + at,
					 .end = file->data + n,
					 .swap = swap };
	struct dkt__dat_section section;

	return dkt__dat_section(cur, at, n, &section) && section.id == DKT__JOURNAL_END;
}

bool dkt__dat_find_mark(const struct dkt__file *file, bool swap, uint64_t n, uint64_t *at)
{
	struct dkt__dat_section section = { 0 };

	while (section.id != DKT__JOURNAL_MARK) {
		const struct dkt__cursor cur = { .p = file->data + *at,
						 .end = file->data + n,
						 .swap = swap };

		if (!dkt__dat_section(cur, *at, n, &section) || !may_precede(&section) ||
		    section.size > section.left)
			return false;
		*at = section.at + section.size;
	}
	return true;
}
