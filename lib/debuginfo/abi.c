/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The calling conventions of x86-64 (System V) and arm64 (AAPCS64). */
#include "lib/debuginfo/abi.h"

#define WORD 8

/* In the order of their numbers in DWARF; the names are the kernel's (regs_query_register_offset). */
static const char *const x86_registers[] = { "ax",  "dx",  "cx",  "bx",  "si",  "di",
					     "bp",  "sp",  "r8",  "r9",  "r10", "r11",
					     "r12", "r13", "r14", "r15", "ip" };
static const char *const arm_registers[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp"
};

static const char *const x86_arguments[] = { "di", "si", "dx", "cx", "r8", "r9" };

enum dkt__machine dkt__machine(void)
{
#if defined(__x86_64__)
	return DKT__X86_64;
#elif defined(__aarch64__)
	return DKT__ARM64;
#else
	return DKT__OTHER;
#endif
}

/* Returns the number of arguments in registers; the others are on the stack. */
static unsigned int n_registers(enum dkt__machine machine)
{
	return machine == DKT__X86_64 ? ARRAY_SIZE(x86_arguments) : machine == DKT__ARM64 ? 8 : 0;
}

const char *dkt__abi_dwarf_register(enum dkt__machine machine, unsigned int number)
{
	if (machine == DKT__X86_64 && number < ARRAY_SIZE(x86_registers))
		return x86_registers[number];
	if (machine == DKT__ARM64 && number < ARRAY_SIZE(arm_registers))
		return arm_registers[number];
	return NULL;
}

bool dkt__abi_is_register(enum dkt__machine machine, const char *name)
{
	static const char *const more_x86[] = { "cs", "ss", "flags", "orig_ax", NULL };
	static const char *const more_arm[] = { "pc", "pstate", "lr", NULL };
	const char *const *more = machine == DKT__X86_64 ? more_x86 : more_arm;
	const char *known;

	/* The kernel judges registers that this table does not know. */
	if (machine == DKT__OTHER)
		return true;
	for (unsigned int i = 0; (known = dkt__abi_dwarf_register(machine, i)); i++)
		if (!strcmp(known, name))
			return true;
	for (; *more; more++)
		if (!strcmp(*more, name))
			return true;
	return false;
}

/* ---- arguments ---- */

static void in_register(enum dkt__machine machine, bool numbered, unsigned int i,
			struct abi_place *place)
{
	*place = (struct abi_place){ 0 };
	if (numbered)
		snprintf(place->fetch, sizeof(place->fetch), "$arg%u", i + 1);
	else if (machine == DKT__X86_64)
		snprintf(place->fetch, sizeof(place->fetch), "%%%s", x86_arguments[i]);
	else
		snprintf(place->fetch, sizeof(place->fetch), "%%x%u", i);
}

/* On x86-64 the return address comes before the arguments. */
static void on_stack(enum dkt__machine machine, uint64_t offset, struct abi_place *place)
{
	*place = (struct abi_place){ .memory = true, .fetch = "%sp" };
	place->offset = (int64_t)offset + (machine == DKT__X86_64 ? WORD : 0);
}

void dkt__abi_word(enum dkt__machine machine, bool numbered, unsigned int i,
		   struct abi_place *place)
{
	unsigned int registers = n_registers(machine);

	if (machine == DKT__OTHER)
		*place = (struct abi_place){
			.trouble = "how functions get their arguments on this machine is"
				   " unknown"
		};
	else if (i < registers)
		in_register(machine, numbered, i, place);
	else
		on_stack(machine, (i - registers) * UINT64_C(8), place);
}

/* The contents of a struct's first two words. */
struct words {
	struct ctype_source *source;
	uint64_t base; /* bits */
	unsigned int depth;
	bool integer[2];
	bool floating[2];
};

static void classify(struct words *words, uint32_t id, uint64_t bit);

static int classify_member(void *data, const struct ctype_member *member)
{
	struct words *words = data;

	classify(words, member->type, words->base + member->bit_offset);
	return 0;
}

static void classify(struct words *words, uint32_t id, uint64_t bit)
{
	struct ctype type;
	uint64_t base = words->base;

	if (words->depth >= CTYPE_DEPTH || words->source->get(words->source, id, &type))
		return;
	words->depth++;
	if (type.kind == CTYPE_STRUCT || type.kind == CTYPE_UNION) {
		words->base = bit;
		words->source->members(words->source, type.id, classify_member, words);
		words->base = base;
	} else if (type.kind == CTYPE_ARRAY) {
		struct ctype element = { 0 };

		words->source->get(words->source, type.target, &element);
		for (uint64_t i = 0; i < DKT__MIN(type.count, UINT64_C(16)); i++)
			classify(words, type.target, bit + i * element.size * 8);
	} else if (bit / 64 < 2) {
		(type.kind == CTYPE_FLOAT ? words->floating : words->integer)[bit / 64] = true;
	}
	words->depth--;
}

/* The registers assigned so far. */
struct taken {
	unsigned int registers;
	unsigned int floats;
	uint64_t stack; /* bytes */
};

static void one_on_stack(enum dkt__machine machine, struct taken *taken, uint64_t size,
			 struct abi_place *place)
{
	on_stack(machine, taken->stack, place);
	taken->stack += (size + WORD - 1) / WORD * WORD;
}

static void one_float(enum dkt__machine machine, struct taken *taken, uint64_t size,
		      struct abi_place *place)
{
	if (taken->floats >= 8) {
		one_on_stack(machine, taken, size, place);
		return;
	}
	taken->floats++;
	*place = (struct abi_place){ .trouble = "it is a floating point number, in a register that"
						" the kernel cannot fetch" };
}

/* A struct is passed by value. */
static void one_struct(enum dkt__machine machine, bool numbered, struct ctype_source *source,
		       const struct ctype *type, struct taken *taken, struct abi_place *place)
{
	struct words words = { .source = source };
	unsigned int need = (unsigned int)(type->size + WORD - 1) / WORD;
	unsigned int registers = n_registers(machine);

	if (type->size > (uint64_t)2 * WORD) {
		if (machine == DKT__ARM64 && taken->registers < registers) {
			/* By its address. */
			in_register(machine, numbered, taken->registers++, place);
			place->memory = true;
			return;
		}
		one_on_stack(machine, taken, type->size, place);
		return;
	}
	classify(&words, type->id, 0);
	if (words.floating[0] || words.floating[1]) {
		*place = (struct abi_place){ .trouble = "it is a struct with floating point"
							" numbers" };
		taken->floats += need;
		taken->registers += words.integer[0] + words.integer[1];
	} else if (taken->registers + need <= registers) {
		in_register(machine, numbered, taken->registers, place);
		taken->registers += need;
		if (need > 1)
			place->trouble = "it is a struct in two registers";
	} else {
		one_on_stack(machine, taken, type->size, place);
	}
}

static void one(enum dkt__machine machine, bool numbered, struct ctype_source *source, uint32_t id,
		struct taken *taken, struct abi_place *place)
{
	struct ctype type;

	if (source->get(source, id, &type))
		type = (struct ctype){ .kind = CTYPE_INT, .size = WORD };
	if (type.kind == CTYPE_FLOAT)
		one_float(machine, taken, type.size, place);
	else if (type.kind == CTYPE_STRUCT || type.kind == CTYPE_UNION)
		one_struct(machine, numbered, source, &type, taken, place);
	else if (taken->registers < n_registers(machine))
		in_register(machine, numbered, taken->registers++, place);
	else
		one_on_stack(machine, taken, DKT__MAX(type.size, UINT64_C(1)), place);
}

void dkt__abi_arguments(enum dkt__machine machine, bool numbered, struct ctype_source *source,
			const uint32_t *types, size_t n, struct abi_place *places)
{
	struct taken taken = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (machine == DKT__OTHER)
			dkt__abi_word(machine, numbered, 0, &places[i]);
		else
			one(machine, numbered, source, types[i], &taken, &places[i]);
	}
}
