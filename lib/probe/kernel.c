/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes on functions of the kernel and its modules. */
#include "lib/probe/hunt.h"

/* ---- BTF's side of a scope ---- */

#define PARAMS_MAX 32

struct btf_scope {
	struct dkt__btf *btf;
	uint32_t function; /* its type */
	bool is_tracepoint;
	bool numbered; /* arguments are $arg1, ... */
};

static int btf_value(struct probe_scope *scope, size_t i, const char *name,
		     struct probe_value *value)
{
	struct btf_scope *at = scope->data;
	struct abi_place places[PARAMS_MAX];
	uint32_t types[PARAMS_MAX];
	struct ctype_param param;
	size_t n = 0, first = at->is_tracepoint;

	while (n < PARAMS_MAX && !dkt__btf_param(at->btf, at->function, n + first, &param))
		types[n++] = param.type;
	if (i >= n)
		return dkt_fail(scope->ctx, -ENOENT, "%s has %zu arguments", scope->where, n);
	dkt__abi_arguments(scope->machine, at->numbered, scope->types, types, n, places);
	if (places[i].trouble)
		return dkt_fail(scope->ctx, -EINVAL, "argument '%s' of %s: %s", name, scope->where,
				places[i].trouble);
	dkt__probe_set_place(value, &places[i]);
	value->typed = true;
	value->type = types[i];
	return 0;
}

static int btf_variable(struct probe_scope *scope, const char *name, struct probe_value *value,
			struct dkt__guess *guess)
{
	struct btf_scope *at = scope->data;
	size_t i, first = at->is_tracepoint;
	struct ctype_param param;

	for (i = first; i < PARAMS_MAX && !dkt__btf_param(at->btf, at->function, i, &param); i++) {
		if (!strcmp(param.name, name))
			return btf_value(scope, i - first, name, value);
		dkt__guess_try(guess, param.name);
	}
	return -ENOENT;
}

static int btf_argument(struct probe_scope *scope, unsigned int n, struct probe_value *value)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", n);
	return btf_value(scope, n - 1, name, value);
}

static int btf_result(struct probe_scope *scope, struct probe_value *value)
{
	struct btf_scope *at = scope->data;

	value->typed = !dkt__btf_returns(at->btf, at->function, &value->type);
	return 0;
}

/* ---- one probe ---- */

static char *place_text(const struct probe_define *define, const struct probe_target *target,
			uint64_t offset)
{
	char plus[32] = "";

	/* Only the address distinguishes the function from others of its name. */
	if (define->place.has_address)
		return dkt__format("0x%llx", (unsigned long long)(target->address + offset));
	if (offset)
		snprintf(plus, sizeof(plus), "+%llu", (unsigned long long)offset);
	if (target->module && define->kind == DKT_PROBE_KPROBE)
		return dkt__format("%s:%s%s", target->module, target->name, plus);
	return dkt__format("%s%s", target->name, plus);
}

static int add_one(struct probe_define *define, const struct probe_target *target, uint64_t offset,
		   struct probe_scope *scope, const char *suffix)
{
	char *place __cleanup(free) = place_text(define, target, offset);

	return place ? dkt__probe_add(define, scope, place, target->name, suffix) :
		       dkt__no_memory(define->ctx);
}

/* Finds the place in debug information. */
static int dwarf_place(struct probe_define *define, const struct probe_target *target,
		       uint64_t offset, struct dwarf_place *at)
{
	struct dkt__binary *binary = dkt__probe_kernel_binary(define, target->module);
	struct binary_symbol symbol;
	int err;

	if (!binary)
		return -ENODATA;
	err = dkt__binary_function(binary, target->name, &symbol);
	return err ? err : dkt__dwarf_place(binary, symbol.address + offset, at);
}

/* Adds a probe that BTF cannot describe: with DWARF, otherwise with plain words as arguments. */
static int add_by_dwarf(struct probe_define *define, const struct probe_target *target,
			uint64_t offset, struct probe_scope *scope, const char *suffix)
{
	struct dwarf_place at = { 0 };
	int err;

	if (define->n && !dwarf_place(define, target, offset, &at)) {
		dkt__probe_dwarf_scope(scope, &at);
		scope->is_user = false;
	} else if (define->n) {
		if (!define->no_binary)
			define->no_binary = dkt__error_take(define->ctx);
		scope->no_types = define->no_btf ? define->no_btf : define->no_binary;
		scope->argument = offset ? NULL : dkt__probe_word_argument;
	}
	if (define->place.on_return) {
		dkt__probe_return_scope(scope);
		/* Kernels that keep the arguments until the return know them by number. */
		if (define->features.arg)
			scope->argument = dkt__probe_word_argument;
		if (!scope->result)
			scope->result = dkt__probe_word_result;
	} else {
		scope->result = NULL;
	}
	err = add_one(define, target, offset, scope, suffix);
	dkt__dwarf_place_clear(&at);
	return err;
}

static int add_target(struct probe_define *define, const struct probe_target *target,
		      uint64_t offset, const char *suffix)
{
	struct probe_scope scope = { .ctx = define->ctx,
				     .features = &define->features,
				     .machine = dkt__machine(),
				     .where = target->name };
	struct dkt__btf *btf = NULL;
	struct btf_scope at = { .numbered = define->features.arg };

	if (define->n && !offset && !define->opts->debug_file)
		btf = dkt__probe_btf(define, target->module);
	if (!btf || dkt__btf_function(btf, target->name, &at.function)) {
		if (btf && !define->no_btf)
			define->no_btf = dkt__format("BTF does not describe %s", target->name);
		return add_by_dwarf(define, target, offset, &scope, suffix);
	}
	at.btf = btf;
	scope.types = dkt__btf_types(btf);
	scope.data = &at;
	scope.variable = btf_variable;
	scope.argument = btf_argument;
	scope.result = define->place.on_return ? btf_result : NULL;
	if (define->place.on_return && !at.numbered)
		dkt__probe_return_scope(&scope);
	return add_one(define, target, offset, &scope, suffix);
}

/* ---- source lines ---- */

static int add_line(struct probe_define *define, const struct binary_symbol *symbol,
		    uint64_t address, const char *suffix)
{
	struct probe_target target = { .name = (char *)(uintptr_t)symbol->name,
				       .module = define->place.module };

	if (!symbol->name)
		return dkt_fail(define->ctx, -ENOENT, "the line is in no function");
	return add_target(define, &target, address - symbol->address, suffix);
}

/* For FUNCTION:LINE, the module of the function has the line. */
static int find_module(struct probe_define *define)
{
	struct probe_place *place = &define->place;
	struct probe_hunt hunt = { .define = define, .name = place->function };
	int err = 0;

	if (!place->function || place->module)
		return 0;
	if (!dkt__probe_hunt(&hunt) && hunt.found[0].module) {
		place->module = strdup(hunt.found[0].module);
		err = place->module ? 0 : dkt__no_memory(define->ctx);
	}
	dkt__probe_hunt_clear(&hunt);
	return err;
}

/* Adds a probe in each function that has code of the line. */
static int add_lines(struct probe_define *define)
{
	int err = find_module(define);

	if (err)
		return err;
	if (!dkt__probe_kernel_binary(define, define->place.module))
		return dkt_fail(define->ctx, -ENODATA, "a source line needs debug information: %s",
				define->no_binary ? define->no_binary : "out of memory");
	return dkt__probe_lines(define, add_line);
}

/* ---- functions and tracepoints ---- */

static int check_kind(struct probe_define *define)
{
	const struct probe_place *place = &define->place;

	if (define->kind != DKT_PROBE_FPROBE)
		return 0;
	if (!define->features.fprobe)
		return dkt_fail(define->ctx, -EOPNOTSUPP,
				"this kernel has no function probes (6.5 brought them)");
	if (place->offset || place->has_line || place->has_address)
		return dkt_fail(
			define->ctx, -EINVAL,
			"a function probe can only be at the entry or return of a function");
	return 0;
}

int dkt__probe_kernel(struct probe_define *define)
{
	struct probe_place *place = &define->place;
	struct probe_hunt hunt = { .define = define,
				   .name = place->function,
				   .by_address = place->has_address };
	const char *suffix = place->on_return ? "__return" : "";
	char offset[32] = "";
	int err = check_kind(define);

	if (err)
		return err;
	if (place->has_line)
		return add_lines(define);
	if (place->offset)
		snprintf(offset, sizeof(offset), "_%llu", (unsigned long long)place->offset);
	err = dkt__probe_hunt(&hunt);
	for (size_t i = 0; !err && i < hunt.n && !(i && hunt.by_address); i++)
		err = add_target(define, &hunt.found[i], place->offset,
				 place->offset ? offset : suffix);
	dkt__probe_hunt_clear(&hunt);
	return err;
}

int dkt__probe_tracepoint(struct probe_define *define)
{
	struct btf_scope at = { .is_tracepoint = true, .numbered = true };
	const char *name = define->place.function;
	struct probe_scope scope = { .ctx = define->ctx,
				     .features = &define->features,
				     .machine = dkt__machine(),
				     .where = name,
				     .variable = btf_variable,
				     .argument = btf_argument,
				     .data = &at };

	if (!define->features.tracepoint)
		return dkt_fail(define->ctx, -EOPNOTSUPP,
				"this kernel has no probes on tracepoints (6.5 brought them)");
	if (!name || define->place.is_glob || define->place.on_return || define->place.offset ||
	    define->place.has_line)
		return dkt_fail(define->ctx, -EINVAL,
				"give the name of a tracepoint: sched_switch");
	at.btf = dkt__probe_btf(define, define->place.module);
	if (!at.btf)
		return dkt_fail(define->ctx, -ENODATA, "%s", define->no_btf);
	if (dkt__btf_tracepoint(at.btf, name, &at.function))
		return dkt_fail(define->ctx, -ENOENT, "this kernel has no tracepoint '%s'", name);
	scope.types = dkt__btf_types(at.btf);
	return dkt__probe_add(define, &scope, name, name, "");
}
