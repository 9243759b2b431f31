/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds what describes a kernel: VMCOREINFO, its symbols and its types. */
#include "lib/vmcore/core.h"
#include "lib/base/parse.h"
#include "lib/debuginfo/binary.h"

/* ---- VMCOREINFO ---- */

bool dkt__vm_info(const char *info, const char *key, char *value, size_t size)
{
	size_t n = strlen(key), len;

	*value = '\0';
	for (const char *line = info; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, n) || line[n] != '=')
			continue;
		len = strcspn(line + n + 1, "\n");
		if (len >= size)
			return false;
		memcpy(value, line + n + 1, len);
		value[len] = '\0';
		return true;
	}
	return false;
}

bool dkt__vm_info_number(const char *info, const char *key, unsigned int base, uint64_t *number)
{
	char value[20];

	return dkt__vm_info(info, key, value, sizeof(value)) &&
	       !dkt__parse_u64(value, base, number);
}

bool dkt__vm_info_symbol(const char *info, const char *name, uint64_t *address)
{
	char key[80];

	snprintf(key, sizeof(key), "SYMBOL(%s)", name);
	return dkt__vm_info_number(info, key, DKT__HEX, address);
}

/* ---- symbols ---- */

/* "ffffffff81000000 t name" */
#define NAME_AT 19

/* Finds the line that ends with these bytes. */
static int find_line(const struct vm_core *core, const char *bytes, uint64_t *address)
{
	const char *found = core->symbols.len ? memmem(core->symbols.data, core->symbols.len, bytes,
						       strlen(bytes)) :
						NULL;
	const char *line;

	*address = 0;
	if (!found || found - core->symbols.data < NAME_AT - 1)
		return -ENOENT;
	line = found - (NAME_AT - 1);
	return dkt__take_u64(&line, NULL, DKT__HEX, address) ? -ENOENT : 0;
}

int dkt__vm_symbol(const struct vm_core *core, const char *name, uint64_t *address)
{
	char line[80];

	snprintf(line, sizeof(line), " %s\n", name);
	if (!find_line(core, line, address))
		return 0;
	return dkt__vm_info_symbol(core->info, name, address) ? 0 : -ENOENT;
}

int dkt__vm_module_symbol(const struct vm_core *core, const char *module, const char *name,
			  uint64_t *address)
{
	char line[160];

	snprintf(line, sizeof(line), " %s\t[%s]\n", name, module);
	return find_line(core, line, address);
}

/* ---- types ---- */

/* The kernel's own description; 5 to 15 MB. */
#define BTF_MAX (UINT64_C(64) << 20)

static int load_btf(struct vm_core *core)
{
	uint8_t *bytes __cleanup(free) = NULL;
	uint64_t start, stop;
	int err = dkt__vm_symbol(core, "__start_BTF", &start);

	if (!err)
		err = dkt__vm_symbol(core, "__stop_BTF", &stop);
	if (!err && (stop <= start || stop - start > BTF_MAX))
		err = -EINVAL;
	if (!err)
		err = dkt__vm_bytes(core->memory, start, stop - start, &bytes);
	if (err)
		return err;
	err = dkt__btf_parse(core->ctx, bytes, stop - start, NULL, &core->btf);
	if (!err)
		core->types = dkt__btf_types(core->btf);
	return err;
}

static int need_vmlinux(struct vm_core *core, const char *what, int err)
{
	char release[80];

	dkt__vm_info(core->info, "OSRELEASE", release, sizeof(release));
	if (err == -ENOMEM)
		return dkt__no_memory(core->ctx);
	return dkt_fail(core->ctx, -EOPNOTSUPP,
			"read %s: the dump of kernel %s does not give %s (%s); name the kernel's "
			"vmlinux with debug information with --vmlinux",
			core->name, release, what, dkt__vm_why(err));
}

static int fill(struct vm_core *core, const char *vmlinux)
{
	int err = vmlinux ? dkt__vm_vmlinux_check(core, vmlinux) : 0;

	if (err)
		return err;
	err = dkt__vm_kallsyms(core);
	if (err && vmlinux) {
		core->symbols.len = 0;
		err = dkt__vm_vmlinux_symbols(core, vmlinux);
		if (err)
			return err;
	}
	if (err)
		return need_vmlinux(core, "its symbols", err);
	err = load_btf(core);
	if (err && vmlinux)
		return dkt__vm_vmlinux_types(core, vmlinux);
	return err ? need_vmlinux(core, "its types", err) : 0;
}

int dkt__vm_core_open(struct vm_core *core, struct dkt_ctx *ctx, const struct dkt__file *file,
		      const char *vmlinux)
{
	int err;

	*core = (struct vm_core){ .ctx = ctx, .name = file->name };
	err = dkt__vm_image_open(ctx, file, &core->image);
	if (err)
		return err;
	core->memory = &core->image->memory;
	core->info = core->image->info;
	ctx->big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	ctx->long_size = sizeof(uint64_t);
	err = fill(core, vmlinux);
	return err ? dkt__vm_core_fail_in(core, file, err) : 0;
}

bool dkt__vm_core_cut(const struct vm_core *core)
{
	return core->image && core->image->cut;
}

int dkt__vm_core_fail_in(const struct vm_core *core, const struct dkt__file *file, int err)
{
	if (dkt__vm_core_cut(core))
		return dkt__fail_in(core->ctx, err, "the file is truncated at byte %llu",
				    (unsigned long long)file->whole);
	if (core->image && dkt__vm_kdump_is_part(core->image->fd))
		return dkt__fail_in(core->ctx, err,
				    "the file is a part of a dump; makedumpfile --reassemble puts"
				    " the parts together");
	return err;
}

void dkt__vm_core_clear(struct vm_core *core)
{
	dkt__vm_image_close(core->image);
	dkt__btf_free(core->btf);
	dkt__binary_close(core->binary);
	free(core->symbols.data);
}
