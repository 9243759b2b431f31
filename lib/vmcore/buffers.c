/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the kernel's instances and their buffers, and reads the pages. */
#include "lib/vmcore/buffers.h"
#include "lib/base/parse.h"
#include "lib/source/page.h"

#define INSTANCES_MAX 4096
#define CPUS_MAX      65536
#define NAME_MAX_     4096

/* Enough for 64 GB of pages of the smallest size. */
#define STEPS_MAX (UINT64_C(1) << 25)

/* The sizes of sub-buffers that are believed. */
#define PAGE_MIN 512
#define PAGE_MAX (1u << 20)

static void damage(struct vm_buffers *buffers, const char *fmt, ...) DKT_PRINTF(2, 3);

static void damage(struct vm_buffers *buffers, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	dkt__damage(&buffers->damage, fmt, ap);
	va_end(ap);
}

/* ---- finding ---- */

static char *find_clock(const struct vm_core *core, struct vm_place instance)
{
	uint64_t nr, clocks, name;
	char *text;

	/* struct { func, name, in_ns } trace_clocks[] of kernel/trace/trace.c */
	if (dkt__vm_get(core, instance, "clock_id", &nr) || nr > 64 ||
	    dkt__vm_symbol(core, "trace_clocks", &clocks) ||
	    dkt__vm_number(core->memory, clocks + nr * 24 + 8, sizeof(name), &name) ||
	    dkt__vm_string(core->memory, name, 64, &text))
		return NULL;
	return text;
}

/* Sub-buffers have the size of a page, since 6.8 also of 2^order pages. */
static int find_page_size(const struct vm_core *core, struct vm_place buffer, uint32_t *size)
{
	uint64_t page, order;
	int err = dkt__vm_get(core, buffer, "subbuf_order", &order);

	if (err == -ENOENT)
		err = 0;
	if (!dkt__vm_info_number(core->info, "PAGESIZE", DKT__DEC, &page))
		err = -EINVAL;
	if (!err && (order > 20 || page < PAGE_MIN || page > PAGE_MAX || page << order > PAGE_MAX))
		err = -EINVAL;
	*size = err ? 0 : (uint32_t)(page << order);
	return err;
}

/* A buffer has room for all possible CPUs. */
static int count_cpus(const struct vm_core *core, struct vm_place buffer, uint64_t *n)
{
	uint64_t at;
	int err = dkt__vm_get(core, buffer, "cpus", n);

	if (err == -ENOENT) {
		err = dkt__vm_symbol(core, "nr_cpu_ids", &at);
		if (!err)
			err = dkt__vm_number(core->memory, at, sizeof(uint32_t), n);
	}
	return !err && *n > CPUS_MAX ? -EINVAL : err;
}

static int add_cpu(const struct vm_core *core, struct vm_buffers *buffers, struct vm_buffer *buffer,
		   struct vm_place cpu, int nr)
{
	struct vm_cpu *mine;
	int err = dkt__append(buffer->cpus, buffer->n_cpus, (struct vm_cpu){ .cpu = nr });

	if (err)
		return err;
	mine = &buffer->cpus[buffer->n_cpus - 1];
	err = dkt__vm_cpu_walk(core, cpu, mine, &buffers->steps);
	if (err && err != -ENOMEM)
		damage(buffers,
		       "buffer '%s', cpu %d: %zu pages were found, the next cannot be read: %s",
		       buffer->name, nr, mine->n_pages, dkt__vm_why(err));
	return err == -ENOMEM ? err : 0;
}

static int add_cpus(const struct vm_core *core, struct vm_buffers *buffers,
		    struct vm_buffer *buffer, struct vm_place place)
{
	struct vm_place table, cpu;
	uint64_t n, at;
	int err = count_cpus(core, place, &n);

	if (!err)
		err = dkt__vm_go(core, place, "buffers->", &table);
	for (uint64_t i = 0; !err && i < n; i++, table.at += sizeof(at)) {
		err = buffers->steps && buffers->steps-- ? dkt__vm_get(core, table, "", &at) :
							   -E2BIG;
		/* A CPU that was never online has no buffer. */
		if (err || !at)
			continue;
		err = dkt__vm_go(core, table, "->", &cpu);
		if (!err)
			err = add_cpu(core, buffers, buffer, cpu, (int)i);
	}
	return err;
}

static void buffer_clear(struct vm_buffer *buffer)
{
	for (size_t i = 0; i < buffer->n_cpus; i++) {
		free(buffer->cpus[i].pages);
		free(buffer->cpus[i].room);
	}
	free(buffer->cpus);
	free(buffer->name);
	free(buffer->clock);
}

static int read_name(const struct vm_core *core, struct vm_place instance, char **name)
{
	uint64_t pointer;
	int err = dkt__vm_get(core, instance, "name", &pointer);

	if (err || pointer)
		return err ? err : dkt__vm_text(core, instance, "name", NAME_MAX_, name);
	*name = strdup("");
	return *name ? 0 : -ENOMEM;
}

static int add_instance(const struct vm_core *core, struct vm_buffers *buffers,
			struct vm_place instance)
{
	struct vm_buffer buffer = { 0 };
	struct vm_place place;
	int err = read_name(core, instance, &buffer.name);

	if (!err)
		err = dkt__vm_go(core, instance, "array_buffer|trace_buffer.buffer->", &place);
	if (!err)
		err = find_page_size(core, place, &buffer.page_size);
	if (!err)
		err = add_cpus(core, buffers, &buffer, place);
	if (!err)
		buffer.clock = find_clock(core, instance);
	if (!err)
		err = dkt__append(buffers->list, buffers->n, buffer);
	if (!err)
		return 0;
	if (err != -ENOMEM)
		damage(buffers, "instance '%s' cannot be read: %s", buffer.name ? buffer.name : "?",
		       dkt__vm_why(err));
	buffer_clear(&buffer);
	return err == -ENOMEM ? err : 0;
}

int dkt__vm_buffers(const struct vm_core *core, struct vm_buffers *buffers)
{
	struct vm_place instance;
	struct vm_list list;
	uint64_t n = 0;
	int err = dkt__vm_walk(core, "ftrace_trace_arrays", "trace_array", &instance, &list);

	*buffers = (struct vm_buffers){ .steps = STEPS_MAX };
	if (err)
		return err;
	/* New instances are put first, so the last is the top one. */
	list.back = true;
	while (!err && dkt__vm_list_next(&list, &instance.at) && n++ < INSTANCES_MAX)
		err = add_instance(core, buffers, instance);
	if (list.err)
		damage(buffers, "the list of instances breaks off: %s", dkt__vm_why(list.err));
	return err;
}

void dkt__vm_buffers_clear(struct vm_buffers *buffers)
{
	for (size_t i = 0; i < buffers->n; i++)
		buffer_clear(&buffers->list[i]);
	free(buffers->list);
	free(buffers->damage);
}

/* ---- reading ---- */

int dkt__vm_page(const struct vm_core *core, struct vm_cpu *cpu, uint32_t page_size, size_t nr)
{
	uint64_t lost = nr == cpu->ring ? cpu->before_ring : 0;
	int err;

	if (!cpu->room)
		cpu->room = malloc(page_size);
	if (!cpu->room)
		return -ENOMEM;
	err = dkt__vm_read(core->memory, cpu->pages[nr], cpu->room, page_size);
	if (err) {
		memset(cpu->room, 0, page_size);
		cpu->gap = true;
		return err;
	}
	if (!nr && cpu->ring)
		lost = cpu->before_first;
	if (!nr && cpu->taken)
		dkt__page_drop(cpu->room, page_size, cpu->taken);
	if (cpu->gap)
		lost = DKT_LOST_UNKNOWN;
	cpu->gap = false;
	if (lost)
		dkt__page_mark_lost(cpu->room, page_size, lost);
	return 0;
}

uint64_t dkt__vm_page_time(const struct vm_core *core, const struct vm_cpu *cpu, size_t nr)
{
	uint64_t stamp;

	for (size_t i = nr + 1; i--;)
		if (!dkt__vm_number(core->memory, cpu->pages[i], sizeof(stamp), &stamp))
			return stamp;
	return 0;
}
