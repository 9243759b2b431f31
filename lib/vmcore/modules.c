/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The symbols of the kernel's modules. */
#include <elf.h>

#include "lib/vmcore/core.h"

#define MODULES_MAX 4096
#define SYMBOLS_MAX (4u << 20) /* of all modules */
#define NAME_MAX_   512

/* The tables of a module; their strings lie one after another. */
struct tables {
	uint64_t symbols, n, strings, types;
};

static int find_tables(const struct vm_core *core, struct vm_place module, struct tables *tables)
{
	const struct vm_wanted wanted[] = {
		{ "kallsyms->symtab", &tables->symbols },
		{ "kallsyms->num_symtab", &tables->n },
		{ "kallsyms->strtab", &tables->strings },
	};
	int err = dkt__vm_get_all(core, module, wanted, ARRAY_SIZE(wanted));

	/* Before 5.2 the type was kept in the symbol. */
	if (!err && dkt__vm_get(core, module, "kallsyms->typetab", &tables->types))
		tables->types = 0;
	return err;
}

static int put_symbol(struct vm_core *core, const struct tables *tables, uint64_t nr,
		      const char *module)
{
	char *name __cleanup(free) = NULL;
	uint64_t type = 't';
	Elf64_Sym symbol;
	int err = dkt__vm_read(core->memory, tables->symbols + nr * sizeof(symbol), &symbol,
			       sizeof(symbol));

	if (err || symbol.st_shndx == SHN_UNDEF)
		return err;
	if (tables->types)
		err = dkt__vm_number(core->memory, tables->types + nr, 1, &type);
	if (!err)
		err = dkt__vm_string(core->memory, tables->strings + symbol.st_name, NAME_MAX_,
				     &name);
	if (err || !*name || strpbrk(name, "\n\t ") || type <= ' ' || type >= 0x7f)
		return err == -E2BIG ? 0 : err;
	dkt__buf_hex(&core->symbols, symbol.st_value, 16, '0');
	dkt_buf_printf(&core->symbols, " %c %s\t[%s]\n", (char)type, name, module);
	return core->symbols.len > DKT__VM_SYMBOLS_MAX ? -E2BIG : core->symbols.err;
}

static int put_module(struct vm_core *core, struct vm_place module, uint64_t *left)
{
	char *name __cleanup(free) = NULL;
	struct tables tables;
	int err = dkt__vm_text(core, module, "name", 64, &name);

	if (!err)
		err = strpbrk(name, "\n\t []") ? -EINVAL : find_tables(core, module, &tables);
	if (!err && tables.n > *left)
		err = -E2BIG;
	*left -= err ? 0 : tables.n;
	for (uint64_t i = 1; !err && i < tables.n; i++)
		err = put_symbol(core, &tables, i, name);
	return err;
}

int dkt__vm_module_symbols(struct vm_core *core)
{
	struct vm_list list;
	struct vm_place module;
	uint64_t n = 0, left = SYMBOLS_MAX;
	int err = dkt__vm_walk(core, "modules", "module", &module, &list), bad = 0;

	if (err)
		return err;
	while (dkt__vm_list_next(&list, &module.at) && n++ < MODULES_MAX) {
		err = put_module(core, module, &left);
		if (err == -ENOMEM)
			return err;
		if (err)
			bad = err;
	}
	return list.err ? list.err : bad;
}
