/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of a dumped kernel: is it the same kernel, and its symbols and types. */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>

#include "lib/base/parse.h"
#include "lib/debuginfo/binary.h"
#include "lib/vmcore/core.h"

struct kernel_file {
	Elf *elf;
	int fd;
};

static int file_open(struct dkt_ctx *ctx, const char *path, struct kernel_file *file)
{
	int err;

	*file = (struct kernel_file){ .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	if (file->fd < 0)
		return dkt_fail(ctx, -errno, "open %s: %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	if (file->elf && elf_kind(file->elf) == ELF_K_ELF && gelf_getclass(file->elf) == ELFCLASS64)
		return 0;
	err = dkt_fail(ctx, -ENOEXEC,
		       "%s is not a vmlinux: not a 64-bit ELF file (a vmlinuz is packed and has no "
		       "debug information)",
		       path);
	elf_end(file->elf);
	close(file->fd);
	return err;
}

static void file_close(struct kernel_file *file)
{
	elf_end(file->elf);
	close(file->fd);
}

/* ---- is it the same kernel ---- */

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

int dkt__vm_vmlinux_check(struct vm_core *core, const char *path)
{
	char release[80], build[82], own_release[80], own_build[82];
	struct kernel_file file;
	bool same;
	int err = file_open(core->ctx, path, &file);

	if (err)
		return err;
	get_release(file.elf, release, sizeof(release));
	get_build(file.elf, build, sizeof(build));
	file_close(&file);
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

/* ---- symbols ---- */

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

int dkt__vm_vmlinux_symbols(struct vm_core *core, const char *path)
{
	struct kernel_file file;
	uint64_t offset; /* from the addresses in the file to those in memory */
	Elf_Scn *section;
	Elf_Data *data;
	GElf_Shdr head;
	GElf_Sym symbol;
	int err = file_open(core->ctx, path, &file);

	if (err)
		return err;
	if (!dkt__vm_info_number(core->info, "KERNELOFFSET", DKT__HEX, &offset))
		offset = 0;
	section = find_section(file.elf, SHT_SYMTAB, NULL, &head);
	data = section ? elf_getdata(section, NULL) : NULL;
	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++)
		put_symbol(core, &symbol, elf_strptr(file.elf, head.sh_link, symbol.st_name),
			   offset);
	file_close(&file);
	if (core->symbols.err)
		return dkt__no_memory(core->ctx);
	return core->symbols.len ? 0 : dkt_fail(core->ctx, -EOPNOTSUPP, "%s has no symbols", path);
}

/* ---- types ---- */

static int parse_btf(struct vm_core *core, Elf *elf)
{
	GElf_Shdr head;
	Elf_Scn *section = find_section(elf, 0, ".BTF", &head);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;

	if (!data || !data->d_buf)
		return -ENOENT;
	return dkt__btf_parse(core->ctx, data->d_buf, data->d_size, NULL, &core->btf);
}

int dkt__vm_vmlinux_types(struct vm_core *core, const char *path)
{
	struct kernel_file file;
	uint32_t type;
	int err = file_open(core->ctx, path, &file);

	if (err)
		return err;
	err = parse_btf(core, file.elf);
	file_close(&file);
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
