/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel addresses to names: functions from kallsyms, constant strings from printk_formats. */
#include <search.h>

#include "lib/base/buf.h"
#include "lib/base/gained.h"
#include "lib/base/io.h"
#include "lib/base/parse.h"
#include "lib/mount.h"
#include "lib/symbol.h"
#include "lib/symbol/list.h"
#include "lib/tracefs.h"

#define CACHE_BITS 10

/* Pages of most kernels; symbols__fixup_end() of perf takes their size for all. */
#define PAGE 4096

/* A function without a known address gets so many of them; its offset is below that. */
#define PLACEHOLDER_MAX  65536
#define PLACEHOLDER_EACH ((DKT__PLACEHOLDER_END - DKT__PLACEHOLDER_FIRST) / PLACEHOLDER_MAX)

struct placeholder {
	struct symbol_entry entry;
	uint64_t size;
	char text[]; /* the names of the function and its module, as in a symbol_entry */
};

struct dkt__symbols {
	struct placeholder **placeholders;
	size_t n_placeholders;
	void *by_name; /* the same as a tree */
	struct dkt__symbol_text given_functions, given_strings; /* of a file, unparsed */
	struct symbol_list functions;
	struct symbol_list strings;
	bool functions_read, strings_read;
	/* A trace repeats few addresses. */
	struct {
		uint64_t address;
		const struct symbol_entry *entry;
	} cache[1 << CACHE_BITS];
};

/* ---- kallsyms ---- */

/* "ffffffff81000000 T _stext" or "ffffffffc0000000 t f	[module]" */
static bool cut_symbol(char *line, struct symbol_entry *entry)
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
	/* Absolute symbols are offsets of per-CPU variables; "$" marks places in ARM code. */
	return type != 'a' && type != 'A' && entry->name[0] && entry->name[0] != '$';
}

/* Skips the two bytes between the names, a tab and a bracket. */
static const char *entry_module(const struct symbol_entry *entry)
{
	return entry->in_module ? entry->name + strlen(entry->name) + 2 : NULL;
}

static void symbols_free(void *data)
{
	struct dkt__symbols *symbols = ((struct dkt_ctx *)data)->symbols;

	if (!symbols)
		return;
	dkt__symbol_list_clear(&symbols->functions);
	dkt__symbol_list_clear(&symbols->strings);
	tdestroy(symbols->by_name, free);
	free(symbols->placeholders);
	free(symbols);
}

static struct dkt__symbols *symbols_of(struct dkt_ctx *ctx)
{
	if (!ctx->symbols && !dkt__ctx_at_end(ctx, symbols_free, ctx))
		ctx->symbols = calloc(1, sizeof(*ctx->symbols));
	dkt__starve(ctx, ctx->symbols ? 0 : -ENOMEM);
	return ctx->symbols;
}

int dkt__symbols_read(struct dkt_ctx *ctx, const char *path)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(!ctx->root);
	struct dkt__symbols *symbols = symbols_of(ctx);
	char *text;
	size_t len;
	int err;

	if (!symbols)
		return dkt__no_memory(ctx);
	dkt__symbol_list_clear(&symbols->functions);
	memset(symbols->cache, 0, sizeof(symbols->cache));
	symbols->functions_read = true;
	err = dkt__read_file(path, SIZE_MAX, &text, &len);
	return err ? err : dkt__symbol_list_fill(&symbols->functions, text, cut_symbol);
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

int dkt__symbol_text_unpack(const struct dkt__symbol_text *text, char **bytes, size_t *n)
{
	const size_t size = text->codec ? text->size : text->n;
	char *copy __cleanup(free) = NULL;
	void *state = NULL;
	int err = 0;

	*bytes = NULL;
	*n = 0;
	if (!text->bytes)
		return -ENOENT;
	copy = malloc(size + 1);
	if (!copy)
		return -ENOMEM;
	if (!text->codec) {
		memcpy(copy, text->bytes, size);
	} else {
		err = text->codec->decompress(&state, text->bytes, text->n, copy, size);
		text->codec->release(state);
	}
	if (err)
		return err == -ENOMEM ? err : -EBADMSG;
	copy[size] = '\0';
	*n = size;
	if (text->codec) {
		*n -= text->skip;
		memmove(copy, copy + text->skip, *n + 1);
	}
	*bytes = copy;
	copy = NULL;
	return 0;
}

/* Returns a file's text, uncompressed, which the caller frees; NULL: none. */
static char *given_text(struct dkt_ctx *ctx, const struct dkt__symbol_text *given)
{
	char *text;
	size_t n;

	if (dkt__starve(ctx, dkt__symbol_text_unpack(given, &text, &n)) == -EBADMSG)
		dkt__log(ctx, DKT_LOG_WARN, "the file's symbols cannot be unpacked");
	return text;
}

/*
 * Returns the path of the symbols, which the caller frees; NULL: none. The running kernel's symbols
 * do not belong to a saved tree, which has a file with its own.
 */
static char *symbols_path(struct dkt_ctx *ctx)
{
	char *path = ctx->root ? dkt__format("%s/kallsyms", ctx->root) : NULL;

	if (path && !access(path, R_OK))
		return path;
	free(path);
	if (!ctx->root || dkt__mount_is(ctx->root))
		return strdup("/proc/kallsyms");
	return NULL;
}

static void read_functions(struct dkt_ctx *ctx)
{
	char *path __cleanup(free) = NULL, *text;

	if (ctx->symbols->functions_read)
		return;
	ctx->symbols->functions_read = true;
	text = given_text(ctx, &ctx->symbols->given_functions);
	if (text)
		dkt__starve(ctx, dkt__symbol_list_fill(&ctx->symbols->functions, text, cut_symbol));
	if (ctx->given)
		return;
	path = symbols_path(ctx);
	if (path)
		dkt__starve(ctx, dkt__symbols_read(ctx, path));
}

int dkt__symbols_each(struct dkt_ctx *ctx, dkt__symbol_fn fn, void *data)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(!ctx->root);
	char *path __cleanup(free) = ctx->given ? NULL : symbols_path(ctx);
	char *text __cleanup(free) = NULL;
	char *line;
	size_t len;
	int err = path ? dkt__read_file(path, SIZE_MAX, &text, &len) : -ENODATA;

	if (ctx->given && ctx->symbols) {
		text = given_text(ctx, &ctx->symbols->given_functions);
		err = text ? 0 : -ENODATA;
	}
	for (char *rest = text; !err && (line = strsep(&rest, "\n"));) {
		struct symbol_entry entry;
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

static void move_list(struct symbol_list *list, dkt__symbol_move_fn fn, void *data)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		struct symbol_entry entry = list->entries[i];
		const struct dkt__symbol symbol = { .name = entry.name,
						    .module = entry_module(&entry),
						    .address = entry.address };

		if (fn(data, &symbol, entry.is_code, &entry.address))
			list->entries[n++] = entry;
	}
	list->n = n;
	dkt__symbol_list_sort(list);
}

int dkt__symbols_move(struct dkt_ctx *ctx, dkt__symbol_move_fn fn, void *data)
{
	struct dkt__symbols *symbols = symbols_of(ctx);

	if (!symbols)
		return dkt__no_memory(ctx);
	/* Read them again: an earlier call may have moved them. */
	dkt__symbol_list_clear(&symbols->functions);
	symbols->functions_read = false;
	read_functions(ctx);
	move_list(&symbols->functions, fn, data);
	memset(symbols->cache, 0, sizeof(symbols->cache));
	dkt__symbol_list_clear(&symbols->strings);
	symbols->strings_read = false;
	dkt__kernel_string(ctx, 0);
	move_list(&symbols->strings, fn, data);
	return 0;
}

int dkt__symbols_shift(struct dkt_ctx *ctx, const char *name, uint64_t address)
{
	struct symbol_list *list = &ctx->symbols->functions;
	size_t i = 0, n = 0;
	uint64_t by;

	while (i < list->n && strcmp(list->entries[i].name, name) != 0)
		i++;
	if (i == list->n)
		return -ENOENT;
	by = address - list->entries[i].address;
	if (!by)
		return 0;
	for (i = 0; i < list->n; i++) {
		if (list->entries[i].in_module)
			continue;
		list->entries[n] = list->entries[i];
		list->entries[n++].address += by;
	}
	list->n = n;
	dkt__symbol_list_sort(list);
	memset(ctx->symbols->cache, 0, sizeof(ctx->symbols->cache));
	return 0;
}

static bool is_placeholder(uint64_t address)
{
	return address >= DKT__PLACEHOLDER_FIRST && address < DKT__PLACEHOLDER_END;
}

static const struct placeholder *find_placeholder(const struct dkt__symbols *symbols,
						  uint64_t address)
{
	uint64_t i = (address - DKT__PLACEHOLDER_FIRST) / PLACEHOLDER_EACH;

	return is_placeholder(address) && i < symbols->n_placeholders ? symbols->placeholders[i] :
									NULL;
}

/* The next symbol at another address; NULL: the last one. */
static const struct symbol_entry *entry_next(const struct symbol_list *list,
					     const struct symbol_entry *entry)
{
	const struct symbol_entry *end = list->entries + list->n, *next = entry;

	while (next < end && next->address == entry->address)
		next++;
	return next < end ? next : NULL;
}

/* False: one of them is of the kernel itself or of another module, and the end of the first is unknown. */
static bool is_same_module(const struct symbol_entry *a, const struct symbol_entry *b)
{
	return a->in_module == b->in_module &&
	       (!a->in_module || !strcmp(entry_module(a), entry_module(b)));
}

/* The size up to the next symbol; 0: unknown, because the list does not have the end of a module. */
static uint64_t entry_size(const struct symbol_list *list, const struct symbol_entry *entry)
{
	const struct symbol_entry *next = entry_next(list, entry);

	if (!next || !is_same_module(entry, next) ||
	    (entry->in_module && entry->is_code != next->is_code))
		return 0;
	return next->address - entry->address;
}

/*
 * Returns whether an address can be in the function before it: not beyond the last symbol, nor in the gaps
 * before and between modules, which are large. perf lets a function before such a gap end with its next page.
 */
static bool entry_reaches(const struct symbol_list *list, const struct symbol_entry *entry,
			  uint64_t address)
{
	const struct symbol_entry *next = entry_next(list, entry);

	if (address == entry->address)
		return true;
	return next && (is_same_module(entry, next) ||
			address < (entry->address + 2 * PAGE - 1) / PAGE * PAGE);
}

static const struct symbol_entry *find_symbol(struct dkt_ctx *ctx, uint64_t address)
{
	struct dkt__symbols *symbols = symbols_of(ctx);
	const struct symbol_entry *entry;
	const struct placeholder *placeholder;
	size_t slot;

	if (!symbols || !address)
		return NULL;
	placeholder = find_placeholder(symbols, address);
	if (placeholder)
		return &placeholder->entry;
	read_functions(ctx);
	slot = (address * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - CACHE_BITS);
	entry = symbols->cache[slot].entry;
	if (symbols->cache[slot].address != address) {
		entry = dkt__symbol_list_find(&symbols->functions, address);
		if (entry && !entry_reaches(&symbols->functions, entry, address))
			entry = NULL;
		symbols->cache[slot].address = address;
		symbols->cache[slot].entry = entry;
	}
	return entry;
}

const char *dkt_symbol_name(struct dkt_ctx *ctx, uint64_t address, uint64_t *offset)
{
	if (!ctx)
		return NULL;

	const struct symbol_entry *entry = find_symbol(ctx, address);

	if (offset)
		*offset = entry ? address - entry->address : 0;
	return entry ? entry->name : NULL;
}

const char *dkt__stack_symbol(struct dkt_ctx *ctx, uint64_t address, bool user, uint64_t *offset)
{
	if (offset)
		*offset = 0;
	return !user || is_placeholder(address) ? dkt_symbol_name(ctx, address, offset) : NULL;
}

const char *dkt__symbol_module(struct dkt_ctx *ctx, uint64_t address)
{
	if (!ctx)
		return NULL;

	const struct symbol_entry *entry = find_symbol(ctx, address);

	return entry ? entry_module(entry) : NULL;
}

bool dkt__symbol_is_tracer(const char *name)
{
	static const char *const beginnings[] = { "trace_event_", "__traceiter_", "__bpf_trace_",
						  "perf_trace_", "perf_call_bpf_" };

	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

int dkt__symbol_place(struct dkt_ctx *ctx, uint64_t address, struct dkt__place *place)
{
	const struct symbol_entry *entry = find_symbol(ctx, address);
	const struct placeholder *placeholder =
		ctx->symbols ? find_placeholder(ctx->symbols, address) : NULL;

	*place = (struct dkt__place){ 0 };
	if (!placeholder && (!ctx->symbols || !ctx->symbols->functions.n))
		return -ENODATA;
	if (!entry)
		return -ENOENT;
	*place = (struct dkt__place){ .name = entry->name,
				      .offset = address - entry->address,
				      .size = placeholder ?
						      placeholder->size :
						      entry_size(&ctx->symbols->functions, entry),
				      .module = entry_module(entry) };
	return 0;
}

/* ---- names without addresses ---- */

static int placeholder_cmp(const void *a, const void *b)
{
	const struct placeholder *x = a, *y = b;
	const char *p = entry_module(&x->entry), *q = entry_module(&y->entry);
	int d = strcmp(x->entry.name, y->entry.name);

	return d ? d : strcmp(p ? p : "", q ? q : "");
}

/* Copies the text, with room for two more bytes and a NUL. NULL: no memory. */
static struct placeholder *placeholder_new(struct dkt_ctx *ctx, const char *text, size_t len)
{
	struct placeholder *placeholder = calloc(1, sizeof(*placeholder) + len + 4);

	dkt__starve(ctx, placeholder ? 0 : -ENOMEM);
	if (!placeholder)
		return NULL;
	memcpy(placeholder->text, text, len);
	placeholder->entry = (struct symbol_entry){ .name = placeholder->text, .is_code = true };
	return placeholder;
}

/* Adds the placeholder, or frees it if its name has one. Returns the address; 0: too many names. */
static uint64_t placeholder_add(struct dkt_ctx *ctx, struct placeholder *placeholder)
{
	struct dkt__symbols *symbols = symbols_of(ctx);
	struct placeholder **found = NULL;

	if (symbols && !symbols->placeholders)
		symbols->placeholders = calloc(PLACEHOLDER_MAX, sizeof(struct placeholder *));
	dkt__starve(ctx, symbols && symbols->placeholders ? 0 : -ENOMEM);
	if (symbols && symbols->placeholders)
		found = symbols->n_placeholders < PLACEHOLDER_MAX ?
				tsearch(placeholder, &symbols->by_name, placeholder_cmp) :
				tfind(placeholder, &symbols->by_name, placeholder_cmp);
	if (found && *found == placeholder) {
		placeholder->entry.address =
			DKT__PLACEHOLDER_FIRST + symbols->n_placeholders * PLACEHOLDER_EACH;
		symbols->placeholders[symbols->n_placeholders++] = placeholder;
	} else {
		free(placeholder);
	}
	return found ? (*found)->entry.address : 0;
}

uint64_t dkt__symbol_create_whole(struct dkt_ctx *ctx, const char *text, size_t len)
{
	struct placeholder *placeholder = len ? placeholder_new(ctx, text, len) : NULL;

	return placeholder ? placeholder_add(ctx, placeholder) : 0;
}

uint64_t dkt__symbol_create_file(struct dkt_ctx *ctx, const char *name, size_t len, uint64_t offset)
{
	/* "[vdso]" has brackets already. */
	const bool has = len && name[0] == '[';
	char *text __cleanup(free) = dkt__format(has ? "%.*s" : "[%.*s]", (int)len, name);
	uint64_t address = 0;

	if (text && offset < PLACEHOLDER_EACH)
		address = dkt__symbol_create_whole(ctx, text, strlen(text));
	return address ? address + offset : 0;
}

uint64_t dkt__symbol_create(struct dkt_ctx *ctx, const char *text, size_t len)
{
	const char *end = text + len, *module = memmem(text, len, " [", 2);
	const char *name_end = module ? module : end;
	const char *plus = memmem(text, (size_t)(name_end - text), "+0x", 3);
	struct placeholder *placeholder = len ? placeholder_new(ctx, text, len) : NULL;
	uint64_t offset = 0, address;
	const char *at;
	char *p;

	if (!placeholder)
		return 0;
	if (plus) {
		at = placeholder->text + (plus - text) + 1;
		dkt__take_u64(&at, NULL, DKT__HEX, &offset);
		if (*at++ == '/')
			dkt__take_u64(&at, NULL, DKT__HEX, &placeholder->size);
	}
	placeholder->text[(plus ? plus : name_end) - text] = '\0';
	if (module) {
		p = placeholder->text + strlen(placeholder->text);
		placeholder->entry.in_module = true;
		p = mempcpy(p + 2, module + 2, (size_t)(end - module - 2));
		p[-(end[-1] == ']')] = '\0';
	}
	address = placeholder_add(ctx, placeholder);
	return address && offset < PLACEHOLDER_EACH ? address + offset : 0;
}

/* The digits of an address in the text. */
#define WIDTH 16

static void put_entry(struct dkt_buf *buf, const struct symbol_entry *entry)
{
	size_t from;

	dkt__buf_hex(buf, entry->address, WIDTH, '0');
	dkt_buf_str(buf, entry->is_code ? " t " : " d ");
	/* Some readers end a name at a space, which names of C++ functions can have. */
	from = buf->len;
	dkt_buf_str(buf, entry->name);
	for (; from < buf->len; from++)
		if (buf->data[from] == ' ')
			buf->data[from] = '_';
	if (entry->in_module) {
		dkt_buf_str(buf, "\t[");
		dkt_buf_str(buf, entry_module(entry));
		dkt_buf_str(buf, "]");
	}
	dkt_buf_str(buf, "\n");
}

/* Brings a line of kallsyms into the form of put_entry(). False: the line is left out. */
static bool trim_line(char *line)
{
	const char *at = line;
	uint64_t address;
	char *type = line + WIDTH + 1;

	if (dkt__take_u64(&at, NULL, DKT__HEX, &address) || !address || at != line + WIDTH)
		return false;
	if (line[WIDTH] != ' ' || !type[0] || type[1] != ' ' || strchr("aA", type[0]) ||
	    strchr("\n$", type[2]))
		return false;
	*type = strchr("tTwW", *type) ? 't' : 'd';
	return true;
}

/* Appends the running kernel's names without taking them apart. False: nothing was appended. */
static bool add_kallsyms(struct dkt_ctx *ctx, struct dkt_buf *buf)
{
	char *path __cleanup(free) = symbols_path(ctx);
	char *text __cleanup(free) = NULL, *to, *next;
	size_t len;

	if (!path || dkt__read_file(path, SIZE_MAX, &text, &len) || strcspn(text, " ") != WIDTH)
		return false;
	to = text;
	for (char *line = text; *line; line = next) {
		char *end = strchrnul(line, '\n');

		next = end + (*end == '\n');
		if (!trim_line(line))
			continue;
		memmove(to, line, (size_t)(end - line));
		to += end - line;
		*to++ = '\n';
	}
	dkt__buf_add(buf, text, (size_t)(to - text));
	return true;
}

int dkt__symbols_text(struct dkt_ctx *ctx, struct dkt_buf *buf)
{
	const struct symbol_list *list;

	if (!symbols_of(ctx))
		return dkt__no_memory(ctx);
	if (!ctx->given && !ctx->symbols->functions_read && !ctx->symbols->n_placeholders &&
	    add_kallsyms(ctx, buf))
		return buf->err;
	read_functions(ctx);
	if (ctx->starved)
		return dkt__no_memory(ctx);
	list = &ctx->symbols->functions;
	for (size_t i = 0; i < list->n; i++)
		put_entry(buf, &list->entries[i]);
	for (size_t i = 0; i < ctx->symbols->n_placeholders; i++)
		put_entry(buf, &ctx->symbols->placeholders[i]->entry);
	return buf->err;
}

/* ---- printk_formats ---- */

/* 0xffffffff828195af : "thaw_processes" */
static bool cut_string(char *line, struct symbol_entry *entry)
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
	const struct symbol_entry *entry;
	char *text;

	if (!symbols)
		return NULL;
	if (!symbols->strings_read) {
		symbols->strings_read = true;
		if (!dkt__kernel_strings(ctx, &text))
			dkt__starve(ctx,
				    dkt__symbol_list_fill(&symbols->strings, text, cut_string));
	}
	entry = dkt__symbol_list_find(&symbols->strings, address);
	return entry && entry->address == address ? entry->name : NULL;
}
