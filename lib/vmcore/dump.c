/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of a dumped kernel for callers of the library, who know what a module keeps there. */
#include "lib/base/opts.h"
#include "lib/base/parse.h"
#include "lib/source.h"
#include "lib/vmcore/core.h"

struct dkt__dump {
	struct vm_core core;
	int modules_err; /* why symbols of modules are missing, or 0 */
};

static int open_dump(struct dkt__dump *dump, struct dkt_ctx *ctx, const struct dkt__file *file,
		     const char *vmlinux)
{
	int err = dkt__vm_core_open(&dump->core, ctx, file, vmlinux);

	if (err)
		return err;
	/* After another error the symbols of the other modules are there. */
	dump->modules_err = dkt__vm_module_symbols(&dump->core);
	return dump->modules_err == -ENOMEM ? -ENOMEM : 0;
}

int dkt__dump_open(struct dkt_ctx *ctx, const char *path, const struct dkt_source_opts *opts,
		   struct dkt__dump **dump)
{
	dkt__needs(ctx, dkt__clear(dump) && ctx && path);

	struct dkt_source_opts mine;
	int err = dkt__source_opts_take(ctx, &mine, opts);
	const char *name = mine.name ? mine.name : path;
	struct dkt__file file;

	if (!err)
		err = dkt__file_open(ctx, path, name, mine.fd, &file);
	if (err)
		return err;
	if (dkt__vm_form(file.data, file.size) == VM_NONE)
		return dkt_fail(ctx, -EINVAL, "open %s: not the dump of a kernel", name);
	*dump = calloc(1, sizeof(**dump));
	err = *dump ? open_dump(*dump, ctx, &file, mine.vmlinux) : -ENOMEM;
	if (err) {
		dkt__dump_close(*dump);
		*dump = NULL;
	}
	return dkt__with_words(ctx, err);
}

void dkt__dump_close(struct dkt__dump *dump)
{
	if (!dump)
		return;
	dkt__vm_core_clear(&dump->core);
	free(dump);
}

int dkt__dump_symbol(const struct dkt__dump *dump, const char *module, const char *name,
		     uint64_t *address)
{
	int err;

	dkt__needs(NULL, dump && name && address);
	if (!module)
		return dkt__vm_symbol(&dump->core, name, address);
	err = dkt__vm_module_symbol(&dump->core, module, name, address);
	return err == -ENOENT && dump->modules_err ? dump->modules_err : err;
}

int dkt__dump_read(const struct dkt__dump *dump, uint64_t address, void *bytes, size_t n)
{
	dkt__needs(NULL, dump && bytes);

	return dkt__vm_read(dump->core.memory, address, bytes, n);
}

int dkt__dump_size(const struct dkt__dump *dump, const char *name, uint64_t *size)
{
	uint32_t type;
	int err;

	dkt__needs(NULL, dump && name && size);
	err = dkt__vm_struct(&dump->core, name, &type);
	*size = err ? 0 : dkt__vm_size(&dump->core, type);
	return err;
}

/* Reads a variable of the kernel that holds an address. */
static int read_base(const struct vm_core *core, const char *name, uint64_t *value)
{
	uint64_t at;
	int err = dkt__vm_symbol(core, name, &at);

	return err ? err : dkt__vm_number(core->memory, at, sizeof(*value), value);
}

int dkt__dump_page(const struct dkt__dump *dump, uint64_t page, uint64_t *address, uint32_t *size)
{
	const struct vm_core *core;
	uint64_t map, direct, each, bytes;
	int err;

	dkt__needs(NULL, dump && address && size);
	core = &dump->core;
	if (strcmp(core->ctx->machine ? core->ctx->machine : "", "x86_64") != 0)
		return -EOPNOTSUPP;
	err = read_base(core, "vmemmap_base", &map);
	if (!err)
		err = read_base(core, "page_offset_base", &direct);
	if (!err)
		err = dkt__dump_size(dump, "page", &each);
	if (!err &&
	    (!dkt__vm_info_number(core->info, "PAGESIZE", DKT__DEC, &bytes) || bytes > 1u << 20))
		err = -EINVAL;
	if (!err && (!each || page < map || (page - map) % each))
		err = -EFAULT;
	*address = err ? 0 : direct + (page - map) / each * bytes;
	*size = err ? 0 : (uint32_t)bytes;
	return err;
}

const char *dkt__dump_why(int err)
{
	return dkt__vm_why(err);
}
