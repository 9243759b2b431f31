/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a trace.dat of version 7, in which options point at sections. */
#include "lib/tracedat.h"

/* The largest unpacked size of a section without records. */
#define SECTION_MAX (256u << 20)

/* A chain of more sections of options than this must be a loop. */
#define MAX_CHAIN 65536

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

/*
 * Finds a section's bytes and unpacks them if necessary; own as above. False: the section is invalid.
 */
static bool open_section(struct dkt__dat *dat, uint64_t offset, unsigned int id,
			 struct dkt__cursor *section, void **own)
{
	struct dkt__cursor cur = dkt__dat_at(dat, offset);
	bool is_it = dkt__cursor_number(&cur, 2) == id;
	bool packed = dkt__cursor_number(&cur, 2) & SECTION_COMPRESSED;
	uint64_t size, n;
	uint8_t *copy;

	dkt__cursor_number(&cur, 4);
	size = dkt__cursor_number(&cur, 8);
	if (cur.bad || !is_it)
		return false;
	/* A truncated file has only the beginning of the section: read that. */
	if (size > dkt__cursor_left(&cur)) {
		dat->cut = true;
		size = dkt__cursor_left(&cur);
	}
	cur.end = cur.p + size;
	*section = cur;
	if (!packed)
		return may_open(dat, size) && (!dat->copies || copy_section(dat, section, own));
	size = dkt__cursor_number(&cur, 4);
	n = dkt__cursor_number(&cur, 4);
	cur.p = dkt__cursor_bytes(&cur, size);
	if (!cur.p || !dat->codec || n > SECTION_MAX || !may_open(dat, n))
		return false;
	copy = section_room(dat, n, own);
	if (!copy || dat->codec->decompress(&dat->codec_state, cur.p, size, copy, n))
		return false;
	section->p = copy;
	section->end = copy + n;
	return true;
}

/* The sections with the kernel's formats, symbols and names. */
static const struct {
	unsigned int id;
	bool (*read)(struct dkt__dat *dat, struct dkt__cursor *cur);
	const char *name;
} sections[] = {
	{ DAT_HEADER_INFO, dkt__dat_header_info, "header" },
	{ DAT_FTRACE_EVENTS, dkt__dat_ftrace_events, "formats of ftrace" },
	{ DAT_EVENT_FORMATS, dkt__dat_event_formats, "formats of events" },
	{ DAT_KALLSYMS, dkt__dat_kallsyms, "symbols" },
	{ DAT_PRINTK, dkt__dat_printk, "strings" },
	{ DAT_CMDLINES, dkt__dat_cmdlines, "names of processes" },
};

/* The size of the byte count before the text of the symbols. */
#define KALLSYMS_SKIP 4

/* Keeps the symbols compressed, because few readers need them. False: not possible. */
static bool keep_symbols(struct dkt__dat *dat, uint64_t offset)
{
	struct dkt__cursor cur = dkt__dat_at(dat, offset);
	struct dkt__symbol_text text = { .codec = dat->codec, .skip = KALLSYMS_SKIP };
	bool is_it = dkt__cursor_number(&cur, 2) == DAT_KALLSYMS;

	is_it &= dkt__cursor_number(&cur, 2) & SECTION_COMPRESSED;
	dkt__cursor_number(&cur, 4);
	dkt__cursor_number(&cur, 8);
	text.n = dkt__cursor_number(&cur, 4);
	text.size = dkt__cursor_number(&cur, 4);
	text.bytes = dkt__cursor_bytes(&cur, text.n);
	if (!is_it || !text.bytes || !text.codec || text.size < text.skip ||
	    text.size > SECTION_MAX || !may_open(dat, text.size))
		return false;
	dat->kallsyms = text;
	return true;
}

void dkt__dat_read_section(struct dkt__dat *dat, unsigned int id, uint64_t offset)
{
	/* Names of processes are copied from their sections, which come again and again. */
	void *own __cleanup(free) = NULL;
	struct dkt__cursor cur;
	size_t i;

	dat->seen |= 1u << id;
	if (id == DAT_KALLSYMS && keep_symbols(dat, offset))
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

/* Reads a section of options. Stores the offset of the next one, or 0 after the last. */
static int read_options(struct dkt__dat *dat, struct dkt__cursor *cur, uint64_t *next)
{
	int err = 0;

	*next = 0;
	while (!err) {
		unsigned int id = (unsigned int)dkt__cursor_number(cur, 2);
		uint64_t size = dkt__cursor_number(cur, 4);
		struct dkt__cursor option = *cur;

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
		if (id >= DAT_HEADER_INFO && id <= DAT_CMDLINES)
			dkt__dat_read_section(dat, id, dkt__cursor_number(&option, 8));
		else
			err = dkt__with_words(dat->ctx, dkt__dat_option(dat, id, option));
	}
	return err;
}

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
