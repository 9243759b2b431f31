/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the places where loaded modules call a function, in the machine code of the running kernel.
 *
 * /proc/kallsyms has the addresses of functions, /proc/kcore shows their code. Only direct calls
 * are found. Other bytes that look like a call would need exactly the right distance, and the
 * kernel refuses a probe inside an instruction.
 */
#include "compat/lustre/message/cdebug.h"

#include <endian.h>
#include <inttypes.h>

#include "compat/lustre/message/search.h"
#include "lib/base/buf.h"
#include "lib/base/gained.h"
#include "lib/base/parse.h"

#define MAX_CALLERS 14

/* Limits of the code of a function that is searched, and of the calls in it. */
#define MAX_CODE  16384
#define MAX_CALLS 16

size_t dkl_call_sites_in(enum cdebug_machine machine, const uint8_t *code, size_t len,
			 uint64_t address, uint64_t target, uint32_t *offsets, size_t most)
{
	size_t n = 0, step = machine == CDEBUG_X86_64 ? 1 : 4;
	uint32_t word;

	for (size_t i = 0; i + 5 <= len && n < most; i += step) {
		uint64_t to = 0;

		if (machine == CDEBUG_X86_64 && code[i] == 0xe8) {
			memcpy(&word, code + i + 1, sizeof(word));
			to = address + i + 5 + (uint64_t)(int32_t)le32toh(word);
		} else if (machine == CDEBUG_ARM64) {
			memcpy(&word, code + i, sizeof(word));
			word = le32toh(word);
			/* bl: a signed distance of 26 bits in words */
			if (word >> 26 == 0x25)
				to = address + i + (uint64_t)((int32_t)(word << 6) >> 4);
		}
		if (to && to == target)
			offsets[n++] = (uint32_t)i;
	}
	return n;
}

/* ---- symbols of modules ---- */

struct symbol {
	const char *name;
	char module[64];
	uint64_t from, to; /* 0: not found */
};

/* Splits "ADDRESS TYPE NAME\t[MODULE]"; false: not in a module. */
static bool split(char *line, uint64_t *address, char **name, char **module)
{
	char *tab = strchr(line, '\t');
	const char *end = line;

	if (!tab || tab[1] != '[')
		return false;
	dkt__take_u64(&end, NULL, DKT__HEX, address);
	if (end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	*tab = '\0';
	*name = line + (end - line) + 3;
	*module = tab + 2;
	(*module)[strcspn(*module, "]\n")] = '\0';
	return true;
}

typedef void (*symbol_fn)(struct symbol *symbols, size_t n, uint64_t address, const char *name,
			  const char *module);

static void note_start(struct symbol *symbols, size_t n, uint64_t address, const char *name,
		       const char *module)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(symbols[i].name, name) || symbols[i].from)
			continue;
		symbols[i].from = address;
		snprintf(symbols[i].module, sizeof(symbols[i].module), "%s", module);
	}
}

/* A function ends where the next symbol of its module begins. */
static void note_end(struct symbol *symbols, size_t n, uint64_t address, const char *name,
		     const char *module)
{
	(void)name;
	for (size_t i = 0; i < n; i++)
		if (symbols[i].from && address > symbols[i].from &&
		    (!symbols[i].to || address < symbols[i].to) &&
		    !strcmp(symbols[i].module, module))
			symbols[i].to = address;
}

static void each_symbol(FILE *f, symbol_fn fn, struct symbol *symbols, size_t n)
{
	char *line __cleanup(free) = NULL;
	char *name, *module;
	size_t size = 0;
	uint64_t address;

	rewind(f);
	while (getline(&line, &size, f) > 0)
		if (split(line, &address, &name, &module))
			fn(symbols, n, address, name, module);
}

/* ---- code ---- */

static int add_calls(int fd, const struct symbol *caller, uint64_t target, char **places, size_t *n)
{
	uint32_t offsets[MAX_CALLS];
	size_t found, len = MAX_CODE;
	uint8_t *code __cleanup(free) = malloc(MAX_CODE);

	if (!code)
		return -ENOMEM;
	if (caller->to && caller->to - caller->from < len)
		len = caller->to - caller->from;
	len = dkl_kcore_read(fd, caller->from, code, len);
	found = dkl_call_sites_in(dkl_cdebug_machine(), code, len, caller->from, target, offsets,
				  MAX_CALLS);
	for (size_t i = 0; i < found; i++) {
		places[*n] =
			dkt__format("%s:%s+0x%" PRIx32, caller->module, caller->name, offsets[i]);
		if (!places[(*n)++])
			return -ENOMEM;
	}
	return 0;
}

int dkl_call_sites(const char *callee, const char *const *callers, size_t n, char ***places)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(true);
	struct symbol symbols[MAX_CALLERS + 1] = { { .name = callee } };
	int fd __cleanup(close) = dkl_kcore_open();
	FILE *f __cleanup(fclose) = fopen("/proc/kallsyms", "re");
	size_t i, n_places = 0;
	int err = 0;

	*places = calloc(MAX_CALLERS * MAX_CALLS + 1, sizeof(**places));
	if (!*places)
		err = -ENOMEM;
	for (i = 0; i < n && i < MAX_CALLERS; i++)
		symbols[i + 1].name = callers[i];
	n = i + 1;
	if (!err && f && fd >= 0) {
		each_symbol(f, note_start, symbols, n);
		each_symbol(f, note_end, symbols, n);
		for (i = 1; !err && i < n && symbols[0].from; i++)
			if (symbols[i].from)
				err = add_calls(fd, &symbols[i], symbols[0].from, *places,
						&n_places);
	}
	if (err) {
		dkl_call_sites_free(*places);
		*places = NULL;
	}
	return err;
}

void dkl_call_sites_free(char **places)
{
	for (char **place = places; place && *place; place++)
		free(*place);
	free(places);
}
