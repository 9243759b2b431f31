/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The dump of a made-up kernel with Lustre's module libcfs, in place of the library's: two CPUs, whose
 * lists are in the first page.
 */
#pragma once

#include "compat/lustre/binary.h"
#include "lib/base/util.h"
#include "lib/inside.h"

#define MADE_BASE  UINT64_C(0xffff888000000000)
#define MADE_MAP   UINT64_C(0xffffea0000000000) /* of struct page */
#define MADE_PAGE  4096
#define MADE_PAGES 8
#define MADE_CPUS  2

enum made_at {
	MADE_NR_CPUS = 0,
	MADE_TABLE = 8, /* cfs_trace_data */
	MADE_CPU = 0x100, /* its arrays */
	MADE_TRACE_PAGES = 0x600,
};

/* As Lustre's structs are with a spinlock of 4 bytes. */
struct made_cpu {
	uint32_t lock;
	uint64_t flags;
	uint64_t next, prev;
	uint64_t n, most;
	uint64_t stock[2], n_stock;
	uint16_t ending, cpu, context, factor;
	uint8_t line[48];
};

_Static_assert(sizeof(struct made_cpu) == 128, "whole cache lines");

struct made_trace_page {
	uint64_t page, next, prev;
	uint32_t used;
	uint16_t cpu, context;
};

struct dkt__dump {
	uint8_t bytes[MADE_PAGES * MADE_PAGE];
	int no_libcfs; /* the error of its symbols */
	uint32_t n; /* trace pages */
};

static struct dkt__dump made_dump;

static inline void *made_ptr(uint64_t at)
{
	return made_dump.bytes + at;
}

static inline struct made_cpu *made_cpu(unsigned int cpu, unsigned int context)
{
	return made_ptr(MADE_CPU + (context * MADE_CPUS + cpu) * sizeof(struct made_cpu));
}

static inline uint64_t made_list(unsigned int cpu, unsigned int context)
{
	return MADE_BASE + (uint64_t)((uint8_t *)&made_cpu(cpu, context)->next - made_dump.bytes);
}

static inline struct made_trace_page *made_trace_page(uint32_t nr)
{
	return made_ptr(MADE_TRACE_PAGES + nr * sizeof(struct made_trace_page));
}

/* Without messages. */
static inline void made_dump_new(void)
{
	made_dump = (struct dkt__dump){ 0 };
	*(uint32_t *)made_ptr(MADE_NR_CPUS) = MADE_CPUS;
	for (unsigned int context = 0; context < 3; context++) {
		uint64_t *table = made_ptr(MADE_TABLE);

		table[context] = made_list(0, context) - offsetof(struct made_cpu, next);
		for (unsigned int cpu = 0; cpu < MADE_CPUS; cpu++)
			*made_cpu(cpu, context) =
				(struct made_cpu){ .next = made_list(cpu, context),
						   .prev = made_list(cpu, context),
						   .cpu = (uint16_t)cpu,
						   .context = (uint16_t)context };
	}
}

/* Adds a page with one record, whose line is nr. */
static inline struct made_trace_page *made_add(unsigned int cpu, unsigned int context, uint32_t nr)
{
	static const char texts[] = "file.c\0function\0text\n";
	struct made_trace_page *page = made_trace_page(made_dump.n);
	uint64_t mine = MADE_BASE + MADE_TRACE_PAGES + made_dump.n * sizeof(*page) +
			offsetof(struct made_trace_page, next);
	struct made_cpu *list = made_cpu(cpu, context);
	uint32_t len = sizeof(struct record_head) + sizeof(texts) - 1;
	struct record_head head = { .len = len, .sec = 1u << 30, .line = nr };

	made_dump.n++;
	head.cpu = (uint16_t)cpu;
	*page = (struct made_trace_page){ .page = MADE_MAP + made_dump.n * 64ull,
					  .next = made_list(cpu, context),
					  .prev = list->prev,
					  .used = len,
					  .cpu = (uint16_t)cpu,
					  .context = (uint16_t)context };
	*(uint64_t *)made_ptr(list->prev - MADE_BASE) = mine;
	list->prev = mine;
	memcpy(made_ptr((uint64_t)made_dump.n * MADE_PAGE), &head, sizeof(head));
	memcpy(made_ptr((uint64_t)made_dump.n * MADE_PAGE + sizeof(head)), texts, sizeof(texts));
	return page;
}

/* ---- the library's calls ---- */

int dkt__dump_open(struct dkt_ctx *ctx, const char *path, const struct dkt_source_opts *opts,
		   struct dkt__dump **dump)
{
	(void)opts;
	*dump = &made_dump;
	return strcmp(path, "made") != 0 ? dkt_fail(ctx, -EINVAL, "not a dump") : 0;
}

void dkt__dump_close(struct dkt__dump *dump)
{
	(void)dump;
}

int dkt__dump_symbol(const struct dkt__dump *dump, const char *module, const char *name,
		     uint64_t *address)
{
	*address = MADE_BASE + (module ? MADE_TABLE : MADE_NR_CPUS);
	if (strcmp(name, module ? "cfs_trace_data" : "nr_cpu_ids") != 0)
		return -ENOENT;
	return module ? dump->no_libcfs : 0;
}

int dkt__dump_read(const struct dkt__dump *dump, uint64_t address, void *bytes, size_t n)
{
	uint64_t at = address - MADE_BASE;

	if (at >= sizeof(dump->bytes) || sizeof(dump->bytes) - at < n)
		return -EFAULT;
	memcpy(bytes, dump->bytes + at, n);
	return 0;
}

int dkt__dump_size(const struct dkt__dump *dump, const char *name, uint64_t *size)
{
	(void)dump;
	*size = sizeof(uint32_t);
	return strcmp(name, "spinlock") != 0 ? -ENOENT : 0;
}

int dkt__dump_page(const struct dkt__dump *dump, uint64_t page, uint64_t *address, uint32_t *size)
{
	(void)dump;
	*address = MADE_BASE + (page - MADE_MAP) / 64 * MADE_PAGE;
	*size = MADE_PAGE;
	return 0;
}

const char *dkt__dump_why(int err)
{
	return strerror(-err);
}
