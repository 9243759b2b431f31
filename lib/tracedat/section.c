/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads a trace.dat file but for the records. Version 6 has parts in a fixed order. In version 7 options point at
 * sections with the same parts, which can be compressed.
 */
#include "lib/tracedat.h"

/* More formats than any kernel has. */
#define MAX_EVENTS (1u << 20)

/* The largest unpacked size of a section without records. */
#define SECTION_MAX (256u << 20)

/* A chain of more sections of options than this must be a loop. */
#define MAX_CHAIN 65536

/* ---- what describes the kernel: formats, symbols, names of processes ---- */

static bool take_word(struct dkt__cursor *cur, const char *word)
{
	const uint8_t *p = dkt__cursor_bytes(cur, strlen(word) + 1);

	return p && !memcmp(p, word, strlen(word) + 1);
}

/* Finds the size of the kernel's long in "field: local_t commit;\toffset:8;\tsize:8;". */
static void find_long_size(struct dkt__dat *dat, const char *text, size_t len)
{
	const char *end = text + len, *p = memmem(text, len, "commit;", 7);

	p = p ? memmem(p, (size_t)(end - p), "size:", 5) : NULL;
	if (p && end - p > 5 && (p[5] == '4' || p[5] == '8'))
		dat->ctx->long_size = (uint8_t)(p[5] - '0');
}

static bool read_header_info(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	const uint8_t *text;
	uint64_t n;

	if (!take_word(cur, "header_page"))
		return false;
	n = dkt__cursor_number(cur, 8);
	text = dkt__cursor_bytes(cur, n);
	if (!text || !take_word(cur, "header_event"))
		return false;
	find_long_size(dat, (const char *)text, n);
	n = dkt__cursor_number(cur, 8);
	return dkt__cursor_bytes(cur, n);
}

/* Adds the text of a format file to the list, without copying the text. */
static bool take_format(struct dkt__dat *dat, const char *system, struct dkt__cursor *cur)
{
	uint64_t n = dkt__cursor_number(cur, 8);
	const uint8_t *text = dkt__cursor_bytes(cur, n);

	if (!text || dat->n_given >= MAX_EVENTS)
		return false;
	return !dkt__starve(dat->ctx, dkt__append(dat->given, dat->n_given,
						  (struct dkt__given){ .system = system,
								       .text = (const char *)text,
								       .len = n }));
}

static bool read_ftrace_events(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	uint64_t n = dkt__cursor_number(cur, 4);

	for (uint64_t i = 0; !cur->bad && i < n; i++)
		if (!take_format(dat, "ftrace", cur))
			return false;
	return !cur->bad;
}

static bool read_event_formats(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	uint64_t m, n = dkt__cursor_number(cur, 4);

	for (uint64_t i = 0; !cur->bad && i < n; i++) {
		const char *system = dkt__cursor_string(cur);

		m = dkt__cursor_number(cur, 4);
		for (uint64_t j = 0; !cur->bad && j < m; j++)
			if (!take_format(dat, system, cur))
				return false;
	}
	return !cur->bad;
}

/* Sets *text to the next n bytes, without copying them. Replaces an earlier text. */
static bool take_text(struct dkt__cursor *cur, uint64_t n, struct dkt__symbol_text *text)
{
	const uint8_t *p = dkt__cursor_bytes(cur, n);

	if (p)
		*text = (struct dkt__symbol_text){ .bytes = p, .n = n };
	return p;
}

static bool read_kallsyms(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	return take_text(cur, dkt__cursor_number(cur, 4), &dat->kallsyms);
}

static bool read_printk(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	return take_text(cur, dkt__cursor_number(cur, 4), &dat->printk);
}

static bool read_cmdlines(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	uint64_t n = dkt__cursor_number(cur, 8);
	const uint8_t *text = dkt__cursor_bytes(cur, n);

	return text &&
	       !dkt__starve(dat->ctx, dkt__comms_parse(&dat->streams.comms, (const char *)text, n));
}

/* All of the section: trace-cmd's manual speaks of a length before it, but it writes none. */
static bool read_btf(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	return take_text(cur, dkt__cursor_left(cur), &dat->btf);
}

static bool read_modules(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	return take_text(cur, dkt__cursor_left(cur), &dat->modules);
}

/* In the order of version 6, then those that only version 7 has. */
static const struct {
	unsigned int id;
	bool (*read)(struct dkt__dat *dat, struct dkt__cursor *cur);
	const char *name;
} sections[] = {
	{ DAT_HEADER_INFO, read_header_info, "header" },
	{ DAT_FTRACE_EVENTS, read_ftrace_events, "formats of ftrace" },
	{ DAT_EVENT_FORMATS, read_event_formats, "formats of events" },
	{ DAT_KALLSYMS, read_kallsyms, "symbols" },
	{ DAT_PRINTK, read_printk, "strings" },
	{ DAT_CMDLINES, read_cmdlines, "names of processes" },
	{ DAT_BTF, read_btf, "BTF" },
	{ DAT_MODULES, read_modules, "modules" },
};

/* The sections that version 6 has, too. */
#define N_TABLES 6

unsigned int dkt__dat_read_tables(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	unsigned int last = 0;

	for (size_t i = 0; i < N_TABLES && sections[i].read(dat, cur); i++)
		last = sections[i].id;
	return last;
}

/* ---- sections of version 7 ---- */

bool dkt__dat_section(struct dkt__cursor cur, uint64_t at, uint64_t n,
		      struct dkt__dat_section *section)
{
	section->id = (unsigned int)dkt__cursor_number(&cur, 2);
	section->packed = dkt__cursor_number(&cur, 2) & SECTION_COMPRESSED;
	dkt__cursor_number(&cur, 4);
	section->size = dkt__cursor_number(&cur, 8);
	if (cur.bad)
		return false;
	section->at = at + SECTION_HEAD;
	section->left = n - section->at;
	section->cur = cur;
	if (section->size < dkt__cursor_left(&cur))
		section->cur.end = cur.p + section->size;
	return true;
}

bool dkt__dat_section_at(const struct dkt__dat *dat, uint64_t at, struct dkt__dat_section *section)
{
	return dkt__dat_section(dkt__dat_at(dat, at), at, dat->file.size, section);
}

/* Limits the total size of all sections, because many options may point at the same section. */
static bool may_open(struct dkt__dat *dat, uint64_t size)
{
	dat->sections += size;
	return dat->sections <= dkt__unpack_limit(dat->file.size);
}

/*
 * Returns room for the bytes of a section. own NULL: it lives as long as the context; otherwise *own
 * becomes the room, which the caller frees.
 */
static uint8_t *section_room(struct dkt__dat *dat, size_t size, void **own)
{
	if (!own)
		return dkt__ctx_keep(dat->ctx, size + 1);
	*own = malloc(size + 1);
	return *own;
}

static bool copy_section(struct dkt__dat *dat, struct dkt__cursor *section, void **own)
{
	const size_t size = dkt__cursor_left(section);
	uint8_t *copy = section_room(dat, size, own);

	if (!copy)
		return false;
	memcpy(copy, section->p, size);
	section->p = copy;
	section->end = copy + size;
	return true;
}

/* The size of the byte count before the text of the symbols. */
#define KALLSYMS_SKIP 4

/* Takes the compressed bytes of a section. False: they are invalid. */
static bool take_packed(struct dkt__dat *dat, struct dkt__cursor *cur,
			struct dkt__symbol_text *packed)
{
	*packed = (struct dkt__symbol_text){ .codec = dat->codec };
	packed->n = dkt__cursor_number(cur, 4);
	packed->size = dkt__cursor_number(cur, 4);
	packed->bytes = dkt__cursor_bytes(cur, packed->n);
	return packed->bytes && packed->codec && packed->size <= SECTION_MAX &&
	       may_open(dat, packed->size);
}

/*
 * Finds a section's bytes and unpacks them if necessary; own as above. False: the section is invalid.
 */
static bool open_section(struct dkt__dat *dat, uint64_t offset, unsigned int id,
			 struct dkt__cursor *cur, void **own)
{
	struct dkt__dat_section section;
	struct dkt__symbol_text packed;
	uint8_t *copy;

	if (!dkt__dat_section_at(dat, offset, &section) || section.id != id)
		return false;
	/* A truncated file has only the beginning of the section: read that. */
	dat->cut |= section.size > section.left;
	*cur = section.cur;
	if (!section.packed)
		return may_open(dat, dkt__cursor_left(cur)) &&
		       (!dat->copies || copy_section(dat, cur, own));
	if (!take_packed(dat, cur, &packed))
		return false;
	copy = section_room(dat, packed.size, own);
	if (!copy ||
	    dat->codec->decompress(&dat->codec_state, packed.bytes, packed.n, copy, packed.size))
		return false;
	cur->p = copy;
	cur->end = copy + packed.size;
	return true;
}

/* Keeps the symbols or BTF compressed, because few readers need them. False: not possible. */
static bool keep_packed(struct dkt__dat *dat, unsigned int id, uint64_t offset)
{
	struct dkt__dat_section section;
	struct dkt__symbol_text text;

	if (!dkt__dat_section_at(dat, offset, &section) || section.id != id || !section.packed ||
	    !take_packed(dat, &section.cur, &text))
		return false;
	/* That of a pipe begins with its symbols, whose bytes stay. */
	text.skip = id == DAT_KALLSYMS ? KALLSYMS_SKIP : 0;
	if (text.size < text.skip)
		return false;
	*(id == DAT_KALLSYMS ? &dat->kallsyms : &dat->btf) = text;
	return true;
}

void dkt__dat_read_section(struct dkt__dat *dat, unsigned int id, uint64_t offset)
{
	/* Names of processes are copied from their sections, which come again and again. */
	void *own __cleanup(free) = NULL;
	struct dkt__cursor cur;
	size_t i;

	dat->seen |= 1u << id;
	if ((id == DAT_KALLSYMS || id == DAT_BTF) && keep_packed(dat, id, offset))
		return;
	for (i = 0; i < ARRAY_SIZE(sections); i++)
		if (sections[i].id == id)
			break;
	if (i < ARRAY_SIZE(sections) &&
	    (!open_section(dat, offset, id, &cur, id == DAT_CMDLINES ? &own : NULL) ||
	     !sections[i].read(dat, &cur)))
		dkt__streams_damage(&dat->streams, "the section of %s cannot be read",
				    sections[i].name);
}

/* ---- options ---- */

/* Reads a section of options. Stores the offset of the next one, or 0 after the last. */
static int read_options(struct dkt__dat *dat, struct dkt__cursor *cur, uint64_t *next)
{
	int err = 0;

	*next = 0;
	while (!err) {
		unsigned int id = (unsigned int)dkt__cursor_number(cur, 2);
		struct dkt__cursor option = *cur;
		uint64_t size;

		/* In version 6 the last one has no data. */
		if (dat->version < 7 && id == DAT_DONE)
			break;
		size = dkt__cursor_number(cur, 4);
		option.p = dkt__cursor_bytes(cur, size);
		option.end = cur->p;
		if (!option.p) {
			dat->cut = true;
			break;
		}
		if (id == DAT_DONE) {
			*next = dkt__cursor_number(&option, 8);
			break;
		}
		if (dat->version >= 7 && dkt__dat_is_table(id))
			dkt__dat_read_section(dat, id, dkt__cursor_number(&option, 8));
		else
			err = dkt__with_words(dat->ctx, dkt__dat_option(dat, id, option));
	}
	return err;
}

int dkt__dat_read_stats(struct dkt__dat *dat, uint64_t offset)
{
	void *own __cleanup(free) = NULL;
	struct dkt__cursor cur, option;
	int err = 0;

	if (!open_section(dat, offset, DAT_DONE, &cur, &own))
		return 0;
	while (!err && dkt__cursor_left(&cur)) {
		unsigned int id = (unsigned int)dkt__cursor_number(&cur, 2);
		uint64_t size = dkt__cursor_number(&cur, 4);

		option = cur;
		option.p = dkt__cursor_bytes(&cur, size);
		option.end = cur.p;
		if (!option.p)
			break;
		if (id == DAT_CPUSTAT)
			err = dkt__with_words(dat->ctx, dkt__dat_option(dat, id, option));
	}
	return err;
}

/* ---- version 6 ---- */

static int read_buffers(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	const uint8_t *word = dkt__cursor_bytes(cur, 10);
	struct dkt__dat_buffer *top;
	uint64_t next;
	int err = 0;

	if (word && !memcmp(word, "options  ", 10)) {
		err = read_options(dat, cur, &next);
		word = dkt__cursor_bytes(cur, 10);
	}
	if (err)
		return err;
	if (word && !memcmp(word, "latency  ", 10)) {
		dat->text = true;
		return 0;
	}
	top = dkt__dat_buffer_add(dat, "");
	if (!top)
		return dkt__no_memory(dat->ctx);
	if (!word || memcmp(word, "flyrecord", 10) ||
	    !dkt__dat_cpu_table(dat, top, dat->n_cpus, cur))
		dat->cut = true;
	return 0;
}

int dkt__dat_read_v6(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	bool good = dkt__dat_read_tables(dat, cur) == DAT_CMDLINES;

	dat->n_cpus = (uint32_t)dkt__cursor_number(cur, 4);
	if (!good || cur->bad) {
		dat->cut = true;
		return 0;
	}
	return read_buffers(dat, cur);
}

/* ---- version 7 ---- */

static int read_chain(struct dkt__dat *dat, uint64_t next)
{
	struct dkt__cursor cur;
	int err = 0;

	for (unsigned int n = 0; !err && next; n++) {
		if (n == MAX_CHAIN) {
			dkt__streams_damage(&dat->streams, "the options form a loop");
			break;
		}
		if (!open_section(dat, next, DAT_DONE, &cur, NULL)) {
			dat->cut = true;
			break;
		}
		err = read_options(dat, &cur, &next);
	}
	return err;
}

int dkt__dat_read_v7(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	const char *name = dkt__cursor_string(cur);
	uint64_t options;
	int err = 0;

	dkt__cursor_string(cur); /* the version of the compression library */
	options = dkt__cursor_number(cur, 8);
	if (*name && strcmp(name, "none")) {
		dat->codec = dkt__codec_find(name);
		if (!dat->codec)
			return dkt_fail(dat->ctx, -EOPNOTSUPP,
					"read %s: its compression '%.32s' is not supported",
					dat->file.name, name);
	}
	dat->cut = !options || cur->bad;
	/* In a finished file, the sections that the options name precede them. */
	dat->journal = !dat->cut && options == (uint64_t)(cur->p - dat->file.data);
	if (!dat->cut)
		err = read_chain(dat, options);
	if (!err && dat->journal)
		return dkt__dat_read_journal(dat, options);
	return err || !dat->cut ? err : dkt__dat_recover(dat, (uint64_t)(cur->p - dat->file.data));
}
