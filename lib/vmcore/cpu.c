/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walks the pages of one CPU's ring buffer (struct ring_buffer_per_cpu of
 * kernel/trace/ring_buffer.c): the reader's page, which is outside the ring, then the ring from the
 * page that the writer overwrites next up to the page of the last complete record.
 */
#include "lib/vmcore/buffers.h"

/* The low bits of a pointer to a page mark the head of the ring, or that the writer moves it. */
#define FLAGS     UINT64_C(3)
#define FLAG_HEAD UINT64_C(1)
#define FLAG_MOVE UINT64_C(2)

/* Offsets in struct buffer_page. */
struct layout {
	uint64_t next, prev, page, read;
};

struct walk {
	const struct vm_core *core;
	struct vm_cpu *cpu;
	struct layout at;
	uint64_t reader, head, commit; /* addresses of struct buffer_page */
	uint64_t most; /* pages in the ring */
	uint64_t *steps; /* left */
};

static int find_layout(struct walk *walk, struct vm_place reader)
{
	const struct vm_core *core = walk->core;
	int err = dkt__vm_offset(core, reader.type, "list.next", &walk->at.next);

	if (!err)
		err = dkt__vm_offset(core, reader.type, "list.prev", &walk->at.prev);
	if (!err)
		err = dkt__vm_offset(core, reader.type, "page", &walk->at.page);
	return err ? err : dkt__vm_offset(core, reader.type, "read", &walk->at.read);
}

static int read_pointer(const struct walk *walk, uint64_t address, uint64_t *value)
{
	return dkt__vm_number(walk->core->memory, address, sizeof(*value), value);
}

static int add_page(struct walk *walk, uint64_t page)
{
	struct vm_cpu *cpu = walk->cpu;
	uint64_t data;
	int err = read_pointer(walk, page + walk->at.page, &data);

	return err ? err : dkt__append(cpu->pages, cpu->n_pages, data);
}

static bool may_step(const struct walk *walk)
{
	return *walk->steps && (*walk->steps)--;
}

static int next_page(const struct walk *walk, uint64_t *page)
{
	int err = read_pointer(walk, *page + walk->at.next, page);

	*page &= ~FLAGS;
	return err;
}

/* True if the pointer to the page marks it as the head of the ring. */
static int is_head(const struct walk *walk, uint64_t page, bool *is)
{
	uint64_t prev, pointer;
	int err = read_pointer(walk, page + walk->at.prev, &prev);

	if (!err)
		err = read_pointer(walk, (prev & ~FLAGS) + walk->at.next, &pointer);
	*is = !err && (pointer & ~FLAGS) == page && pointer & (FLAG_HEAD | FLAG_MOVE);
	return err;
}

/* The kernel's own pointer to the head may lag behind the writer. */
static int find_head(struct walk *walk)
{
	uint64_t page = walk->head;
	int err = 0;

	for (uint64_t i = 0; !err && i < walk->most; i++) {
		bool is;

		err = may_step(walk) ? is_head(walk, page, &is) : -E2BIG;
		if (!err && is) {
			walk->head = page;
			return 0;
		}
		if (!err)
			err = next_page(walk, &page);
	}
	return err ? err : -ELOOP;
}

static int walk_ring(struct walk *walk)
{
	uint64_t page;
	int err = find_head(walk);

	page = walk->head;
	for (uint64_t i = 0; !err && i < walk->most; i++) {
		err = may_step(walk) ? add_page(walk, page) : -E2BIG;
		if (err || page == walk->commit)
			return err;
		err = next_page(walk, &page);
	}
	return err ? err : -ELOOP;
}

static int read_numbers(struct walk *walk, struct vm_place buffer)
{
	struct vm_cpu *cpu = walk->cpu;
	uint64_t overrun, commit_overrun, dropped, last;
	const struct vm_wanted wanted[] = {
		{ "reader_page", &walk->reader },
		{ "head_page", &walk->head },
		{ "commit_page", &walk->commit },
		{ "nr_pages", &walk->most },
		{ "overrun", &overrun },
		{ "commit_overrun", &commit_overrun },
		{ "dropped_events", &dropped },
		{ "last_overrun", &last },
		{ "lost_events", &cpu->before_first },
	};
	int err = dkt__vm_get_all(walk->core, buffer, wanted, ARRAY_SIZE(wanted));

	if (err)
		return err;
	cpu->lost = overrun + commit_overrun + dropped;
	cpu->before_ring = overrun > last ? overrun - last : 0;
	return walk->most ? 0 : -EINVAL;
}

int dkt__vm_cpu_walk(const struct vm_core *core, struct vm_place buffer, struct vm_cpu *cpu,
		     uint64_t *steps)
{
	struct walk walk = { .core = core, .cpu = cpu, .steps = steps };
	struct vm_place page;
	uint64_t taken;
	int err = read_numbers(&walk, buffer);

	if (!err)
		err = dkt__vm_go(core, buffer, "reader_page->", &page);
	if (!err)
		err = find_layout(&walk, page);
	if (!err)
		err = dkt__vm_number(core->memory, walk.reader + walk.at.read, sizeof(uint32_t),
				     &taken);
	if (!err)
		err = add_page(&walk, walk.reader);
	if (err)
		return err;
	cpu->taken = (uint32_t)taken;
	cpu->ring = cpu->n_pages;
	return walk.reader == walk.commit ? 0 : walk_ring(&walk);
}
