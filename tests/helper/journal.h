/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recording in progress made by hand: two buffers with pages of different sizes, some packed. */
#ifndef DKT_MADE_JOURNAL_H
#define DKT_MADE_JOURNAL_H

#include <inttypes.h>

#include "lib/base/compress.h"
#include "lib/tracedat.h"
#include "lib/tracedat/journal.h"
#include "tests/helper/pages.h"

#define JOURNAL_ID 7

/* The records of a page can be read from a file with at least so many bytes. */
struct made_journal {
	uint8_t data[65536];
	size_t n;
	uint32_t sizes[2]; /* of the pages of the buffers */
	size_t head; /* bytes before the sections that only a recording in progress has */
	size_t pages[8];
	size_t n_pages;
	size_t sections[32]; /* where each ends */
	size_t n_sections;
	uint64_t next; /* value and time of the next record */
};

#define JOURNAL_RECORDS 3 /* of a page */

/* The instances of the two buffers; NULL: unknown. */
struct made_instances {
	const char *names[2];
	const char *boot;
	uint64_t id; /* of the recording; 0: none */
	uint64_t first; /* value and time of the first record; 0: 1000 */
	uint64_t wall; /* us to add to its times to get the time of day; 0: unknown */
	const char *kernel; /* its release; NULL: unknown */
};

static inline void journal_put(struct made_journal *j, uint64_t value, unsigned int size)
{
	dkt__put_number(j->data + j->n, value, size);
	j->n += size;
}

static inline void journal_bytes(struct made_journal *j, const void *bytes, size_t n)
{
	memcpy(j->data + j->n, bytes, n);
	j->n += n;
}

static inline void journal_section(struct made_journal *j, unsigned int id, unsigned int flags,
				   const void *content, size_t n)
{
	journal_put(j, id, 2);
	journal_put(j, flags, 2);
	journal_put(j, 0, 4);
	journal_put(j, n, 8);
	journal_bytes(j, content, n);
	j->sections[j->n_sections++] = j->n;
}

/* A page whose records have the next values, each as its time. */
static inline void journal_page(struct made_journal *j, uint8_t *to, uint32_t size)
{
	struct made_page page;

	page_begin(&page, j->next);
	for (int i = 0; i < JOURNAL_RECORDS; i++)
		page_record(&page, !!i, JOURNAL_ID, j->next++);
	memcpy(to, page.bytes, size);
}

static inline void journal_pages(struct made_journal *j, uint32_t buffer, uint32_t cpu, uint32_t n,
				 bool pack)
{
	const struct dkt__codec *codec = pack ? dkt__codec_find("zstd") : NULL;
	uint32_t size = j->sizes[buffer];
	uint8_t pages[4 * PAGE_BYTES], content[2 * sizeof(pages)];
	const uint32_t numbers[2] = { buffer, cpu };
	void *state = NULL;
	uint32_t sizes[2];
	size_t len = n * size, at = j->n + 16 + sizeof(numbers);

	for (uint32_t i = 0; i < n; i++)
		journal_page(j, pages + i * size, size);
	memcpy(content, numbers, sizeof(numbers));
	if (codec) {
		sizes[1] = n * size;
		len = codec->compress(&state, pages, len, content + 16, sizeof(content) - 16);
		codec->release(state);
		sizes[0] = (uint32_t)len;
		memcpy(content + 8, sizes, sizeof(sizes));
		len += sizeof(sizes);
	} else {
		memcpy(content + 8, pages, len);
	}
	journal_section(j, DKT__JOURNAL_PAGES, !!codec, content, len + sizeof(numbers));
	for (uint32_t i = 0; i < n; i++)
		j->pages[j->n_pages++] = codec ? j->n : at + (i + 1) * size;
}

static inline void journal_buffer(struct made_journal *j, uint32_t nr, const char *name,
				  const char *instance, const char *boot)
{
	uint8_t content[160] = { 0 };
	size_t n = 8;

	memcpy(content, &nr, 4);
	memcpy(content + 4, &j->sizes[nr], 4);
	n += (size_t)sprintf((char *)content + n, "%s", name) + 1;
	n += (size_t)sprintf((char *)content + n, "mono") + 1;
	if (instance) {
		n += (size_t)sprintf((char *)content + n, "%s", instance) + 1;
		n += (size_t)sprintf((char *)content + n, "%s", boot) + 1;
	}
	journal_section(j, DKT__JOURNAL_BUFFER, 0, content, n);
}

static inline void journal_names(struct made_journal *j, const char *lines)
{
	uint8_t content[64];
	uint64_t n = strlen(lines);

	memcpy(content, &n, sizeof(n));
	memcpy(content + sizeof(n), lines, n);
	journal_section(j, DAT_CMDLINES, 0, content, sizeof(n) + n);
}

/* Records of the CPU of the first buffer have been lost. */
static inline void journal_mark(struct made_journal *j, uint32_t cpu, uint64_t lost)
{
	const struct {
		uint64_t now;
		uint32_t buffer, cpu;
		uint64_t lost;
	} mark = { j->next, 0, cpu, lost };

	journal_section(j, DKT__JOURNAL_MARK, 0, &mark, sizeof(mark));
}

static inline void journal_formats(struct made_journal *j)
{
	static const char format[] =
		"name: up\nID: 7\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n\n"
		"print fmt: \"%llu\", REC->value\n";
	uint8_t content[sizeof(format) + 32];
	const uint32_t one = 1;
	const uint64_t len = strlen(format);

	memcpy(content, &one, 4);
	memcpy(content + 4, "made", 5);
	memcpy(content + 9, &one, 4);
	memcpy(content + 13, &len, 8);
	memcpy(content + 21, format, len);
	journal_section(j, DAT_EVENT_FORMATS, 0, content, 21 + len);
}

static inline size_t journal_option(uint8_t *to, uint16_t id, const void *value, size_t n)
{
	const uint32_t size = (uint32_t)n;

	memcpy(to, &id, 2);
	memcpy(to + 2, &size, 4);
	memcpy(to + 6, value, n);
	return n + 6;
}

static inline void journal_begin(struct made_journal *j, uint32_t size, uint32_t other,
				 struct made_instances in)
{
	uint8_t options[160];
	char wall[20], uname[80];
	size_t n = 0;

	if (in.id)
		n += journal_option(options, DAT_TRACEID, &in.id, sizeof(in.id));
	if (in.wall)
		n += journal_option(options + n, DAT_DATE, wall,
				    (size_t)sprintf(wall, "0x%" PRIx64, in.wall) + 1);
	if (in.kernel)
		n += journal_option(options + n, DAT_UNAME, uname,
				    (size_t)snprintf(uname, sizeof(uname),
						     "Linux made %.40s x86_64", in.kernel) +
					    1);
	n += journal_option(options + n, DAT_DONE, (uint8_t[8]){ 0 }, 8);
	*j = (struct made_journal){ .next = in.first ? in.first : 1000, .sizes = { size, other } };
	journal_bytes(j, "\x17\x08\x44tracing7", 12);
	journal_put(j, DKT__BIG_ENDIAN, 1);
	journal_put(j, 8, 1);
	journal_put(j, size, 4);
	journal_bytes(j, "zstd", 5);
	journal_bytes(j, "1", 2);
	journal_put(j, j->n + 8, 8);
	journal_section(j, DAT_DONE, 0, options, n);
	journal_formats(j);
	j->head = j->n;
	journal_buffer(j, 0, "", in.names[0], in.boot);
	journal_buffer(j, 1, "other", in.names[1], in.boot);
	journal_names(j, "42 worker\n");
}

static inline void journal_fill(struct made_journal *j)
{
	journal_pages(j, 0, 0, 2, false);
	journal_pages(j, 0, 1, 2, true);
	journal_pages(j, 1, 0, 1, false);
	journal_names(j, "43 other\n");
	journal_mark(j, 1, 5);
	journal_pages(j, 0, 0, 1, true);
	journal_pages(j, 0, 1, 1, false);
	journal_mark(j, 1, 9);
	journal_section(j, DKT__JOURNAL_END, 0, "", 0);
}

/* All of it. size, other: of a page in each buffer. */
static inline void journal_make(struct made_journal *j, uint32_t size, uint32_t other)
{
	journal_begin(j, size, other, (struct made_instances){ 0 });
	journal_fill(j);
}

/* The same of those instances. */
static inline void journal_make_of(struct made_journal *j, uint32_t size, struct made_instances in)
{
	journal_begin(j, size, size, in);
	journal_fill(j);
}

#endif
