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

/* A module that was loaded then. */
struct place {
	const char *name;
	uint64_t then, now; /* now 0: unknown */
};

struct moving {
	int64_t by; /* how far the kernel has moved since */
	struct place *places; /* sorted by name */
	size_t n;
	/* The module of the last symbol; NULL: its place is unknown. */
	const char *name;
	const struct place *place;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct place *)a)->name, ((const struct place *)b)->name);
}

static struct place *find_place(const struct moving *m, const char *name)
{
	const struct place key = { .name = name };

	return m->n ? bsearch(&key, m->places, m->n, sizeof(key), by_name) : NULL;
}

/* "kvm 1327104 1 kvm_intel, Live 0xffffffffc0a00000" */
static void take_module(struct moving *m, char *line)
{
	const char *at = strstr(line, " 0x");
	struct place *place;

	line[strcspn(line, " ")] = '\0';
	place = at ? find_place(m, line) : NULL;
	if (!place)
		return;
	at++;
	if (dkt__take_u64(&at, NULL, DKT__HEX, &place->now))
		place->now = 0;
}

static int find_places(struct moving *m, const struct dkt__last_boot *boot, const char *modules)
{
	char *copy __cleanup(free) = strdup(modules ? modules : "");
	char *line, *rest = copy;

	m->places = calloc(boot->n_modules + 1, sizeof(*m->places));
	if (!copy || !m->places)
		return -ENOMEM;
	for (; m->n < boot->n_modules; m->n++)
		m->places[m->n] = (struct place){ .name = boot->modules[m->n].name,
						  .then = boot->modules[m->n].address };
	qsort(m->places, m->n, sizeof(*m->places), by_name);
	while ((line = strsep(&rest, "\n")))
		take_module(m, line);
	return 0;
}

static const struct place *place_of(struct moving *m, const char *name)
{
	if (m->name && !strcmp(m->name, name))
		return m->place;
	m->name = name;
	m->place = find_place(m, name);
	if (m->place && !m->place->now)
		m->place = NULL;
	return m->place;
}

/* Only the address of a module's code is told. */
static bool move(void *data, const struct dkt__symbol *symbol, bool is_code, uint64_t *address)
{
	struct moving *m = data;
	const struct place *place;

	if (!symbol->module) {
		*address = symbol->address - (uint64_t)m->by;
		return true;
	}
	place = is_code ? place_of(m, symbol->module) : NULL;
	if (!place)
		return false;
	*address = symbol->address - place->now + place->then;
	return true;
}

static bool drop(void *data, const struct dkt__symbol *symbol, bool is_code, uint64_t *address)
{
	(void)data, (void)symbol, (void)is_code, (void)address;
	return false;
}

int dkt__last_boot_symbols(struct dkt_ctx *ctx, const struct dkt__last_boot *boot,
			   const char *modules)
{
	const bool other = boot->has_delta && boot->text_delta != boot->data_delta;
	struct moving m = { .by = dkt__last_boot_moved(ctx, boot) };
	int err = find_places(&m, boot, modules);

	if (!err)
		err = dkt__symbols_move(ctx, other ? drop : move, &m);
	free(m.places);
	return dkt__with_words(ctx, err);
}
