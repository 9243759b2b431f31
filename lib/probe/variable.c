/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds where a place's variables are stored, from DWARF, and writes them as fetch arguments. */
#include <dwarf.h>

#include "lib/probe/define.h"

#define PARAMS_MAX 64

/* ---- locations ---- */

static int trouble(struct dwarf_place *place, const char *name, const char *why)
{
	return dkt_fail(place->binary->ctx, -EINVAL, "variable '%.80s': %s", name, why);
}

static const char *register_name(struct dwarf_place *place, uint64_t number)
{
	return number < 256 ?
		       dkt__abi_dwarf_register(place->binary->machine, (unsigned int)number) :
		       NULL;
}

static int set_register(struct dwarf_place *place, uint64_t number, struct probe_value *value)
{
	const char *name = register_name(place, number);

	if (!name)
		return -ERANGE;
	snprintf(value->fetch, sizeof(value->fetch), "%%%s", name);
	return 0;
}

static int run(struct dwarf_place *place, const Dwarf_Op *ops, size_t n, struct probe_value *value,
	       unsigned int depth);

/* The canonical frame address at the place, from the unwinder's tables. */
static int add_cfa(struct dwarf_place *place, struct probe_value *value, unsigned int depth)
{
	Dwfl_Module *module = place->binary->module;
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(module, &bias);
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t n;
	int err = -EOPNOTSUPP;

	if (!cfi || dwarf_cfi_addrframe(cfi, place->address - bias, &frame)) {
		cfi = dwfl_module_dwarf_cfi(module, &bias);
		if (!cfi || dwarf_cfi_addrframe(cfi, place->address - bias, &frame))
			return -EOPNOTSUPP;
	}
	if (!dwarf_frame_cfa(frame, &ops, &n) && n)
		err = run(place, ops, n, value, depth + 1);
	free(frame);
	return err;
}

/* The base of the locations of a function's local variables. */
static int add_frame_base(struct dwarf_place *place, struct probe_value *value, unsigned int depth)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(&place->function, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation_addr(&attr, place->address - place->bias, &ops, &n, 1) != 1)
		return -EOPNOTSUPP;
	/* A plain register is the base itself. */
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
		value->memory = true;
		value->offset = 0;
		return set_register(place, ops[0].atom - DW_OP_reg0, value);
	}
	return run(place, ops, n, value, depth + 1);
}

/*
 * A static variable. The kernel adds the offset to the address at which the file would begin if all
 * of it were mapped like the code.
 */
static int set_static(struct dwarf_place *place, uint64_t address, struct probe_value *value)
{
	struct dkt__binary *binary = place->binary;
	uint64_t offset;

	if (dkt__binary_offset(binary, place->address, &offset))
		return -EOPNOTSUPP;
	snprintf(value->fetch, sizeof(value->fetch), "@+0x%llx",
		 (unsigned long long)(address + place->bias - (place->address - offset)));
	return 0;
}

/* DWARF 5 keeps addresses in a table of their own. */
static int set_indexed(struct dwarf_place *place, Dwarf_Attribute *attr, const Dwarf_Op *op,
		       struct probe_value *value)
{
	Dwarf_Attribute inner;
	Dwarf_Addr address;

	if (dwarf_getlocation_attr(attr, op, &inner) || dwarf_formaddr(&inner, &address))
		return -EOPNOTSUPP;
	return set_static(place, address, value);
}

/* At a function's entry, the value on entry is still in its register. */
static int run_entry_value(struct dwarf_place *place, Dwarf_Attribute *attr, const Dwarf_Op *op,
			   struct probe_value *value)
{
	Dwarf_Attribute inner;
	Dwarf_Op *ops;
	size_t n;

	if (!place->entry || dwarf_getlocation_attr(attr, op, &inner) ||
	    dwarf_getlocation(&inner, &ops, &n) || n != 1 || ops[0].atom < DW_OP_reg0 ||
	    ops[0].atom > DW_OP_reg31)
		return -ENODATA;
	return set_register(place, ops[0].atom - DW_OP_reg0, value);
}

/* Translates a location that the kernel can fetch: a register, or memory at an offset. */
static int run(struct dwarf_place *place, const Dwarf_Op *ops, size_t n, struct probe_value *value,
	       unsigned int depth)
{
	struct probe_scope user = { .is_user = true };
	int err = 0;

	if (depth > 4)
		return -EOPNOTSUPP;
	for (size_t i = 0; !err && i < n; i++) {
		const Dwarf_Op *op = &ops[i];

		if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
			err = n == 1 ? set_register(place, op->atom - DW_OP_reg0, value) :
				       -EOPNOTSUPP;
		} else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31 && !i) {
			value->memory = true;
			value->offset = (int64_t)op->number;
			err = set_register(place, op->atom - DW_OP_breg0, value);
		} else if (op->atom == DW_OP_bregx && !i) {
			value->memory = true;
			value->offset = (int64_t)op->number2;
			err = set_register(place, op->number, value);
		} else if (op->atom == DW_OP_regx && n == 1) {
			err = set_register(place, op->number, value);
		} else if (op->atom == DW_OP_fbreg && !i) {
			err = add_frame_base(place, value, depth);
			value->offset += (int64_t)op->number;
		} else if (op->atom == DW_OP_call_frame_cfa && !i) {
			err = add_cfa(place, value, depth);
		} else if (op->atom == DW_OP_addr && n == 1) {
			err = set_static(place, op->number, value);
		} else if (op->atom == DW_OP_plus_uconst && value->memory) {
			value->offset += (int64_t)op->number;
		} else if (op->atom == DW_OP_deref && value->memory) {
			dkt__probe_load(&user, value);
			value->memory = true;
		} else {
			err = -EOPNOTSUPP;
		}
	}
	return err;
}

static int locate(struct dwarf_place *place, Dwarf_Die *variable, const char *name,
		  struct probe_value *value)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	Dwarf_Sword constant;
	size_t n;
	int err;

	if (dwarf_attr_integrate(variable, DW_AT_const_value, &attr) &&
	    !dwarf_formsdata(&attr, &constant)) {
		snprintf(value->fetch, sizeof(value->fetch), "\\%lld", (long long)constant);
		return 0;
	}
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attr))
		return trouble(place, name, "it was optimised away");
	if (dwarf_getlocation_addr(&attr, place->address - place->bias, &ops, &n, 1) != 1 || !n)
		return trouble(place, name, "it was optimised away at that place");
	if (n == 1 && (ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index))
		err = set_indexed(place, &attr, &ops[0], value);
	else if (ops[0].atom == DW_OP_entry_value || ops[0].atom == DW_OP_GNU_entry_value)
		err = run_entry_value(place, &attr, &ops[0], value);
	else
		err = run(place, ops, n, value, 0);
	if (err == -ENODATA)
		return trouble(place, name, "it was optimised away at that place");
	if (err == -ERANGE)
		return trouble(place, name, "it is in a register that the kernel cannot fetch");
	return err ? trouble(place, name, "the kernel cannot fetch its location") : 0;
}

/* ---- parameters ---- */

static size_t get_params(struct dwarf_place *place, Dwarf_Die params[PARAMS_MAX])
{
	Dwarf_Die child;
	size_t n = 0;

	if (dwarf_child(&place->function, &child))
		return 0;
	do {
		if (dwarf_tag(&child) == DW_TAG_formal_parameter && n < PARAMS_MAX)
			params[n++] = child;
	} while (!dwarf_siblingof(&child, &child));
	return n;
}

/* True if DWARF has a register at the entry: it is then right, even if it breaks the ABI. */
static bool in_register(struct dwarf_place *place, Dwarf_Die *param)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	return dwarf_attr_integrate(param, DW_AT_location, &attr) &&
	       dwarf_getlocation_addr(&attr, place->address - place->bias, &ops, &n, 1) == 1 &&
	       n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31;
}

/*
 * At the entry, use the calling convention: without optimisation, DWARF has the places to which the
 * function will copy its parameters.
 */
static int param_value(struct dwarf_place *place, bool numbered, Dwarf_Die *params, size_t n,
		       size_t i, struct probe_value *value)
{
	struct abi_place places[PARAMS_MAX];
	uint32_t types[PARAMS_MAX];
	const char *name = dwarf_diename(&params[i]);
	int err = 0;

	for (size_t j = 0; !err && j < n; j++)
		err = dkt__dwarf_type(place->binary, &params[j], &types[j]);
	if (err)
		return trouble(place, name ? name : "", "its type is invalid");
	value->typed = true;
	value->type = types[i];
	value->user = true;
	if (!place->entry || (!numbered && in_register(place, &params[i])))
		return locate(place, &params[i], name ? name : "", value);
	dkt__abi_arguments(place->binary->machine, numbered, &place->binary->types, types, n,
			   places);
	if (places[i].trouble)
		return trouble(place, name ? name : "", places[i].trouble);
	dkt__probe_set_place(value, &places[i]);
	return 0;
}

/* ---- variables ---- */

/* True if arguments are $arg1, ... */
static bool is_numbered(const struct probe_scope *scope)
{
	return !scope->is_user && scope->features->arg;
}

static void guess_names(struct dwarf_place *place, struct dkt__guess *guess)
{
	Dwarf_Die child;
	const char *name;

	for (int i = 0; i < place->n_scopes; i++) {
		if (dwarf_tag(&place->scopes[i]) == DW_TAG_compile_unit ||
		    dwarf_child(&place->scopes[i], &child))
			continue;
		do {
			int tag = dwarf_tag(&child);

			name = tag == DW_TAG_formal_parameter || tag == DW_TAG_variable ?
				       dwarf_diename(&child) :
				       NULL;
			if (name)
				dkt__guess_try(guess, name);
		} while (!dwarf_siblingof(&child, &child));
	}
}

static int dwarf_variable(struct probe_scope *scope, const char *name, struct probe_value *value,
			  struct dkt__guess *guess)
{
	struct dwarf_place *place = scope->data;
	Dwarf_Die params[PARAMS_MAX], variable;
	size_t n = get_params(place, params);
	const char *own;
	int err;

	/* Names of code that is inlined at the entry must not hide the function's parameters. */
	for (size_t i = 0; place->entry && i < n; i++)
		if ((own = dwarf_diename(&params[i])) && !strcmp(own, name))
			return param_value(place, is_numbered(scope), params, n, i, value);
	if (dwarf_getscopevar(place->scopes, place->n_scopes, name, 0, NULL, 0, 0, &variable) < 0) {
		guess_names(place, guess);
		return -ENOENT;
	}
	value->typed = true;
	value->user = true;
	err = dkt__dwarf_type(place->binary, &variable, &value->type);
	return err ? trouble(place, name, "its type is invalid") :
		     locate(place, &variable, name, value);
}

static int dwarf_argument(struct probe_scope *scope, unsigned int n, struct probe_value *value)
{
	struct dwarf_place *place = scope->data;
	Dwarf_Die params[PARAMS_MAX];
	size_t have = get_params(place, params);
	const char *name = dwarf_diename(&place->function);

	if (!n || n > have)
		return dkt_fail(place->binary->ctx, -ENOENT, "%s has %zu arguments",
				name ? name : "it", have);
	return param_value(place, is_numbered(scope), params, have, n - 1, value);
}

static int dwarf_result(struct probe_scope *scope, struct probe_value *value)
{
	struct dwarf_place *place = scope->data;

	value->typed = !dkt__dwarf_type(place->binary, &place->function, &value->type);
	value->user = true;
	return 0;
}

void dkt__probe_dwarf_scope(struct probe_scope *scope, struct dwarf_place *place)
{
	scope->types = &place->binary->types;
	scope->data = place;
	scope->variable = dwarf_variable;
	scope->argument = place->entry ? dwarf_argument : NULL;
	scope->result = dwarf_result;
}
