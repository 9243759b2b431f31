/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the code of source lines, and the places where functions were inlined, in DWARF. */
#include <dwarf.h>

#include "lib/debuginfo/dwarf_line.h"
#include "lib/debuginfo/dwarf_place.h"

struct lines {
	struct dkt__binary *binary;
	const char *file; /* to find */
	int line;
	struct dwarf_line *found;
	size_t n;
	int next; /* the next line that has code, 0: none */
	bool found_file;
	uint64_t from, to; /* the range of addresses to search */
	const char *last; /* the last file that was compared */
	bool last_is; /* the file matched */
};

/* "super.c" and "ext4/super.c" match "fs/ext4/super.c". */
static bool is_file(struct lines *lines, const char *path)
{
	size_t n = strlen(lines->file), len;

	/* Rows of a table share the strings. */
	if (path == lines->last)
		return lines->last_is;
	len = strlen(path);
	lines->last = path;
	lines->last_is = len >= n && !strcmp(path + len - n, lines->file) &&
			 (len == n || path[len - n - 1] == '/' || lines->file[0] == '/');
	return lines->last_is;
}

/* Keeps the lowest address in each function. */
static int add_line(struct lines *lines, uint64_t address, uint64_t function)
{
	for (size_t i = 0; i < lines->n; i++) {
		if (lines->found[i].function != function)
			continue;
		if (address < lines->found[i].address)
			lines->found[i].address = address;
		return 0;
	}
	return dkt__append(lines->found, lines->n,
			   (struct dwarf_line){ .address = address, .function = function });
}

static int look_at_row(struct lines *lines, Dwarf_Line *row, uint64_t bias)
{
	struct binary_symbol symbol;
	const char *path = dwarf_linesrc(row, NULL, NULL);
	Dwarf_Addr address;
	bool begins = false, ends = false;
	int line = 0;

	if (!path || !is_file(lines, path) || dwarf_lineno(row, &line) ||
	    dwarf_lineaddr(row, &address) || dwarf_linebeginstatement(row, &begins) ||
	    dwarf_lineendsequence(row, &ends))
		return 0;
	lines->found_file = true;
	address += bias;
	if (!begins || ends || address < lines->from || address >= lines->to)
		return 0;
	if (line > lines->line && (!lines->next || line < lines->next))
		lines->next = line;
	if (line != lines->line)
		return 0;
	dkt__binary_at(lines->binary, address, &symbol);
	return add_line(lines, address, symbol.name ? symbol.address : 0);
}

static int look_through(struct lines *lines)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;
	Dwarf_Lines *rows;
	size_t n;
	int err = 0;

	while (!err && (unit = dwfl_module_nextcu(lines->binary->module, unit, &bias))) {
		if (dwarf_getsrclines(unit, &rows, &n))
			continue;
		for (size_t i = 0; !err && i < n; i++)
			err = look_at_row(lines, dwarf_onesrcline(rows, i), bias);
	}
	return err;
}

static int by_address(const void *a, const void *b)
{
	const struct dwarf_line *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* In DWARF 5 the first file has the number 0, which libdw takes for no file. */
static const char *decl_file(Dwarf_Die *die)
{
	const char *file = dwarf_decl_file(die);
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word number;
	Dwarf_Die unit;
	size_t n;

	if (file || !dwarf_attr_integrate(die, DW_AT_decl_file, &attr) ||
	    dwarf_formudata(&attr, &number) || number || !dwarf_diecu(die, &unit, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &n) || !n)
		return file;
	return dwarf_filesrc(files, 0, NULL, NULL);
}

/* Sets the file, line and address range from a function. */
static int start_at_function(struct lines *lines, const char *name)
{
	struct dkt__binary *binary = lines->binary;
	struct binary_symbol symbol;
	struct dwarf_place place;
	Dwarf_Addr from, to;
	int line, err = dkt__binary_function(binary, name, &symbol);

	if (!err)
		err = dkt__dwarf_place(binary, symbol.address, &place);
	if (err)
		return err;
	lines->file = decl_file(&place.function);
	if (!lines->file || dwarf_decl_line(&place.function, &line))
		err = dkt_fail(binary->ctx, -ENODATA, "the source of %s is unknown", name);
	else
		lines->line += line;
	/* The function's name can be on another line than its first instruction. */
	if (!err && lines->line == line)
		err = add_line(lines, symbol.address, symbol.address);
	if (!err && !dwarf_lowpc(&place.function, &from) && !dwarf_highpc(&place.function, &to)) {
		lines->from = from + place.bias;
		lines->to = to + place.bias;
	}
	dkt__dwarf_place_clear(&place);
	return err;
}

struct search {
	const char *name;
	const char *file;
	int line;
};

static int try_inlined(Dwarf_Die *die, void *data)
{
	struct search *search = data;
	const char *name = dwarf_diename(die);

	if (!name || strcmp(name, search->name) || !dwarf_func_inline(die) ||
	    dwarf_decl_line(die, &search->line))
		return DWARF_CB_OK;
	search->file = decl_file(die);
	return search->file ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* The same for a function that was inlined. If it is not found, err and its message stand. */
static int start_at_inlined(struct lines *lines, const char *name, int err)
{
	struct search search = { .name = name };
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	while (!search.file && (unit = dwfl_module_nextcu(lines->binary->module, unit, &bias)))
		dwarf_getfuncs(unit, try_inlined, &search, 0);
	if (!search.file)
		return err;
	lines->file = search.file;
	lines->line += search.line;
	return 0;
}

static int no_line(const struct lines *lines, const char *file)
{
	struct dkt_ctx *ctx = lines->binary->ctx;

	if (!lines->found_file)
		return dkt_fail(ctx, -ENOENT, "%s was not compiled from a source '%s'",
				lines->binary->path, file);
	if (!lines->next)
		return dkt_fail(ctx, -ENOENT, "there is no code at line %d of %s or after it",
				lines->line, lines->file);
	return dkt_fail(ctx, -ENOENT, "there is no code at line %d of %s; the next is at line %d",
			lines->line, lines->file, lines->next);
}

int dkt__dwarf_lines(struct dkt__binary *binary, const char *file, const char *function, int line,
		     struct dwarf_line **out, size_t *n)
{
	struct lines lines = { .binary = binary, .file = file, .line = line, .to = UINT64_MAX };
	uint64_t bias;
	int err = dkt__binary_dwarf(binary, &bias) ? 0 : -ENODATA;

	*out = NULL;
	*n = 0;
	if (!err && function)
		err = start_at_function(&lines, function);
	if (err && function)
		err = start_at_inlined(&lines, function, err);
	if (!err && !lines.n)
		err = look_through(&lines);
	if (!err && !lines.n)
		err = no_line(&lines, file ? file : lines.file);
	if (err) {
		free(lines.found);
		return err;
	}
	qsort(lines.found, lines.n, sizeof(*lines.found), by_address);
	*out = lines.found;
	*n = lines.n;
	return 0;
}

/* ---- inlined functions ---- */

#define INLINED_SHOWN 8

struct inlined {
	struct dkt__binary *binary;
	const char *name;
	FILE *out;
	uint64_t bias;
	uint64_t last; /* the last function listed */
	size_t n;
	bool found;
};

static int one_instance(Dwarf_Die *die, void *data)
{
	struct inlined *inlined = data;
	struct binary_symbol symbol;
	Dwarf_Addr address, base, end;

	/* Code in several pieces may have no entry: use the first piece. */
	if (dwarf_entrypc(die, &address) && dwarf_ranges(die, 0, &base, &address, &end) <= 0)
		return DWARF_CB_OK;
	dkt__binary_at(inlined->binary, address + inlined->bias, &symbol);
	if (!symbol.name || symbol.address == inlined->last)
		return DWARF_CB_OK;
	inlined->last = symbol.address;
	if (inlined->n < INLINED_SHOWN)
		fprintf(inlined->out, "%s%s", inlined->n ? ", " : "", symbol.name);
	else if (inlined->n == INLINED_SHOWN)
		fprintf(inlined->out, ", ...");
	inlined->n++;
	return DWARF_CB_OK;
}

static int one_function(Dwarf_Die *die, void *data)
{
	struct inlined *inlined = data;
	const char *name = dwarf_diename(die);

	if (!name || strcmp(name, inlined->name) || !dwarf_func_inline(die))
		return DWARF_CB_OK;
	inlined->found = true;
	dwarf_func_inline_instances(die, one_instance, inlined);
	return DWARF_CB_OK;
}

int dkt__dwarf_inlined(struct dkt__binary *binary, const char *name, char **where)
{
	struct inlined inlined = { .binary = binary, .name = name };
	Dwarf_Die *unit = NULL;
	uint64_t bias;
	size_t size;

	*where = NULL;
	if (!dkt__binary_dwarf(binary, &bias))
		return -ENODATA;
	inlined.out = open_memstream(where, &size);
	if (!inlined.out)
		return dkt__no_memory(binary->ctx);
	while ((unit = dwfl_module_nextcu(binary->module, unit, &inlined.bias)))
		dwarf_getfuncs(unit, one_function, &inlined, 0);
	fclose(inlined.out);
	if (!inlined.found) {
		free(*where);
		*where = NULL;
	}
	return 0;
}
