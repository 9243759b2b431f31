/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's ring buffers in a dump. */
#pragma once

#include "lib/vmcore/core.h"

/* The ring buffer of one CPU. */
struct vm_cpu {
	int cpu;
	uint64_t *pages; /* addresses of their data, in the order of the records */
	size_t n_pages;
	uint64_t lost; /* records, by the kernel's count */
	uint32_t taken; /* bytes of the first page that a reader took */
	uint64_t before_first, before_ring; /* records lost before pages[0] and pages[ring] */
	size_t ring; /* the first page that is not the reader's */
	bool gap; /* the page before the next one could not be read */
	uint8_t *room; /* holds a page */
};

/* The buffer of an instance. */
struct vm_buffer {
	char *name; /* "" of the top instance */
	char *clock; /* NULL: unknown */
	uint32_t page_size;
	struct vm_cpu *cpus;
	size_t n_cpus;
};

struct vm_buffers {
	struct vm_buffer *list; /* the top instance's first */
	size_t n;
	char *damage; /* what cannot be read; NULL: nothing */
	uint64_t steps; /* that walks may still take, so that a damaged dump cannot occupy us long */
};

/* Finds all buffers. An error is of all of them; one that cannot be read is left out, with words. */
int dkt__vm_buffers(const struct vm_core *core, struct vm_buffers *buffers);
void dkt__vm_buffers_clear(struct vm_buffers *buffers);

/*
 * Reads page nr into cpu->room as the kernel gives it to a reader: without the records that were
 * taken, and with the number of those lost before it. After an error room holds a page without
 * records.
 */
int dkt__vm_page(const struct vm_core *core, struct vm_cpu *cpu, uint32_t page_size, size_t nr);

/* Returns the time of page nr, or of the last one before it that can be read. */
uint64_t dkt__vm_page_time(const struct vm_core *core, const struct vm_cpu *cpu, size_t nr);

/* ---- vmcore/cpu.c ---- */

/*
 * Finds the pages of a struct ring_buffer_per_cpu, in at most *steps steps, and subtracts those that it
 * took. After an error cpu has the pages found before it, and must be cleared, too.
 */
int dkt__vm_cpu_walk(const struct vm_core *core, struct vm_place buffer, struct vm_cpu *cpu,
		     uint64_t *steps);
