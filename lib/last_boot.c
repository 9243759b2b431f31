/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * last_boot_info: where the kernel was in memory when it wrote the records that survived a reboot.
 *
 * Kernel 6.12 has two lines, "text delta:" and "data delta:". Later ones have a line with an address
 * for the kernel and for each module, or "# Current".
 */
#include "lib/last_boot.h"

#include "lib/base/io.h"
#include "lib/base/parse.h"
#include "lib/symbol.h"

/* ---- the file ---- */

void dkt__last_boot_clear(struct dkt__last_boot *boot)
{
	for (size_t i = 0; i < boot->n_modules; i++)
		free(boot->modules[i].name);
	free(boot->modules);
	*boot = (struct dkt__last_boot){ 0 };
}

/* "text delta:\t-603979776" */
static bool take_delta(const char *line, const char *label, int64_t *delta)
{
	const size_t n = strlen(label);

	return !strncmp(line, label, n) && !dkt__parse_s64(line + n, DKT__DEC, delta);
}

/* "ffffffff81000000\t[kernel]", "ffffffffc0000000\tkvm" */
static int take_address(struct dkt__last_boot *boot, const char *line)
{
	struct dkt__last_module module = { 0 };

	if (dkt__take_u64(&line, NULL, DKT__HEX, &module.address) || *line != '\t' || !line[1])
		return -EINVAL;
	line++;
	if (!strcmp(line, "[kernel]")) {
		boot->text = module.address;
		/* Memory that the kernel uses for the first time. */
		boot->current = !boot->text;
		return 0;
	}
	module.name = strdup(line);
	if (module.name && !dkt__append(boot->modules, boot->n_modules, module))
		return 0;
	free(module.name);
	return -ENOMEM;
}

static int take_line(struct dkt__last_boot *boot, const char *line)
{
	if (!*line)
		return 0;
	if (!strcmp(line, "# Current")) {
		boot->current = true;
		return 0;
	}
	if (take_delta(line, "text delta:\t", &boot->text_delta) ||
	    take_delta(line, "data delta:\t", &boot->data_delta)) {
		boot->has_delta = true;
		return 0;
	}
	return take_address(boot, line);
}

int dkt__last_boot_parse(const char *text, struct dkt__last_boot *boot)
{
	char *copy __cleanup(free) = strdup(text);
	char *line, *rest = copy;
	int err = copy ? 0 : -ENOMEM;

	*boot = (struct dkt__last_boot){ 0 };
	while (!err && (line = strsep(&rest, "\n")))
		err = take_line(boot, line);
	if (!err && !boot->current && !boot->has_delta && !boot->text)
		err = -EINVAL;
	if (err)
		dkt__last_boot_clear(boot);
	return err;
}

/* ---- names at the addresses of that boot ---- */

/* Finds _text, from which later kernels measure. */
static int find_text(void *data, const struct dkt__symbol *symbol)
{
	uint64_t *address = data;

	if (symbol->module || strcmp(symbol->name, "_text"))
		return 0;
	*address = symbol->address;
	return 1;
}

int64_t dkt__last_boot_moved(struct dkt_ctx *ctx, const struct dkt__last_boot *boot)
{
	uint64_t now = 0;

	if (boot->has_delta || !boot->text)
		return boot->text_delta;
	dkt__symbols_each(ctx, find_text, &now);
	return now ? (int64_t)(now - boot->text) : 0;
}

struct moving {
	const struct dkt__last_boot *boot;
	const char *modules; /* the text of /proc/modules; NULL: unknown */
	int64_t by; /* how far the kernel has moved since */
	/* The module of the last symbol, and how far it has moved. */
	const char *name;
	bool known;
	int64_t module_by;
};

/* "kvm 1327104 1 kvm_intel, Live 0xffffffffc0a00000" */
static bool module_now(const char *modules, const char *name, uint64_t *address)
{
	const size_t n = strlen(name);

	for (const char *line = modules, *end; line && *line; line = *end ? end + 1 : end) {
		const char *at;

		end = strchrnul(line, '\n');
		if (strncmp(line, name, n) || line[n] != ' ')
			continue;
		at = memmem(line, (size_t)(end - line), " 0x", 3);
		if (!at)
			return false;
		at++;
		return !dkt__take_u64(&at, end, DKT__HEX, address) && *address;
	}
	return false;
}

static bool find_module(struct moving *m, const char *name)
{
	uint64_t now;

	if (m->name && !strcmp(m->name, name))
		return m->known;
	m->name = name;
	m->known = false;
	for (size_t i = 0; !m->known && i < m->boot->n_modules; i++) {
		if (strcmp(m->boot->modules[i].name, name))
			continue;
		m->known = module_now(m->modules, name, &now);
		m->module_by = m->known ? (int64_t)(now - m->boot->modules[i].address) : 0;
	}
	return m->known;
}

/* Only the address of a module's code is told. */
static bool move(void *data, const struct dkt__symbol *symbol, bool is_code, uint64_t *address)
{
	struct moving *m = data;

	if (symbol->module && (!is_code || !find_module(m, symbol->module)))
		return false;
	*address = symbol->address - (uint64_t)(symbol->module ? m->module_by : m->by);
	return true;
}

static bool drop(void *data, const struct dkt__symbol *symbol, bool is_code, uint64_t *address)
{
	(void)data, (void)symbol, (void)is_code, (void)address;
	return false;
}

int dkt__last_boot_symbols(struct dkt_ctx *ctx, const struct dkt__last_boot *boot)
{
	const bool other = boot->has_delta && boot->text_delta != boot->data_delta;
	char *modules __cleanup(free) = NULL;
	struct moving m = { .boot = boot };
	size_t len;
	int err;

	if (dkt__read_file("/proc/modules", SIZE_MAX, &modules, &len))
		modules = NULL;
	m.modules = modules;
	m.by = dkt__last_boot_moved(ctx, boot);
	err = dkt__symbols_move(ctx, other ? drop : move, &m);
	return dkt__with_words(ctx, err);
}
