/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel addresses to names: functions from kallsyms, constant strings from printk_formats. */
#include <search.h>

#include "base/io.h"
#include "base/parse.h"
#include "mount.h"
#include "symbol.h"
#include "tracefs.h"

#define CACHE_BITS 10

struct named {
	uint64_t address;
	const char *name; /* that of its module, if it is in one, follows the end of it */
	uint32_t order : 30; /* line in the file */
	uint32_t in_module : 1;
	uint32_t is_code : 1;
};

struct list {
	struct named *entries; /* by address */
	size_t n;
	char *text; /* holds the names */
};

/* Functions that are known by their names only: each has an address of its own. */
#define MADE_FIRST UINT64_C(0xffffd00000000000)
#define MADE_EACH  UINT64_C(0x1000000)
#define MADE_MAX   65536

struct made {
	struct named entry;
	uint64_t size;
	char text[]; /* name, and that of its module as in kallsyms */
};

struct dkt__symbols {
	struct made **made;
	size_t n_made;
	void *by_name; /* a tree of made */
	struct dkt__symbol_text given_functions, given_strings; /* a file's, not looked at yet */
	struct list functions;
	struct list strings;
	bool functions_read, strings_read;
	/* The few addresses that a trace repeats are found here. */
	struct {
		uint64_t address;
		const struct named *entry;
	} cache[1 << CACHE_BITS];
};

/* ---- lists ---- */

static int entry_cmp(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static size_t count_lines(const char *text)
{
	size_t n = 1;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

/* Cuts one line; the name within it stays where it is. False: it names nothing. */
typedef bool (*cut_fn)(char *line, struct named *entry);

/* Takes over the text. */
static int list_fill(struct list *list, char *text, cut_fn cut)
{
	char *line, *rest = text;

	list->text = text;
	list->entries = calloc(count_lines(text), sizeof(*list->entries));
	if (!list->entries)
		return -ENOMEM;
	while ((line = strsep(&rest, "\n"))) {
		struct named *entry = &list->entries[list->n];

		if (!cut(line, entry) || !entry->address)
			continue;
		entry->order = (uint32_t)list->n++ & (INT32_MAX >> 1);
	}
	qsort(list->entries, list->n, sizeof(*list->entries), entry_cmp);
	return 0;
}

static void list_clear(struct list *list)
{
	free(list->entries);
	free(list->text);
	*list = (struct list){ 0 };
}

/* The last entry not above the address; of several at one address the first in the file. */
static const struct named *list_find(const struct list *list, uint64_t address)
{
	size_t low = 0, high = list->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (list->entries[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	address = list->entries[low - 1].address;
	while (low > 1 && list->entries[low - 2].address == address)
		low--;
	return &list->entries[low - 1];
}

/* ---- kallsyms ---- */

/* "ffffffff81000000 T _stext" or "ffffffffc0000000 t f	[module]" */
static bool cut_symbol(char *line, struct named *entry)
{
	const char *at = line;
	char *p, type;

	if (dkt__take_u64(&at, NULL, DKT__HEX, &entry->address))
		return false;
	p = line + (at - line);
	if (p[0] != ' ' || !p[1] || p[2] != ' ')
		return false;
	type = p[1];
	entry->name = p + 3;
	entry->is_code = strchr("tTwW", type) != NULL;
	p += 3 + strcspn(p + 3, "\t ");
	entry->in_module = p[0] == '\t' && p[1] == '[';
	if (entry->in_module) {
		p[0] = p[1] = '\0';
		p[2 + strcspn(p + 2, "]")] = '\0';
	}
	*p = '\0';
	/* Absolute ones are offsets of per-CPU variables, "$" are marks within ARM code. */
	return type != 'a' && type != 'A' && entry->name[0] && entry->name[0] != '$';
}

/* Two bytes stood between the names: a tab and a bracket. */
static const char *entry_module(const struct named *entry)
{
	return entry->in_module ? entry->name + strlen(entry->name) + 2 : NULL;
}

static void symbols_free(void *data)
{
	struct dkt__symbols *symbols = ((struct dkt_ctx *)data)->symbols;

	if (!symbols)
		return;
	list_clear(&symbols->functions);
	list_clear(&symbols->strings);
	tdestroy(symbols->by_name, free);
	free(symbols->made);
	free(symbols);
}

static struct dkt__symbols *symbols_of(struct dkt_ctx *ctx)
{
	if (!ctx->symbols && !dkt__ctx_at_end(ctx, symbols_free, ctx))
		ctx->symbols = calloc(1, sizeof(*ctx->symbols));
	return ctx->symbols;
}

int dkt__symbols_read(struct dkt_ctx *ctx, const char *path)
{
	struct dkt__symbols *symbols = symbols_of(ctx);
	char *text;
	size_t len;
	int err;

	if (!symbols)
		return dkt__no_memory(ctx);
	list_clear(&symbols->functions);
	memset(symbols->cache, 0, sizeof(symbols->cache));
	symbols->functions_read = true;
	err = dkt__read_file(path, SIZE_MAX, &text, &len);
	return err ? err : list_fill(&symbols->functions, text, cut_symbol);
}

int dkt__symbols_given(struct dkt_ctx *ctx, const struct dkt__symbol_text *kallsyms,
		       const struct dkt__symbol_text *printk_formats)
{
	struct dkt__symbols *symbols = symbols_of(ctx);

	if (!symbols)
		return dkt__no_memory(ctx);
	symbols->given_functions = *kallsyms;
	symbols->given_strings = *printk_formats;
	return 0;
}

/* The caller frees it; NULL: there is none. */
static char *given_text(struct dkt_ctx *ctx, const struct dkt__symbol_text *given)
{
	void *state = NULL;
	char *text;
	int err;

	if (!given->bytes)
		return NULL;
	if (!given->codec)
		return strndup(given->bytes, given->n);
	text = malloc(given->size + 1);
	if (!text)
		return NULL;
	err = given->codec->decompress(&state, given->bytes, given->n, text, given->size);
	given->codec->release(state);
	if (err) {
		dkt_log(ctx, DKT_LOG_WARN, "the file's symbols cannot be unpacked");
		free(text);
		return NULL;
	}
	text[given->size] = '\0';
	memmove(text, text + given->skip, given->size + 1 - given->skip);
	return text;
}

/*
 * A saved tree brings its kernel's symbols along; those of the running kernel are not its own. The
 * caller frees it; NULL: there are none.
 */
static char *symbols_path(struct dkt_ctx *ctx)
{
	char *path = NULL;

	if (ctx->root && asprintf(&path, "%s/kallsyms", ctx->root) < 0)
		return NULL;
	if (path && !access(path, R_OK))
		return path;
	free(path);
	if (!ctx->root || dkt__mount_is(ctx->root))
		return strdup("/proc/kallsyms");
	return NULL;
}

static void symbols_load(struct dkt_ctx *ctx)
{
	char *path __cleanup(free) = NULL, *text;

	text = given_text(ctx, &ctx->symbols->given_functions);
	if (text)
		list_fill(&ctx->symbols->functions, text, cut_symbol);
	if (ctx->given)
		return;
	path = symbols_path(ctx);
	if (path)
		dkt__symbols_read(ctx, path);
}

int dkt__symbols_each(struct dkt_ctx *ctx, dkt__symbol_fn fn, void *data)
{
	char *path __cleanup(free) = symbols_path(ctx);
	char *text __cleanup(free) = NULL;
	char *line;
	size_t len;
	int err = path ? dkt__read_file(path, SIZE_MAX, &text, &len) : -ENODATA;

	for (char *rest = text; !err && (line = strsep(&rest, "\n"));) {
		struct named entry;
		struct dkt__symbol symbol;

		if (!cut_symbol(line, &entry) || !entry.is_code)
			continue;
		symbol = (struct dkt__symbol){ .name = entry.name,
					       .module = entry_module(&entry),
					       .address = entry.address };
		err = fn(data, &symbol);
	}
	return err;
}

static const struct made *find_made(const struct dkt__symbols *symbols, uint64_t address)
{
	uint64_t i = (address - MADE_FIRST) / MADE_EACH;

	return address >= MADE_FIRST && i < symbols->n_made ? symbols->made[i] : NULL;
}

static const struct named *find_symbol(struct dkt_ctx *ctx, uint64_t address)
{
	struct dkt__symbols *symbols = symbols_of(ctx);
	const struct named *entry;
	const struct made *made;
	size_t slot;

	if (!symbols || !address)
		return NULL;
	made = find_made(symbols, address);
	if (made)
		return &made->entry;
	if (dkt__unlikely(!symbols->functions_read)) {
		symbols->functions_read = true;
		symbols_load(ctx);
	}
	slot = (address * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - CACHE_BITS);
	entry = symbols->cache[slot].entry;
	if (symbols->cache[slot].address != address) {
		entry = list_find(&symbols->functions, address);
		symbols->cache[slot].address = address;
		symbols->cache[slot].entry = entry;
	}
	/* Addresses beyond the last symbol belong to no function. */
	if (entry && address != entry->address &&
	    entry == &symbols->functions.entries[symbols->functions.n - 1])
		return NULL;
	return entry;
}

const char *dkt_symbol(struct dkt_ctx *ctx, uint64_t address, uint64_t *offset)
{
	if (!ctx)
		return NULL;

	const struct named *entry = find_symbol(ctx, address);

	if (offset)
		*offset = entry ? address - entry->address : 0;
	return entry ? entry->name : NULL;
}

const char *dkt_symbol_module(struct dkt_ctx *ctx, uint64_t address)
{
	if (!ctx)
		return NULL;

	const struct named *entry = find_symbol(ctx, address);

	return entry ? entry_module(entry) : NULL;
}

/* Up to the next symbol. Of a module's last function the end is not in the list. */
static uint64_t entry_size(const struct list *list, const struct named *entry)
{
	const struct named *end = list->entries + list->n, *next = entry;

	while (next < end && next->address == entry->address)
		next++;
	if (next == end || entry->in_module != next->in_module)
		return 0;
	if (entry->in_module &&
	    (strcmp(entry_module(entry), entry_module(next)) || entry->is_code != next->is_code))
		return 0;
	return next->address - entry->address;
}

int dkt__symbol_place(struct dkt_ctx *ctx, uint64_t address, struct dkt__place *place)
{
	const struct named *entry = find_symbol(ctx, address);
	const struct made *made = ctx->symbols ? find_made(ctx->symbols, address) : NULL;

	*place = (struct dkt__place){ 0 };
	if (made) {
		*place = (struct dkt__place){ .name = entry->name,
					      .offset = address - entry->address,
					      .size = made->size,
					      .module = entry_module(entry) };
		return 0;
	}
	if (!ctx->symbols || !ctx->symbols->functions.n)
		return -ENODATA;
	if (!entry)
		return -ENOENT;
	*place = (struct dkt__place){ .name = entry->name,
				      .offset = address - entry->address,
				      .size = entry_size(&ctx->symbols->functions, entry),
				      .module = entry_module(entry) };
	return 0;
}

/* ---- names without addresses ---- */

static int made_cmp(const void *a, const void *b)
{
	const struct made *x = a, *y = b;
	const char *p = entry_module(&x->entry), *q = entry_module(&y->entry);
	int d = strcmp(x->entry.name, y->entry.name);

	return d ? d : strcmp(p ? p : "", q ? q : "");
}

/* The text has its end there, and room for two bytes more. NULL: no memory. */
static struct made *new_made(const char *text, size_t len)
{
	struct made *made = calloc(1, sizeof(*made) + len + 4);

	if (!made)
		return NULL;
	memcpy(made->text, text, len);
	made->entry = (struct named){ .name = made->text, .is_code = true };
	return made;
}

/* Adds it to those that are known, or frees it. Its address; 0: there is no room for it. */
static uint64_t keep_made(struct dkt_ctx *ctx, struct made *made)
{
	struct dkt__symbols *symbols = symbols_of(ctx);
	struct made **found = NULL;

	if (symbols && !symbols->made)
		symbols->made = calloc(MADE_MAX, sizeof(struct made *));
	if (symbols && symbols->made)
		found = symbols->n_made < MADE_MAX ? tsearch(made, &symbols->by_name, made_cmp) :
						     tfind(made, &symbols->by_name, made_cmp);
	if (found && *found == made) {
		made->entry.address = MADE_FIRST + symbols->n_made * MADE_EACH;
		symbols->made[symbols->n_made++] = made;
	} else {
		free(made);
	}
	return found ? (*found)->entry.address : 0;
}

uint64_t dkt__symbol_make_whole(struct dkt_ctx *ctx, const char *text, size_t len)
{
	struct made *made = len ? new_made(text, len) : NULL;

	return made ? keep_made(ctx, made) : 0;
}

uint64_t dkt__symbol_make(struct dkt_ctx *ctx, const char *text, size_t len)
{
	const char *end = text + len, *module = memmem(text, len, " [", 2);
	const char *name_end = module ? module : end;
	const char *plus = memmem(text, (size_t)(name_end - text), "+0x", 3);
	struct made *made = len ? new_made(text, len) : NULL;
	uint64_t offset = 0, address;
	const char *at;
	char *p;

	if (!made)
		return 0;
	if (plus) {
		at = made->text + (plus - text) + 1;
		dkt__take_u64(&at, NULL, DKT__HEX, &offset);
		if (*at++ == '/')
			dkt__take_u64(&at, NULL, DKT__HEX, &made->size);
	}
	made->text[(plus ? plus : name_end) - text] = '\0';
	if (module) {
		p = made->text + strlen(made->text);
		made->entry.in_module = true;
		p = mempcpy(p + 2, module + 2, (size_t)(end - module - 2));
		p[-(end[-1] == ']')] = '\0';
	}
	address = keep_made(ctx, made);
	return address && offset < MADE_EACH ? address + offset : 0;
}

static void put_entry(struct dkt_buf *buf, const struct named *entry)
{
	dkt_buf_hex(buf, entry->address, 16, '0');
	dkt_buf_str(buf, entry->is_code ? " t " : " d ");
	dkt_buf_str(buf, entry->name);
	if (entry->in_module) {
		dkt_buf_str(buf, "\t[");
		dkt_buf_str(buf, entry_module(entry));
		dkt_buf_str(buf, "]");
	}
	dkt_buf_str(buf, "\n");
}

int dkt__symbols_text(struct dkt_ctx *ctx, struct dkt_buf *buf)
{
	const struct list *list;

	/* Looking for any has them read. */
	find_symbol(ctx, 1);
	if (!ctx->symbols)
		return dkt__no_memory(ctx);
	list = &ctx->symbols->functions;
	for (size_t i = 0; i < list->n; i++)
		put_entry(buf, &list->entries[i]);
	for (size_t i = 0; i < ctx->symbols->n_made; i++)
		put_entry(buf, &ctx->symbols->made[i]->entry);
	return buf->err;
}

/* ---- printk_formats ---- */

/* 0xffffffff828195af : "thaw_processes" */
static bool cut_string(char *line, struct named *entry)
{
	const char *at = line;
	char *p;
	size_t n;

	if (dkt__take_u64(&at, NULL, DKT__HEX, &entry->address) || strncmp(at, " : \"", 4))
		return false;
	p = line + (at - line);
	entry->name = p + 4;
	n = strlen(entry->name);
	if (n && entry->name[n - 1] == '"')
		p[4 + --n] = '\0';
	if (n > 1 && !strcmp(entry->name + n - 2, "\\n"))
		p[4 + n - 2] = '\0';
	return true;
}

int dkt__kernel_strings(struct dkt_ctx *ctx, char **text)
{
	*text = NULL;
	if (!ctx->given)
		return dkt__tfs_read(ctx, text, NULL, "printk_formats");
	if (!ctx->symbols || !ctx->symbols->given_strings.bytes)
		return -ENOENT;
	*text = given_text(ctx, &ctx->symbols->given_strings);
	return *text ? 0 : dkt__no_memory(ctx);
}

const char *dkt__kernel_string(struct dkt_ctx *ctx, uint64_t address)
{
	struct dkt__symbols *symbols = symbols_of(ctx);
	const struct named *entry;
	char *text;

	if (!symbols)
		return NULL;
	if (!symbols->strings_read) {
		symbols->strings_read = true;
		if (!dkt__kernel_strings(ctx, &text))
			list_fill(&symbols->strings, text, cut_string);
	}
	entry = list_find(&symbols->strings, address);
	return entry && entry->address == address ? entry->name : NULL;
}
