/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call frame information. libdw interprets the program of an FDE up to the instruction; what it finds is
 * kept as a short list of rules, because a profile asks for the same instructions again and again.
 */
#include <dwarf.h>

#include "lib/debuginfo/cfi.h"

/* Expressions in real programs have up to about 15 operations, and need 3 words. */
#define MAX_OPS   64
#define MAX_WORDS 16

enum how {
	SAVED, /* at the CFA plus a number */
	SUM, /* the CFA plus a number */
	MOVED, /* to another register */
	SAVED_BY, /* at the address that an expression gives */
	RESULT, /* of an expression */
};

struct rule {
	uint8_t reg;
	uint8_t how; /* enum how */
	uint8_t n_ops;
	union {
		int64_t number; /* of SAVED and SUM; of MOVED the register */
		const Dwarf_Op *ops; /* of libdw, as long as the CFI */
	};
};

/* Registers without a rule keep their values. */
struct cfi_row {
	uint8_t cfa_reg; /* valid if cfa.ops is NULL: the CFA is this register plus offset */
	uint8_t sp, ra; /* ra: the register that has the return address */
	bool signal;
	bool arm64;
	uint8_t n_cfa_ops;
	uint8_t n;
	int64_t cfa_offset;
	const Dwarf_Op *cfa_ops;
	uint64_t lost; /* a bit for each register whose value is lost */
	struct rule rules[];
};

unsigned int dkt__cfi_sp(enum dkt__machine machine)
{
	return machine == DKT__ARM64 ? 31 : 7;
}

unsigned int dkt__cfi_fp(enum dkt__machine machine)
{
	return machine == DKT__ARM64 ? 29 : 6;
}

/* ---- expressions ---- */

struct stack {
	uint64_t words[MAX_WORDS];
	unsigned int n;
	bool bad;
};

static void push(struct stack *stack, uint64_t word)
{
	if (stack->n < MAX_WORDS)
		stack->words[stack->n++] = word;
	else
		stack->bad = true;
}

static uint64_t pop(struct stack *stack)
{
	if (stack->n)
		return stack->words[--stack->n];
	stack->bad = true;
	return 0;
}

static void push_reg(struct stack *stack, const struct cfi_regs *regs, uint64_t reg, uint64_t add)
{
	if (reg < CFI_REGS && regs->known >> reg & 1)
		push(stack, regs->values[reg] + add);
	else
		stack->bad = true;
}

static void push_at(struct stack *stack, const struct cfi_memory *memory, uint64_t address)
{
	uint64_t word = 0;

	stack->bad |= stack->bad || !memory->read(memory->data, address, &word);
	push(stack, word);
}

/* Pushes a copy of the word that is so far below the top. */
static void copy_word(struct stack *stack, uint64_t below)
{
	if (below < stack->n)
		push(stack, stack->words[stack->n - 1 - below]);
	else
		stack->bad = true;
}

/* Operations on the two upper words. */
static void run_two(struct stack *stack, uint8_t atom)
{
	const uint64_t b = pop(stack), a = pop(stack);
	const int64_t x = (int64_t)a, y = (int64_t)b;

	push(stack, atom == DW_OP_plus  ? a + b :
		    atom == DW_OP_minus ? a - b :
		    atom == DW_OP_mul   ? a * b :
		    atom == DW_OP_and   ? a & b :
		    atom == DW_OP_or    ? a | b :
		    atom == DW_OP_xor   ? a ^ b :
		    atom == DW_OP_shl   ? (b < 64 ? a << b : 0) :
		    atom == DW_OP_shr   ? (b < 64 ? a >> b : 0) :
		    atom == DW_OP_eq    ? x == y :
		    atom == DW_OP_ne    ? x != y :
		    atom == DW_OP_ge    ? x >= y :
		    atom == DW_OP_gt    ? x > y :
		    atom == DW_OP_le    ? x <= y :
					  x < y);
}

static bool takes_two(uint8_t atom)
{
	static const uint8_t atoms[] = { DW_OP_plus, DW_OP_minus, DW_OP_mul, DW_OP_and, DW_OP_or,
					 DW_OP_xor,  DW_OP_shl,   DW_OP_shr, DW_OP_eq,  DW_OP_ne,
					 DW_OP_ge,   DW_OP_gt,    DW_OP_le,  DW_OP_lt };

	return memchr(atoms, atom, sizeof(atoms));
}

static bool is_constant(uint8_t atom)
{
	return atom == DW_OP_addr || (atom >= DW_OP_const1u && atom <= DW_OP_consts);
}

/* Operations that compilers do not write, such as jumps, end the unwinding. */
static void run_one(struct stack *stack, const Dwarf_Op *op, const struct cfi_regs *regs,
		    const struct cfi_memory *memory, uint64_t cfa)
{
	const uint8_t atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		push(stack, atom - DW_OP_lit0);
	else if (is_constant(atom))
		push(stack, op->number);
	else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		push_reg(stack, regs, atom - DW_OP_breg0, op->number);
	else if (atom == DW_OP_bregx)
		push_reg(stack, regs, op->number, op->number2);
	else if (takes_two(atom))
		run_two(stack, atom);
	else if (atom == DW_OP_call_frame_cfa)
		push(stack, cfa);
	else if (atom == DW_OP_plus_uconst)
		push(stack, pop(stack) + op->number);
	else if (atom == DW_OP_deref)
		push_at(stack, memory, pop(stack));
	else if (atom == DW_OP_dup || atom == DW_OP_over)
		copy_word(stack, atom == DW_OP_over);
	else if (atom == DW_OP_pick)
		copy_word(stack, op->number);
	else if (atom == DW_OP_drop)
		pop(stack);
	else if (atom != DW_OP_nop && atom != DW_OP_stack_value)
		stack->bad = true;
}

static bool run(const Dwarf_Op *ops, size_t n, const struct cfi_regs *regs,
		const struct cfi_memory *memory, uint64_t cfa, uint64_t *result)
{
	struct stack stack = { .n = 0 };

	for (size_t i = 0; i < n && !stack.bad; i++)
		run_one(&stack, &ops[i], regs, memory, cfa);
	*result = pop(&stack);
	return !stack.bad;
}

/* ---- rules ---- */

/* Sets the rule from libdw's description of a place. False: there is no such rule. */
static bool set_rule(struct rule *rule, const Dwarf_Op *ops, size_t n)
{
	const bool value = n > 1 && ops[n - 1].atom == DW_OP_stack_value;
	const size_t places = n - value;

	if (n > MAX_OPS)
		return false;
	if (n == 1 && ops[0].atom == DW_OP_regx) {
		rule->how = MOVED;
		rule->number = (int64_t)ops[0].number;
		return ops[0].number < CFI_REGS;
	}
	if (ops[0].atom == DW_OP_call_frame_cfa &&
	    (places == 1 || (places == 2 && ops[1].atom == DW_OP_plus_uconst))) {
		rule->how = value ? SUM : SAVED;
		rule->number = places == 2 ? (int64_t)ops[1].number : 0;
		return true;
	}
	rule->how = value ? RESULT : SAVED_BY;
	rule->n_ops = (uint8_t)n;
	rule->ops = ops;
	return true;
}

/* Fills in the rules of the registers; those of the frame stay libdw's. */
static void set_rules(struct cfi_row *row, Dwarf_Frame *frame, int regs)
{
	for (int i = 0; i < regs; i++) {
		Dwarf_Op room[3], *ops = NULL;
		size_t n = 0;
		int err = dwarf_frame_register(frame, i, room, &ops, &n);

		/* Without a place the value is the same; with an empty one it is lost. */
		if (!err && !ops)
			continue;
		row->rules[row->n].reg = (uint8_t)i;
		if (err || !n || !set_rule(&row->rules[row->n], ops, n))
			row->lost |= UINT64_C(1) << i;
		else
			row->n++;
	}
}

/* The CFA is mostly a register plus a number, in memory of the frame. */
static bool set_cfa(struct cfi_row *row, Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_cfa(frame, &ops, &n) || !n || n > MAX_OPS)
		return false;
	if (n == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
		row->cfa_reg = (uint8_t)(ops[0].atom - DW_OP_breg0);
		row->cfa_offset = (int64_t)ops[0].number;
	} else if (n == 1 && ops[0].atom == DW_OP_bregx) {
		row->cfa_reg = (uint8_t)DKT__MIN(ops[0].number, (Dwarf_Word)UINT8_MAX);
		row->cfa_offset = (int64_t)ops[0].number2;
	} else {
		row->cfa_ops = ops;
		row->n_cfa_ops = (uint8_t)n;
	}
	return row->cfa_ops || row->cfa_reg < CFI_REGS;
}

static Dwarf_Frame *find_frame(struct dkt__binary *binary, uint64_t address)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(binary->module, &bias);

	if (cfi && !dwarf_cfi_addrframe(cfi, address - bias, &frame))
		return frame;
	cfi = dwfl_module_dwarf_cfi(binary->module, &bias);
	return cfi && !dwarf_cfi_addrframe(cfi, address - bias, &frame) ? frame : NULL;
}

struct cfi_row *dkt__cfi_row(struct dkt__binary *binary, uint64_t address)
{
	const int regs = binary->machine == DKT__ARM64 ? 32 : 17;
	Dwarf_Frame *frame __cleanup(free) = NULL;
	struct cfi_row *row, *shorter;
	bool signal = false;
	int ra;

	if (binary->machine == DKT__OTHER)
		return NULL;
	frame = find_frame(binary, address);
	ra = frame ? dwarf_frame_info(frame, NULL, NULL, &signal) : -1;
	row = ra >= 0 && ra < regs ?
		      calloc(1, sizeof(*row) + (size_t)regs * sizeof(row->rules[0])) :
		      NULL;
	if (!row)
		return NULL;
	row->arm64 = binary->machine == DKT__ARM64;
	row->sp = (uint8_t)dkt__cfi_sp(binary->machine);
	row->ra = (uint8_t)ra;
	row->signal = signal;
	set_rules(row, frame, regs);
	if (!set_cfa(row, frame)) {
		free(row);
		return NULL;
	}
	shorter = realloc(row, sizeof(*row) + row->n * sizeof(row->rules[0]));
	return shorter ? shorter : row;
}

bool dkt__cfi_is_signal(const struct cfi_row *row)
{
	return row->signal;
}

/* ---- one step ---- */

static bool find_value(const struct rule *rule, const struct cfi_memory *memory,
		       const struct cfi_regs *regs, uint64_t cfa, uint64_t *value)
{
	uint64_t address;

	switch ((enum how)rule->how) {
	case SAVED:
		return memory->read(memory->data, cfa + (uint64_t)rule->number, value);
	case SUM:
		*value = cfa + (uint64_t)rule->number;
		return true;
	case MOVED:
		*value = regs->values[rule->number];
		return regs->known >> rule->number & 1;
	case SAVED_BY:
		return run(rule->ops, rule->n_ops, regs, memory, cfa, &address) &&
		       memory->read(memory->data, address, value);
	case RESULT:
		return run(rule->ops, rule->n_ops, regs, memory, cfa, value);
	}
	return false;
}

static bool find_cfa(const struct cfi_row *row, const struct cfi_memory *memory,
		     const struct cfi_regs *regs, uint64_t *cfa)
{
	if (row->cfa_ops)
		return run(row->cfa_ops, row->n_cfa_ops, regs, memory, 0, cfa);
	*cfa = regs->values[row->cfa_reg] + (uint64_t)row->cfa_offset;
	return regs->known >> row->cfa_reg & 1;
}

/* Pointer authentication of ARM puts a signature into the upper bits. */
#define ARM64_ADDRESS ((UINT64_C(1) << 48) - 1)

bool dkt__cfi_step(const struct cfi_row *row, const struct cfi_memory *memory,
		   struct cfi_regs *regs)
{
	const struct cfi_regs callee = *regs;
	uint64_t cfa;

	if (!find_cfa(row, memory, &callee, &cfa))
		return false;
	regs->known &= ~row->lost;
	regs->values[row->sp] = cfa;
	regs->known |= UINT64_C(1) << row->sp;
	for (unsigned int i = 0; i < row->n; i++) {
		const struct rule *rule = &row->rules[i];
		const uint64_t bit = UINT64_C(1) << rule->reg;

		if (find_value(rule, memory, &callee, cfa, &regs->values[rule->reg]))
			regs->known |= bit;
		else
			regs->known &= ~bit;
	}
	if (!(regs->known >> row->ra & 1))
		return false;
	regs->pc = regs->values[row->ra];
	if (row->arm64)
		regs->pc &= ARM64_ADDRESS;
	/* The same frame again would be one without end. */
	return regs->pc &&
	       (regs->pc != callee.pc || regs->values[row->sp] != callee.values[row->sp]);
}
