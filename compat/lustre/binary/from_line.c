/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts lines of the legacy style to Lustre's binary records. */
#include "compat/lustre/binary/from_line.h"

#include "lib/base/parse.h"

/* Copies the text before the mark, with a NUL. Returns the text after the mark; NULL: no mark. */
static const char *take_part(const char *text, const char *end, const char *mark, uint8_t *rec,
			     size_t *size)
{
	const char *at = memmem(text, (size_t)(end - text), mark, strlen(mark));
	size_t len = at ? (size_t)(at - text) : 0;

	if (!at || *size + len + 1 > RECORD_FROM_LINE_MAX / 2)
		return NULL;
	memcpy(rec + *size, text, len);
	rec[*size + len] = '\0';
	*size += len + 1;
	return at + strlen(mark);
}

/* Copies the parts of "(FILE:LINE:FUNC()) " and returns the text after it; NULL: not found. */
static const char *take_place(const char *line, const char *end, struct record_head *head,
			      uint8_t *rec, size_t *size)
{
	const char *text = memchr(line, '(', (size_t)(end - line));
	uint64_t nr;

	text = text ? take_part(text + 1, end, ":", rec, size) : NULL;
	if (!text)
		return NULL;
	dkt__take_u64(&text, end, DKT__DEC, &nr);
	head->line = (uint32_t)nr;
	text = memchr(text, ':', (size_t)(end - text));
	return text ? take_part(text + 1, end, "()) ", rec, size) : NULL;
}

size_t dkl_record_from_line(const struct dkt_record *from, const struct class_bits *bits,
			    int64_t wall, const char *line, size_t len,
			    uint8_t rec[RECORD_FROM_LINE_MAX])
{
	uint64_t ns = from->ts + (uint64_t)wall;
	struct record_head head = { .flags = from->first ? RECORD_FIRST : 0,
				    .subsystem = bits->subsystems,
				    .mask = bits->classes,
				    .cpu = (uint16_t)from->cpu,
				    .sec = (uint32_t)(ns / 1000000000),
				    .usec = ns / 1000 % 1000000,
				    .pid = (uint32_t)from->pid };
	const char *end = line + len, *text;
	size_t size = sizeof(head);

	if (from->flags & (DKT_REC_HARDIRQ | DKT_REC_NMI))
		head.type = 2;
	else if (from->flags & DKT_REC_SOFTIRQ)
		head.type = 1;
	text = take_place(line, end, &head, rec, &size);
	/* A line of another form becomes text as a whole. */
	if (!text) {
		size = sizeof(head);
		rec[size++] = '\0';
		rec[size++] = '\0';
		text = line;
	}
	len = (size_t)(end - text);
	if (len > RECORD_FROM_LINE_MAX - size)
		len = RECORD_FROM_LINE_MAX - size;
	memcpy(rec + size, text, len);
	size += len;
	if (len)
		rec[size - 1] = '\n';
	head.len = (uint32_t)size;
	memcpy(rec, &head, sizeof(head));
	return size;
}
