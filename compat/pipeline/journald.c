/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sends lines of the legacy style to systemd's journal. */
#include "compat/pipeline/journald.h"

#include "compat/io/journal.h"
#include "compat/lustre/mask.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"
#include "lib/base/util.h"

/* The kernel's levels, as Lustre uses them for its console. */
static const struct {
	const char *class;
	char priority;
} levels[] = {
	{ "emerg", '0' },
	{ "error", '3' },
	{ "warning", '4' },
	{ "console", '5' },
};

/* ---- a line ---- */

/* The parts of SUBSYS:MASK:CPU.TYPE[F]:SEC.USEC:STACK:PID:EXT:(FILE:LINE:FUNC()) TEXT */
struct parts {
	uint64_t subsystem, mask, cpu, pid;
	const char *time, *file, *line, *function, *text;
	size_t time_len, file_len, line_len, function_len;
};

/* Takes the text before the mark, and moves *p after it. */
static bool take_part(const char **p, const char *end, const char *mark, const char **part,
		      size_t *len)
{
	const char *at = memmem(*p, (size_t)(end - *p), mark, strlen(mark));

	if (!at)
		return false;
	*part = *p;
	*len = (size_t)(at - *p);
	*p = at + strlen(mark);
	return true;
}

/* Takes a number up to the mark. */
static bool take_number(const char **p, const char *end, unsigned int base, char mark,
			uint64_t *number)
{
	if (dkt__take_u64(p, end, base, number) || *p == end || **p != mark)
		return false;
	(*p)++;
	return true;
}

static bool take_parts(const char *line, const char *end, struct parts *parts)
{
	const char *p = line, *skipped;
	uint64_t number;
	size_t len;
	bool ok = take_number(&p, end, DKT__HEX, ':', &parts->subsystem) &&
		  take_number(&p, end, DKT__HEX, ':', &parts->mask) &&
		  take_number(&p, end, DKT__DEC, '.', &parts->cpu) &&
		  take_part(&p, end, ":", &skipped, &len) &&
		  take_part(&p, end, ":", &parts->time, &parts->time_len) &&
		  take_number(&p, end, DKT__DEC, ':', &number) &&
		  take_number(&p, end, DKT__DEC, ':', &parts->pid) &&
		  take_number(&p, end, DKT__DEC, ':', &number) &&
		  take_part(&p, end, "(", &skipped, &len) && !len &&
		  take_part(&p, end, ":", &parts->file, &parts->file_len) &&
		  take_part(&p, end, ":", &parts->line, &parts->line_len) &&
		  take_part(&p, end, "()) ", &parts->function, &parts->function_len);

	parts->text = p;
	return ok;
}

/* ---- fields ---- */

static void put_number(struct dkt_buf *buf, const char *name, uint64_t number)
{
	dkt_buf_str(buf, name);
	dkt__buf_add(buf, "=", 1);
	dkt__buf_u64(buf, number, 0, ' ');
	dkt__buf_add(buf, "\n", 1);
}

static void put_mask(struct dkt_buf *buf, const char *name, enum mask_kind kind, uint64_t bits)
{
	char words[MASK_TEXT_SIZE];

	dkl_mask_format(kind, (uint32_t)bits, words);
	dkl_journal_field(buf, name, words, strlen(words));
}

static char priority_of(uint64_t mask)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		int bit = dkl_mask_bit(MASK_DEBUG, levels[i].class, strlen(levels[i].class));

		if (bit >= 0 && mask & UINT64_C(1) << bit)
			return levels[i].priority;
	}
	return '7';
}

void dkl_journald_fields(const char *line, size_t len, struct dkt_buf *buf)
{
	const char *end = line + len;
	struct parts parts = { 0 };
	const bool known = take_parts(line, end, &parts);
	const char priority = known ? priority_of(parts.mask) : '6';

	dkt_buf_str(buf, "SYSLOG_IDENTIFIER=dktrace\n");
	dkl_journal_field(buf, "PRIORITY", &priority, 1);
	dkl_journal_field(buf, "MESSAGE", known ? parts.text : line,
			  (size_t)(end - (known ? parts.text : line)));
	if (!known)
		return;
	dkl_journal_field(buf, "CODE_FILE", parts.file, parts.file_len);
	dkl_journal_field(buf, "CODE_LINE", parts.line, parts.line_len);
	dkl_journal_field(buf, "CODE_FUNC", parts.function, parts.function_len);
	put_mask(buf, "DKTRACE_CLASS", MASK_DEBUG, parts.mask);
	put_mask(buf, "DKTRACE_SUBSYSTEM", MASK_SUBSYSTEM, parts.subsystem);
	put_number(buf, "DKTRACE_CPU", parts.cpu);
	put_number(buf, "DKTRACE_PID", parts.pid);
	dkl_journal_field(buf, "DKTRACE_TIME", parts.time, parts.time_len);
}

int dkl_journald_send(struct dkt_ctx *ctx, int fd, const char *text, size_t len)
{
	const char *end = text + len, *line = text, *next;
	struct dkt_buf *buf;
	int err = dkt_buf_new(&buf);

	if (err)
		return dkt__with_words(ctx, err);
	for (; !err && line < end; line = next) {
		const char *stop = memchr(line, '\n', (size_t)(end - line)) ?: end;

		next = stop + (stop < end);
		dkt_buf_reset(buf);
		dkl_journald_fields(line, (size_t)(stop - line), buf);
		err = dkl_journal_send(ctx, fd, buf);
	}
	dkt_buf_free(buf);
	return err;
}
