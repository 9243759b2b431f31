/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads ELF files with libdwfl: their functions, and the offsets of the code in the file. */
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "lib/debuginfo/binary.h"
#include "lib/debuginfo/dwarf_index.h"
#include "lib/debuginfo/find_debug.h"

#define DEBUG_PLACE "/usr/lib/debug"

/* ---- opening ---- */

static bool same_build(Elf *a, Elf *b)
{
	const void *id_a, *id_b;
	ssize_t n_a = dwelf_elf_gnu_build_id(a, &id_a), n_b = dwelf_elf_gnu_build_id(b, &id_b);

	/* A file without an ID may be of the same build. */
	return n_a <= 0 || n_b <= 0 || (n_a == n_b && !memcmp(id_a, id_b, (size_t)n_a));
}

bool dkt__binary_is_build(const struct dkt__binary *binary, const uint8_t *id, size_t n)
{
	const void *own;
	ssize_t n_own = dwelf_elf_gnu_build_id(binary->elf, &own);

	return n_own > 0 && (size_t)n_own == n && !memcmp(own, id, n);
}

/* dwfl calls this for a module's debug information: the user's file, or the one that dwfl finds. */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **out)
{
	struct dkt__binary *binary = *data;

	(void)name;
	(void)base;
	if (!binary || !binary->debug_file)
		return dkt__find_debug(module, binary ? binary->debug_path : NULL, file, link, crc,
				       out);
	*out = strdup(binary->debug_file);
	return *out ? open(binary->debug_file, O_RDONLY | O_CLOEXEC) : -1;
}

/* The file is open already; dwfl's own callback would ask servers for it. */
static int no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **found,
		  Elf **elf)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)found;
	(void)elf;
	return -1;
}

/* A file that the user names must exist and be from the same build. */
static int check_debug_file(struct dkt__binary *binary)
{
	int fd __cleanup(close) = -1;
	bool same;
	Elf *elf;

	if (!binary->debug_file)
		return 0;
	fd = open(binary->debug_file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return dkt_fail(binary->ctx, -errno, "open %s: %s", binary->debug_file,
				strerror(errno));
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return dkt_fail(binary->ctx, -ENOEXEC, "%s is not an ELF file", binary->debug_file);
	}
	same = same_build(binary->elf, elf);
	elf_end(elf);
	return same ? 0 :
		      dkt_fail(binary->ctx, -EINVAL, "%s is from another build than %s",
			       binary->debug_file, binary->path);
}

static int set_debug_path(struct dkt__binary *binary, const char *root)
{
	binary->debug_path = dkt__format(":.debug:%s%s" DEBUG_PLACE, root ? root : "",
					 root ? DEBUG_PLACE ":" : "");
	return binary->debug_path ? 0 : dkt__no_memory(binary->ctx);
}

/* A FIFO would block, and the error of a directory would be misleading. */
static int check_file(struct dkt_ctx *ctx, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return dkt_fail(ctx, -errno, "open %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return dkt_fail(ctx, -ENOEXEC, "%s is not a program: not a regular file", path);
	return 0;
}

static void set_machine(struct dkt__binary *binary)
{
	GElf_Ehdr header;

	binary->machine = DKT__OTHER;
	if (!gelf_getehdr(binary->elf, &header) || gelf_getclass(binary->elf) != ELFCLASS64)
		return;
	if (header.e_machine == EM_X86_64)
		binary->machine = DKT__X86_64;
	else if (header.e_machine == EM_AARCH64)
		binary->machine = DKT__ARM64;
}

static int open_module(struct dkt__binary *binary)
{
	void **data;
	GElf_Addr bias;

	binary->callbacks = (Dwfl_Callbacks){ .find_elf = no_elf,
					      .find_debuginfo = find_debuginfo,
					      .section_address = dwfl_offline_section_address,
					      .debuginfo_path = &binary->debug_path };
	binary->dwfl = dwfl_begin(&binary->callbacks);
	if (binary->dwfl)
		binary->module = dwfl_report_offline(binary->dwfl, "", binary->path, -1);
	if (binary->module) {
		dwfl_report_end(binary->dwfl, NULL, NULL);
		dwfl_module_info(binary->module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
		*data = binary;
		binary->elf = dwfl_module_getelf(binary->module, &bias);
	}
	if (!binary->elf)
		return dkt_fail(binary->ctx, -ENOEXEC, "%s is not a program: %s", binary->path,
				dwfl_errmsg(-1));
	binary->bias = bias;
	set_machine(binary);
	return 0;
}

int dkt__binary_open(struct dkt_ctx *ctx, const char *path, const char *debug_file,
		     const char *root, struct dkt__binary **out)
{
	struct dkt__binary *binary = calloc(1, sizeof(*binary));
	int err = binary ? check_file(ctx, path) : dkt__no_memory(ctx);

	*out = NULL;
	if (!err) {
		binary->ctx = ctx;
		binary->path = strdup(path);
		binary->debug_file = debug_file ? strdup(debug_file) : NULL;
		dkt__dwarf_types_init(binary);
		err = !binary->path || (debug_file && !binary->debug_file) ? dkt__no_memory(ctx) :
									     0;
	}
	if (!err)
		err = set_debug_path(binary, root);
	if (!err)
		err = open_module(binary);
	if (!err)
		err = check_debug_file(binary);
	if (err) {
		dkt__binary_close(binary);
		return err;
	}
	*out = binary;
	return 0;
}

void dkt__binary_close(struct dkt__binary *binary)
{
	if (!binary)
		return;
	if (binary->dwfl)
		dwfl_end(binary->dwfl);
	for (size_t i = 0; i < binary->n_plt_names; i++)
		free(binary->plt_names[i]);
	free(binary->plt_names);
	free(binary->places);
	free(binary->dies);
	dkt__dwarf_index_free(binary->index);
	free(binary->debug_path);
	free(binary->debug_file);
	free(binary->path);
	free(binary);
}

/* ---- functions ---- */

/* False: not a function of this file. */
static bool read_symbol(struct dkt__binary *binary, int i, struct binary_symbol *symbol)
{
	GElf_Sym sym;
	GElf_Addr address;
	GElf_Word section;
	const char *name =
		dwfl_module_getsym_info(binary->module, i, &sym, &address, &section, NULL, NULL);
	int type = GELF_ST_TYPE(sym.st_info);

	if (!name || !*name || section == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC))
		return false;
	*symbol = (struct binary_symbol){ .name = name,
					  .address = address,
					  .size = sym.st_size,
					  .chosen_late = type == STT_GNU_IFUNC };
	return true;
}

int dkt__binary_functions(struct dkt__binary *binary,
			  int (*fn)(void *data, const struct binary_symbol *symbol), void *data)
{
	struct binary_symbol symbol;
	int end = 0;

	if (!binary->n_symbols)
		binary->n_symbols = dwfl_module_getsymtab(binary->module);
	/* Symbol 0 is reserved. */
	for (int i = 1; !end && i < binary->n_symbols; i++)
		if (read_symbol(binary, i, &symbol))
			end = fn(data, &symbol);
	return end;
}

struct find {
	const char *name;
	struct binary_symbol *found;
	size_t n; /* of different addresses */
	size_t functions;
	char *offsets; /* text of out, for the error message */
	size_t size;
	FILE *out;
	struct dkt__binary *binary;
	struct dkt__guess guess;
	const char *variant; /* NAME.constprop.0: a copy made by the compiler */
};

/* Names in a symbol table may end in a version: memcpy@@GLIBC_2.14 */
static bool same_name(const char *symbol, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(symbol, name, n) && (!symbol[n] || symbol[n] == '@');
}

static int match(void *data, const struct binary_symbol *symbol)
{
	struct find *find = data;
	uint64_t offset;

	find->functions++;
	if (!same_name(symbol->name, find->name)) {
		if (!strncmp(symbol->name, find->name, strlen(find->name)) &&
		    symbol->name[strlen(find->name)] == '.' && !strstr(symbol->name, ".cold"))
			find->variant = symbol->name;
		return 0;
	}
	if (find->n && find->found->address == symbol->address)
		return 0;
	if (!dkt__binary_offset(find->binary, symbol->address, &offset) && find->out)
		fprintf(find->out, "%s0x%llx", find->n ? ", " : "", (unsigned long long)offset);
	if (!find->n++)
		*find->found = *symbol;
	return 0;
}

static int guess_one(void *data, const struct binary_symbol *symbol)
{
	struct find *find = data;

	dkt__guess_try(&find->guess, symbol->name);
	return 0;
}

static int no_function(struct find *find)
{
	struct dkt__binary *binary = find->binary;

	if (!find->functions)
		return dkt_fail(binary->ctx, -ENOENT,
				"%s has no symbols of functions, and no file with them was found;"
				" give an offset in the file: 0x1234",
				binary->path);
	if (find->variant)
		return dkt_fail(
			binary->ctx, -ENXIO,
			"%s of %s exists only as a copy made by the compiler, perhaps with other"
			" arguments; name it %s",
			find->name, binary->path, find->variant);
	dkt__guess_start(&find->guess, find->name, strlen(find->name));
	dkt__binary_functions(binary, guess_one, find);
	return dkt_fail(binary->ctx, -ENOENT, "%s has no function '%s'%s", binary->path, find->name,
			dkt__guess_words(&find->guess));
}

int dkt__binary_function(struct dkt__binary *binary, const char *name, struct binary_symbol *symbol)
{
	struct find find = { .name = name, .found = symbol, .binary = binary };
	int err = 0;

	find.out = open_memstream(&find.offsets, &find.size);
	dkt__binary_functions(binary, match, &find);
	if (find.out)
		fclose(find.out);
	if (!find.n)
		err = no_function(&find);
	else if (find.n > 1)
		err = dkt_fail(binary->ctx, -ENOTUNIQ,
			       "%s has %zu functions '%s'; give one of their offsets: %s",
			       binary->path, find.n, name, find.offsets ? find.offsets : "");
	else if (symbol->chosen_late)
		err = dkt_fail(binary->ctx, -EINVAL,
			       "'%s' of %s only chooses at run time which function serves (IFUNC);"
			       " a glob finds these: '*%s_*'",
			       name, binary->path, name);
	free(find.offsets);
	return err;
}

/* ---- places in the file ---- */

/* Finds the segment that has the address, or with by_offset the offset; with code, only code. */
static int find_segment(struct dkt__binary *binary, uint64_t where, bool by_offset, bool code,
			GElf_Phdr *found)
{
	size_t n;

	if (elf_getphdrnum(binary->elf, &n))
		return -ERANGE;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		uint64_t from;

		if (!gelf_getphdr(binary->elf, (int)i, found) || found->p_type != PT_LOAD ||
		    (code && !(found->p_flags & PF_X)))
			continue;
		from = by_offset ? found->p_offset : found->p_vaddr;
		if (where >= from && where - from < found->p_filesz)
			return 0;
	}
	return -ERANGE;
}

static bool within_file(struct dkt__binary *binary, uint64_t offset)
{
	struct stat st;

	return !stat(binary->path, &st) && offset < (uint64_t)st.st_size;
}

static int file_offset(struct dkt__binary *binary, uint64_t address, bool code, uint64_t *offset)
{
	GElf_Phdr segment;
	uint64_t place = address - binary->bias;

	if (find_segment(binary, place, false, code, &segment) ||
	    __builtin_add_overflow(place - segment.p_vaddr, segment.p_offset, offset) ||
	    !within_file(binary, *offset))
		return dkt_fail(binary->ctx, -ERANGE, "0x%llx is not in the %s of %s",
				(unsigned long long)place, code ? "code" : "data", binary->path);
	return 0;
}

int dkt__binary_offset(struct dkt__binary *binary, uint64_t address, uint64_t *offset)
{
	return file_offset(binary, address, true, offset);
}

int dkt__binary_data_offset(struct dkt__binary *binary, uint64_t address, uint64_t *offset)
{
	return file_offset(binary, address, false, offset);
}

int dkt__binary_find_address(struct dkt__binary *binary, uint64_t offset, uint64_t *address)
{
	GElf_Phdr segment;

	if (find_segment(binary, offset, true, true, &segment))
		return -ERANGE;
	*address = offset - segment.p_offset + segment.p_vaddr + binary->bias;
	return 0;
}

int dkt__binary_address(struct dkt__binary *binary, uint64_t offset, uint64_t *address)
{
	if (!within_file(binary, offset) || dkt__binary_find_address(binary, offset, address))
		return dkt_fail(binary->ctx, -ERANGE, "offset 0x%llx is not in the code of %s",
				(unsigned long long)offset, binary->path);
	return 0;
}

const char *dkt__binary_debug_path(struct dkt__binary *binary)
{
	const char *program, *debug;
	Dwarf_Addr bias;

	if (!dwfl_module_getdwarf(binary->module, &bias))
		return NULL;
	dwfl_module_info(binary->module, NULL, NULL, NULL, NULL, NULL, &program, &debug);
	return debug && (!program || strcmp(program, debug) != 0) ? debug : NULL;
}

Dwarf *dkt__binary_dwarf(struct dkt__binary *binary, uint64_t *bias)
{
	GElf_Addr dwarf_bias;
	Dwarf *dwarf = dwfl_module_getdwarf(binary->module, &dwarf_bias);

	if (!dwarf) {
		dkt_fail(binary->ctx, -ENODATA, "%s has no debug information (%s)", binary->path,
			 dwfl_errmsg(-1));
		return NULL;
	}
	*bias = dwarf_bias;
	return dwarf;
}
