/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the sections that describe the kernel: formats, symbols, names of processes. */
#include "lib/tracedat.h"

/* More formats than any kernel has. */
#define MAX_EVENTS (1u << 20)

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

bool dkt__dat_header_info(struct dkt__dat *dat, struct dkt__cursor *cur)
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
	return !dkt__append(
		dat->given, dat->n_given,
		(struct dkt__given){ .system = system, .text = (const char *)text, .len = n });
}

bool dkt__dat_ftrace_events(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	uint64_t n = dkt__cursor_number(cur, 4);

	for (uint64_t i = 0; !cur->bad && i < n; i++)
		if (!take_format(dat, "ftrace", cur))
			return false;
	return !cur->bad;
}

bool dkt__dat_event_formats(struct dkt__dat *dat, struct dkt__cursor *cur)
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

bool dkt__dat_kallsyms(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	return take_text(cur, dkt__cursor_number(cur, 4), &dat->kallsyms);
}

bool dkt__dat_printk(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	return take_text(cur, dkt__cursor_number(cur, 4), &dat->printk);
}

bool dkt__dat_cmdlines(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	uint64_t n = dkt__cursor_number(cur, 8);
	const uint8_t *text = dkt__cursor_bytes(cur, n);

	return text && !dkt__comms_parse(&dat->streams.comms, (const char *)text, n);
}
