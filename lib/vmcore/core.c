/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds what describes a kernel: VMCOREINFO, its symbols and its types, in the dump or in the file of the
 * dumped kernel.
 */
#include "lib/vmcore/core.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>

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

/* ---- the kernel's file: is it the same kernel ---- */

#define BANNER "Linux version "

/* Copies the release from the kernel's banner; "unknown": none. */
static void get_release(Elf *elf, char *release, size_t size)
{
	size_t n, len;
	const char *bytes = elf_rawfile(elf, &n), *found;

	snprintf(release, size, "unknown");
	for (; bytes; n -= (size_t)(found + 1 - bytes), bytes = found + 1) {
		found = memmem(bytes, n, BANNER, strlen(BANNER));
		if (!found)
			return;
		len = strnlen(found, n - (size_t)(found - bytes)) - strlen(BANNER);
		found += strlen(BANNER);
		len = DKT__MIN(len, size - 1);
		/* Other strings begin with these words: the release of a kernel is a number. */
		if (!len || *found < '0' || *found > '9')
			continue;
		snprintf(release, size, "%.*s", (int)len, found);
		release[strcspn(release, " ")] = '\0';
		return;
	}
}

static void get_build(Elf *elf, char *build, size_t size)
{
	const void *id;
	ssize_t n = dwelf_elf_gnu_build_id(elf, &id);

	*build = '\0';
	for (ssize_t i = 0; i < n && (size_t)i < (size - 1) / 2; i++)
		snprintf(build + 2 * i, 3, "%02x", ((const uint8_t *)id)[i]);
}

static int check(struct vm_core *core, const char *path, Elf *elf)
{
	char release[80], build[82], own_release[80], own_build[82];
	bool same;

	get_release(elf, release, sizeof(release));
	get_build(elf, build, sizeof(build));
	dkt__vm_info(core->info, "OSRELEASE", own_release, sizeof(own_release));
	dkt__vm_info(core->info, "BUILD-ID", own_build, sizeof(own_build));
	same = *build && *own_build ? !strcmp(build, own_build) : !strcmp(release, own_release);
	if (same)
		return 0;
	return dkt_fail(
		core->ctx, -EINVAL,
		"%s is of another kernel than the dump %s: it is %s (build %s), the dump of "
		"%s (build %s)",
		path, core->name, release, *build ? build : "unknown", own_release,
		*own_build ? own_build : "unknown");
}

/* ---- the file's symbols ---- */

static Elf_Scn *find_section(Elf *elf, uint32_t type, const char *name, GElf_Shdr *head)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *is;

		if (!gelf_getshdr(section, head))
			continue;
		is = name ? elf_strptr(elf, names, head->sh_name) : NULL;
		if (name ? is && !strcmp(is, name) : head->sh_type == type)
			return section;
	}
	return NULL;
}

static void put_symbol(struct vm_core *core, const GElf_Sym *symbol, const char *name,
		       uint64_t offset)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	if (!name || !*name || strpbrk(name, "\n\t ") || symbol->st_shndx == SHN_UNDEF ||
	    symbol->st_shndx == SHN_ABS || type == STT_SECTION || type == STT_FILE)
		return;
	dkt__buf_hex(&core->symbols, symbol->st_value + offset, 16, '0');
	dkt_buf_str(&core->symbols, type == STT_FUNC ? " t " : " d ");
	dkt_buf_str(&core->symbols, name);
	dkt_buf_str(&core->symbols, "\n");
}

static int put_symbols(struct vm_core *core, const char *path, Elf *elf)
{
	uint64_t offset; /* from the addresses in the file to those in memory */
	GElf_Shdr head;
	Elf_Scn *section = find_section(elf, SHT_SYMTAB, NULL, &head);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	GElf_Sym symbol;

	if (!dkt__vm_info_number(core->info, "KERNELOFFSET", DKT__HEX, &offset))
		offset = 0;
	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++)
		put_symbol(core, &symbol, elf_strptr(elf, head.sh_link, symbol.st_name), offset);
	if (core->symbols.err)
		return dkt__no_memory(core->ctx);
	return core->symbols.len ? 0 : dkt_fail(core->ctx, -EOPNOTSUPP, "%s has no symbols", path);
}

/* ---- the file's types ---- */

static int parse_btf(struct vm_core *core, Elf *elf)
{
	GElf_Shdr head;
	Elf_Scn *section = find_section(elf, 0, ".BTF", &head);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;

	if (!data || !data->d_buf)
		return -ENOENT;
	return dkt__btf_parse(core->ctx, data->d_buf, data->d_size, NULL, &core->btf);
}

static int find_types(struct vm_core *core, const char *path, Elf *elf)
{
	uint32_t type;
	int err = parse_btf(core, elf);

	if (!err) {
		core->types = dkt__btf_types(core->btf);
		return 0;
	}
	err = dkt__binary_open(core->ctx, path, NULL, NULL, &core->binary);
	if (err)
		return err;
	core->types = &core->binary->types;
	err = dkt__vm_struct(core, "trace_array", &type);
	return err ? dkt_fail(core->ctx, -EOPNOTSUPP,
			      "%s has no description of the kernel's types: neither BTF nor DWARF",
			      path) :
		     0;
}

/* ---- opening ---- */

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

static int open_vmlinux(struct dkt_ctx *ctx, const char *path, int *fd, Elf **elf)
{
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0)
		return dkt_fail(ctx, -errno, "open %s: %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	*elf = elf_begin(*fd, ELF_C_READ_MMAP, NULL);
	if (*elf && elf_kind(*elf) == ELF_K_ELF && gelf_getclass(*elf) == ELFCLASS64)
		return 0;
	return dkt_fail(
		ctx, -ENOEXEC,
		"%s is not a vmlinux: not a 64-bit ELF file (a vmlinuz is packed and has no "
		"debug information)",
		path);
}

static int fill(struct vm_core *core, const char *vmlinux, Elf *elf)
{
	int err = elf ? check(core, vmlinux, elf) : 0;

	if (err)
		return err;
	err = dkt__vm_kallsyms(core);
	if (err && elf) {
		core->symbols.len = 0;
		err = put_symbols(core, vmlinux, elf);
		if (err)
			return err;
	}
	if (err)
		return need_vmlinux(core, "its symbols", err);
	err = load_btf(core);
	if (err && elf)
		return find_types(core, vmlinux, elf);
	return err ? need_vmlinux(core, "its types", err) : 0;
}

int dkt__vm_core_open(struct vm_core *core, struct dkt_ctx *ctx, const struct dkt__file *file,
		      const char *vmlinux)
{
	int fd __cleanup(close) = -1;
	Elf *elf = NULL;
	int err;

	*core = (struct vm_core){ .ctx = ctx, .name = file->name };
	err = dkt__vm_image_open(ctx, file, &core->image);
	if (err)
		return err;
	core->memory = &core->image->memory;
	core->info = core->image->info;
	ctx->big_endian = DKT__BIG_ENDIAN;
	ctx->long_size = sizeof(uint64_t);
	err = vmlinux ? open_vmlinux(ctx, vmlinux, &fd, &elf) : 0;
	if (!err)
		err = fill(core, vmlinux, elf);
	elf_end(elf);
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
