/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call chains of perf record --call-graph dwarf: samples have the registers of the program and the top of its
 * stack, from which the callers are found by the call frame information of the mapped files. Only files that
 * are the recorded ones are used.
 */
#include "lib/debuginfo/cfi.h"
#include "lib/perfdata.h"

/* Instructions whose rules are remembered. */
#define MAX_ROWS (1u << 15)

/* A frame pointer that is farther from its frame is none (libunwind, src/x86_64/Gstep.c). */
#define FRAME_MAX 0x4000

struct dkt__perf_unwind {
	struct dkt__keymap found; /* by the process's last mapping and address */
	struct cfi_row **rows; /* by entry; NULL: the instruction has no call frame information */
	size_t n_rows;
};

/* The saved part of the stack. */
struct saved {
	uint64_t start, size;
	const uint8_t *bytes;
	bool swap;
};

static bool read_stack(const void *data, uint64_t address, uint64_t *word)
{
	const struct saved *saved = data;
	const uint64_t at = address - saved->start;

	if (address < saved->start || saved->size < sizeof(*word) ||
	    at > saved->size - sizeof(*word))
		return false;
	memcpy(word, saved->bytes + at, sizeof(*word));
	if (dkt__unlikely(saved->swap))
		*word = bswap_64(*word);
	return true;
}

/* ---- rules of instructions ---- */

static void forget(struct dkt__perf_unwind *unwind)
{
	for (uint32_t i = 0; i < unwind->found.n; i++)
		free(unwind->rows[i]);
	dkt__keymap_empty(&unwind->found);
}

static struct cfi_row *read_row(struct dkt__perf *perf, const struct dkt__perf_map *maps,
				uint64_t address)
{
	uint64_t at, place;
	struct dkt__perf_program *program = dkt__perf_maps_program(maps, address, &at);
	struct dkt__binary *binary = dkt__perf_program_binary(perf, program);

	return binary && !dkt__binary_find_address(binary, at, &place) ?
		       dkt__cfi_row(binary, place) :
		       NULL;
}

/* Returns NULL if there is no call frame information, or memory is out. */
static const struct cfi_row *row_of(struct dkt__perf *perf, int32_t pid, uint64_t address)
{
	const struct dkt__perf_map *maps = dkt__perf_maps_of(perf, pid);
	struct dkt__perf_unwind *unwind = perf->unwind;
	const uint64_t key[] = { (uintptr_t)maps, address };
	uint32_t entry;
	bool added;

	if (unwind->found.n >= MAX_ROWS)
		forget(unwind);
	entry = dkt__keymap_add(&unwind->found, key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return NULL;
	if (!dkt__reach(unwind->rows, unwind->n_rows, entry)) {
		dkt__keymap_remove(&unwind->found, key);
		return NULL;
	}
	if (added)
		unwind->rows[entry] = read_row(perf, maps, address);
	return unwind->rows[entry];
}

/* ---- registers ---- */

/* perf's numbers of x86 registers, in DWARF's order; the last one is the instruction pointer. */
static const uint8_t x86_regs[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 };

static bool take_word(const struct dkt__perf *perf, const struct dkt__perf_regs *regs,
		      unsigned int nr, uint64_t *word)
{
	const uint64_t before = regs->mask & ((UINT64_C(1) << nr) - 1);

	if (!(regs->mask >> nr & 1))
		return false;
	memcpy(word, regs->words + 8 * (size_t)__builtin_popcountll(before), sizeof(*word));
	if (dkt__unlikely(perf->swap))
		*word = bswap_64(*word);
	return true;
}

/* Gets the sample's registers by DWARF's numbers. False: there is no program counter or stack pointer. */
static bool take_regs(const struct dkt__perf *perf, const struct dkt__perf_regs *from,
		      enum dkt__machine machine, struct cfi_regs *regs)
{
	const bool x86 = machine == DKT__X86_64;
	const unsigned int n = x86 ? ARRAY_SIZE(x86_regs) : CFI_REGS;

	regs->known = 0;
	for (unsigned int i = 0; i < n; i++)
		if (take_word(perf, from, x86 ? x86_regs[i] : i, &regs->values[i]))
			regs->known |= UINT64_C(1) << i;
	/* The last one is the program counter. */
	regs->pc = regs->values[n - 1];
	return regs->known >> (n - 1) & 1 && regs->known >> dkt__cfi_sp(machine) & 1;
}

/* ---- frames ---- */

/* One sample. */
struct walk {
	struct dkt__perf *perf;
	int32_t pid;
	enum dkt__machine machine;
	struct cfi_memory memory;
	struct cfi_regs regs;
};

/* Code without call frame information may have a frame pointer, which points to the caller's. */
static bool step_by_pointer(struct walk *walk)
{
	struct cfi_regs *regs = &walk->regs;
	const unsigned int sp = dkt__cfi_sp(walk->machine), fp = dkt__cfi_fp(walk->machine);
	const uint64_t at = regs->values[fp];
	uint64_t caller, to;

	if (!(regs->known >> fp & 1) || at < regs->values[sp] ||
	    at - regs->values[sp] > FRAME_MAX ||
	    !walk->memory.read(walk->memory.data, at, &caller) ||
	    !walk->memory.read(walk->memory.data, at + sizeof(at), &to) || !to)
		return false;
	regs->pc = to;
	regs->values[fp] = caller;
	regs->values[sp] = at + 2 * sizeof(at);
	regs->known = UINT64_C(1) << fp | UINT64_C(1) << sp;
	return true;
}

/* Goes to the caller. *behind: the place is behind a call, not at an instruction that was interrupted. */
static bool step(struct walk *walk, bool *behind)
{
	const struct cfi_row *row = row_of(walk->perf, walk->pid, walk->regs.pc - *behind);

	*behind = !row || !dkt__cfi_is_signal(row);
	if (row)
		return dkt__cfi_step(row, &walk->memory, &walk->regs);
	return step_by_pointer(walk);
}

static enum dkt__machine machine_of(const struct dkt__perf *perf)
{
	const char *arch = perf->arch ? perf->arch : "";

	return !strcmp(arch, "x86_64")  ? DKT__X86_64 :
	       !strcmp(arch, "aarch64") ? DKT__ARM64 :
					  DKT__OTHER;
}

static bool reach_unwind(struct dkt__perf *perf)
{
	if (!perf->unwind)
		perf->unwind = calloc(1, sizeof(*perf->unwind));
	if (perf->unwind)
		perf->unwind->found.n_words = 2;
	return perf->unwind;
}

size_t dkt__perf_unwind(struct dkt__perf *perf, const struct dkt__perf_item *item,
			uint64_t *addresses)
{
	struct saved saved = { .bytes = item->stack,
			       .size = item->values[DKT__PERF_STACK_SIZE],
			       .swap = perf->swap };
	struct walk walk = { .perf = perf,
			     .pid = item->pid,
			     .machine = machine_of(perf),
			     .memory = { .read = read_stack, .data = &saved } };
	bool behind = false;
	size_t n = 0;

	if (!saved.size || item->user_regs.abi != PERF_SAMPLE_REGS_ABI_64 ||
	    walk.machine == DKT__OTHER || !reach_unwind(perf) ||
	    !take_regs(perf, &item->user_regs, walk.machine, &walk.regs))
		return 0;
	saved.start = walk.regs.values[dkt__cfi_sp(walk.machine)];
	do
		addresses[n] = walk.regs.pc - (n > 0);
	while (++n < DKT__PERF_UNWOUND && step(&walk, &behind));
	return n;
}

void dkt__perf_unwind_clear(struct dkt__perf *perf)
{
	if (!perf->unwind)
		return;
	forget(perf->unwind);
	dkt__keymap_clear(&perf->unwind->found);
	free(perf->unwind->rows);
	free(perf->unwind);
	perf->unwind = NULL;
}
