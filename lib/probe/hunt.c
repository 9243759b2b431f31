/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the kernel functions that a place names, or the reason why there is none. */
#include <fnmatch.h>

#include "lib/probe/hunt.h"
#include "lib/symbol.h"

#define SHOWN 8

void dkt__probe_hunt_clear(struct probe_hunt *hunt)
{
	for (size_t i = 0; i < hunt->n; i++) {
		free(hunt->found[i].name);
		free(hunt->found[i].module);
	}
	free(hunt->found);
}

/* In names of modules, - and _ are the same. */
static bool same_module(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && !(*a == '-' && *b == '_') && !(*a == '_' && *b == '-'))
			return false;
	return *a == *b;
}

static int keep(struct probe_hunt *hunt, const struct dkt__symbol *symbol)
{
	struct probe_target target = {
		.address = symbol->address,
		.name = strdup(symbol->name),
		.module = symbol->module ? strdup(symbol->module) : NULL,
	};

	if (target.name && !symbol->module == !target.module &&
	    !dkt__append(hunt->found, hunt->n, target))
		return 0;
	free(target.name);
	free(target.module);
	return dkt__no_memory(hunt->define->ctx);
}

/* A part that the compiler split off has no arguments of its own; padding never runs. */
static bool is_part(const char *name)
{
	return strstr(name, ".cold") || strstr(name, ".part.") || !strncmp(name, "__pfx_", 6) ||
	       !strncmp(name, "__cfi_", 6);
}

static bool in_module(const struct probe_hunt *hunt, const struct dkt__symbol *symbol)
{
	const char *module = hunt->define->place.module;

	return !module || (symbol->module && same_module(symbol->module, module));
}

static int try_symbol(void *data, const struct dkt__symbol *symbol)
{
	struct probe_hunt *hunt = data;
	const struct probe_place *place = &hunt->define->place;
	size_t n;

	hunt->any = true;
	if (!in_module(hunt, symbol))
		return 0;
	hunt->found_module = true;
	if (hunt->by_address)
		return symbol->address && symbol->address == place->address ? keep(hunt, symbol) :
									      0;
	if (place->is_glob) {
		if (is_part(symbol->name) || fnmatch(hunt->name, symbol->name, 0))
			return 0;
		return keep(hunt, symbol);
	}
	if (!strcmp(symbol->name, hunt->name))
		return keep(hunt, symbol);
	n = strlen(hunt->name);
	if (!strncmp(symbol->name, hunt->name, n) && symbol->name[n] == '.' && !hunt->variant[0] &&
	    !is_part(symbol->name))
		snprintf(hunt->variant, sizeof(hunt->variant), "%s", symbol->name);
	return 0;
}

static int guess_symbol(void *data, const struct dkt__symbol *symbol)
{
	struct probe_hunt *hunt = data;

	if (in_module(hunt, symbol) && !is_part(symbol->name))
		dkt__guess_try(&hunt->guess, symbol->name);
	return 0;
}

/* Fails if BTF or DWARF describes the function, which then must have been inlined. */
static int inlined(struct probe_hunt *hunt)
{
	struct probe_define *define = hunt->define;
	const char *module = define->place.module;
	char *where __cleanup(free) = NULL;
	struct dkt__btf *btf;
	uint32_t id;
	struct dkt__binary *binary = dkt__probe_kernel_binary(define, module);

	if (binary && !dkt__dwarf_inlined(binary, hunt->name, &where) && where)
		return dkt_fail(
			define->ctx, -ENOENT,
			"%s is inlined%s%s: it has no entry to probe; probe one of its source lines"
			" (%s:1)",
			hunt->name, *where ? " into " : " everywhere", where, hunt->name);
	/* A module's BTF extends the kernel's, which has functions that are not the module's. */
	btf = dkt__probe_btf(define, NULL);
	if (btf && module && !dkt__btf_function(btf, hunt->name, &id))
		return 0;
	btf = dkt__probe_btf(define, module);
	if (btf && !dkt__btf_function(btf, hunt->name, &id))
		return dkt_fail(define->ctx, -ENOENT,
				"%s is known to this kernel, but has no code of its own: it was"
				" inlined, or belongs to a module that is not loaded",
				hunt->name);
	return 0;
}

static int not_found(struct probe_hunt *hunt)
{
	struct probe_define *define = hunt->define;
	const struct probe_place *place = &define->place;
	int err;

	if (place->module && !hunt->found_module)
		return dkt_fail(define->ctx, -ENOENT,
				"module %s is not loaded, or has no functions", place->module);
	if (hunt->by_address || place->is_glob)
		return dkt_fail(define->ctx, -ENOENT, "no function of the kernel%s%s %s",
				place->module ? " module " : "", place->module ? place->module : "",
				place->is_glob ? "matches" : "begins there");
	if (hunt->variant[0])
		return dkt_fail(
			define->ctx, -ENOENT,
			"%s exists only as a copy made by the compiler, perhaps with other arguments"
			"; name it %s",
			hunt->name, hunt->variant);
	err = inlined(hunt);
	if (err)
		return err;
	dkt__guess_start(&hunt->guess, hunt->name, strlen(hunt->name));
	dkt__symbols_each(define->ctx, guess_symbol, hunt);
	return dkt_fail(define->ctx, -ENOENT, "%s%s has no function '%s'%s",
			place->module ? "module " : "this kernel",
			place->module ? place->module : "", hunt->name,
			dkt__guess_words(&hunt->guess));
}

/* "0xffffffff81000000, nfsd:get_client" */
static int ambiguous(struct probe_hunt *hunt)
{
	char *list __cleanup(free) = NULL;
	bool hidden = false;
	size_t size, i;
	FILE *f = open_memstream(&list, &size);

	if (!f)
		return dkt__no_memory(hunt->define->ctx);
	for (i = 0; i < hunt->n && i < SHOWN; i++) {
		const struct probe_target *target = &hunt->found[i];

		hidden |= !target->address;
		fprintf(f, "%s", i ? ", " : "");
		if (target->module)
			fprintf(f, "%s:%s", target->module, target->name);
		else if (target->address)
			fprintf(f, "0x%llx", (unsigned long long)target->address);
		else
			fprintf(f, "one with its address hidden");
	}
	fprintf(f, "%s", i < hunt->n ? ", ..." : "");
	fclose(f);
	return dkt_fail(hunt->define->ctx, -ENOTUNIQ,
			"this kernel has %zu functions '%s'; choose by %s: %s", hunt->n, hunt->name,
			hidden ? "module or (with kernel.kptr_restrict=0) address" :
				 "module or address",
			list);
}

int dkt__probe_hunt(struct probe_hunt *hunt)
{
	struct probe_define *define = hunt->define;
	int err = dkt__with_words(define->ctx, dkt__symbols_each(define->ctx, try_symbol, hunt));

	if (err == -ENODATA || (!err && !hunt->any))
		return dkt_fail(define->ctx, -ENODATA, "the kernel's symbols cannot be read");
	if (!err && !hunt->n)
		err = not_found(hunt);
	if (!err && define->place.is_glob)
		err = dkt__probe_check_max(define, hunt->n, hunt->name);
	else if (!err && hunt->n > 1 && !hunt->by_address)
		err = ambiguous(hunt);
	if (!err)
		qsort(hunt->found, hunt->n, sizeof(*hunt->found), dkt__by_first_text);
	return err;
}
