/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which mapped files the addresses of samples are in. Rings are read one after another, so that records of a
 * process can come out of order: a mapping counts until the process has ended, whenever it was made, and a few
 * files too many may count as hit. Memory is bounded by the processes that run.
 */
#include "lib/sampler.h"

/* Addresses that are looked up once in a round: the functions of a profile are few. */
#define SEEN_BITS 13

/* Bounds of memory, far beyond what processes have. */
#define PROGRAMS_MAX (1u << 16)
#define MAPS_MAX     (1u << 12)

/* Addresses of a page of code have the same file. */
#define PAGE_BITS 12

static struct dkt__sampler_process *find_process(struct dkt__sampler_hits *hits, uint32_t pid)
{
	const uint64_t key = pid;
	const uint32_t entry = dkt__keymap_find(&hits->pids, &key);

	return entry == DKT__KEYMAP_NONE ? NULL : &hits->processes[entry];
}

static struct dkt__sampler_process *add_process(struct dkt__sampler_hits *hits, uint32_t pid)
{
	const uint64_t key = pid;
	struct dkt__sampler_process *process;
	uint32_t entry;
	bool added;

	entry = dkt__keymap_add(&hits->pids, &key, &added);
	process = entry == DKT__KEYMAP_NONE ? NULL :
					      dkt__reach(hits->processes, hits->n_processes, entry);
	if (process && added)
		*process = (struct dkt__sampler_process){ 0 };
	return process;
}

static void add_map(struct dkt__sampler_process *process, const struct dkt__sampler_map *map)
{
	for (uint32_t i = 0; i < process->n; i++)
		if (process->maps[i].start == map->start && process->maps[i].end == map->end &&
		    process->maps[i].program == map->program)
			return;
	if (process->n < MAPS_MAX && dkt__append(process->maps, process->n, *map))
		return;
}

/* Returns the number of the file; UINT32_MAX: none. */
static uint32_t find_program(struct dkt__sampler_hits *hits, const char *name, size_t room,
			     uint64_t inode)
{
	const size_t len = strnlen(name, room);
	struct dkt__sampler_program *program;
	uint32_t nr;

	/* Not a file: [vdso], //anon. */
	if (*name != '/' || name[1] == '/' || hits->names.n >= PROGRAMS_MAX)
		return UINT32_MAX;
	nr = dkt__intern(&hits->names, name, (uint32_t)len);
	program = nr == UINT32_MAX ? NULL : dkt__reach(hits->programs, hits->n_programs, nr);
	if (!program)
		return UINT32_MAX;
	program->inode = inode;
	return nr;
}

void dkt__sampler_hits_map(struct dkt__sampler_hits *hits, uint32_t pid, uint64_t start,
			   uint64_t size, uint64_t inode, const char *name, size_t room)
{
	const struct dkt__sampler_map map = { .start = start,
					      .end = start + size,
					      .program = find_program(hits, name, room, inode) };
	struct dkt__sampler_process *process = map.program == UINT32_MAX ? NULL :
									   add_process(hits, pid);

	if (!process)
		return;
	process->ended = 0;
	add_map(process, &map);
}

void dkt__sampler_hits_fork(struct dkt__sampler_hits *hits, uint32_t pid, uint32_t parent)
{
	struct dkt__sampler_process *process = add_process(hits, pid);
	const struct dkt__sampler_process *from = find_process(hits, parent);

	if (!process || !from)
		return;
	process->ended = 0;
	for (uint32_t i = 0; i < from->n; i++)
		add_map(process, &from->maps[i]);
}

void dkt__sampler_hits_exit(struct dkt__sampler_hits *hits, uint32_t pid)
{
	struct dkt__sampler_process *process = find_process(hits, pid);

	/* Without memory it stays until the end. */
	if (process && !process->ended &&
	    !dkt__append(hits->ended, hits->n_ended, (uint32_t)(process - hits->processes)))
		process->ended = hits->round + 1;
}

static void hit_module(struct dkt__sampler_hits *hits, uint64_t address)
{
	size_t low = 0, high = hits->n_modules;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (hits->modules[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < hits->n_modules && hits->modules[low].start <= address)
		hits->modules[low].hit = true;
	else
		hits->kernel = true;
}

static void hit_program(struct dkt__sampler_hits *hits, uint32_t pid, uint64_t address)
{
	const struct dkt__sampler_process *process = find_process(hits, pid);

	for (uint32_t i = 0; process && i < process->n; i++)
		if (address >= process->maps[i].start && address < process->maps[i].end)
			hits->programs[process->maps[i].program].hit = true;
}

void dkt__sampler_hits_address(struct dkt__sampler_hits *hits, uint32_t pid, uint64_t address,
			       bool kernel)
{
	/* Pages of programs end below 2^52. */
	const uint64_t key = kernel ? address >> PAGE_BITS | UINT64_C(1) << 63 :
				      dkt__mix(pid, address >> PAGE_BITS) >> 1;
	uint64_t *seen;

	if (!hits->seen)
		hits->seen = calloc(1 << SEEN_BITS, sizeof(*hits->seen));
	if (!hits->seen)
		return;
	seen = &hits->seen[dkt__mix(0, key) >> (64 - SEEN_BITS)];
	if (*seen == key)
		return;
	*seen = key;
	if (kernel)
		hit_module(hits, address);
	else
		hit_program(hits, pid, address);
}

/* Records of a process can still come in the round after its end. */
static void forget_ended(struct dkt__sampler_hits *hits)
{
	size_t kept = 0;

	for (size_t i = 0; i < hits->n_ended; i++) {
		const uint32_t entry = hits->ended[i];
		struct dkt__sampler_process *process = &hits->processes[entry];
		uint64_t key;

		/* The ID of the process is another one's already. */
		if (!process->ended)
			continue;
		if (process->ended >= hits->round) {
			hits->ended[kept++] = entry;
			continue;
		}
		key = *dkt__keymap_key(&hits->pids, entry);
		dkt__keymap_remove(&hits->pids, &key);
		free(process->maps);
		*process = (struct dkt__sampler_process){ 0 };
	}
	hits->n_ended = kept;
}

void dkt__sampler_hits_round(struct dkt__sampler_hits *hits)
{
	hits->round++;
	forget_ended(hits);
	/* A mapping may have come since an address of it was looked up. */
	if (hits->seen)
		memset(hits->seen, 0, sizeof(*hits->seen) << SEEN_BITS);
}

void dkt__sampler_hits_clear(struct dkt__sampler_hits *hits)
{
	for (uint32_t i = 0; i < hits->n_processes; i++)
		free(hits->processes[i].maps);
	for (size_t i = 0; i < hits->n_modules; i++) {
		free(hits->modules[i].name);
		free(hits->modules[i].path);
	}
	free(hits->processes);
	free(hits->ended);
	free(hits->programs);
	free(hits->seen);
	free(hits->modules);
	dkt__keymap_clear(&hits->pids);
	dkt__intern_clear(&hits->names);
	*hits = (struct dkt__sampler_hits){ 0 };
}
