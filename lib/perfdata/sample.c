/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes records of samples of events that are no tracepoints. */
#include <inttypes.h>

#include "lib/event.h"
#include "lib/perfdata.h"

/* The place of a text in a record has 16 bits, its length too. */
#define TEXT_END UINT16_MAX

/* Ends the text that was appended from at on, and stores its place. */
static void place_text(struct dkt_buf *buf, uint16_t field, size_t at)
{
	uint32_t place;

	dkt__buf_add(buf, "", 1);
	if (buf->err)
		return;
	if (buf->len > TEXT_END) {
		buf->len = DKT__MIN(at + 1, (size_t)TEXT_END);
		buf->data[buf->len - 1] = '\0';
		at = buf->len - 1;
	}
	place = (uint32_t)at | (uint32_t)(buf->len - at) << 16;
	memcpy(buf->data + field, &place, sizeof(place));
}

static void put_text(struct dkt_buf *buf, uint16_t field, const char *text, size_t n)
{
	const size_t at = buf->len;

	dkt__buf_add(buf, text, n);
	place_text(buf, field, at);
}

/* Puts the function at the sample's address, and the file that has it. */
static void put_place(struct dkt__perf *perf, const struct dkt__perf_shape *shape,
		      struct dkt__perf_item *item)
{
	struct dkt_buf *buf = &perf->sample;
	struct dkt__perf_name name;
	size_t at;

	dkt__perf_maps_place(perf, item, &name);
	memcpy(buf->data + shape->values[DKT__PERF_SYMOFF], &name.offset, sizeof(name.offset));
	put_text(buf, shape->texts[DKT__PERF_SYM], name.sym.text, name.sym.n);
	at = buf->len;
	if (name.in_module)
		dkt__buf_add(buf, "[", 1);
	dkt__buf_add(buf, name.dso.text, name.dso.n);
	if (name.in_module)
		dkt__buf_add(buf, "]", 1);
	place_text(buf, shape->texts[DKT__PERF_DSO], at);
}

/* Returns n bits of a word with bit fields, which begin at the other end on a big-endian machine. */
static uint64_t bits_of(const struct dkt__perf *perf, uint64_t word, unsigned int at,
			unsigned int n)
{
	bool big = perf->swap != DKT__BIG_ENDIAN;

	return word >> (big ? 64 - at - n : at) & ((UINT64_C(1) << n) - 1);
}

/* "0x401136/0x401120/P/-/-/12", as perf script -F brstack prints branches: flags, and cycles before it. */
static void put_branches(struct dkt__perf *perf, uint16_t field, const struct dkt__perf_item *item)
{
	struct dkt__cursor cur = dkt__perf_cursor(perf, item->branches, 24 * item->n_branches);
	struct dkt_buf *buf = &perf->sample;
	const size_t at = buf->len;

	for (uint32_t i = 0; i < item->n_branches && buf->len < TEXT_END; i++) {
		uint64_t from = dkt__cursor_number(&cur, 8), to = dkt__cursor_number(&cur, 8),
			 flags = dkt__cursor_number(&cur, 8);

		dkt_buf_printf(buf, "%s0x%" PRIx64 "/0x%" PRIx64 "/%c/%c/%c/%" PRIu64, i ? " " : "",
			       from, to,
			       bits_of(perf, flags, 0, 1) ? 'M' :
			       bits_of(perf, flags, 1, 1) ? 'P' :
							    '-',
			       bits_of(perf, flags, 2, 1) ? 'X' : '-',
			       bits_of(perf, flags, 3, 1) ? 'A' : '-', bits_of(perf, flags, 4, 16));
	}
	place_text(buf, field, at);
}

/* tools/perf/arch/x86/include/uapi/asm/perf_regs.h */
static const char *const x86_regs[] = { "AX", "BX",    "CX",  "DX",  "SI",  "DI",  "BP",  "SP",
					"IP", "FLAGS", "CS",  "SS",  "DS",  "ES",  "FS",  "GS",
					"R8", "R9",    "R10", "R11", "R12", "R13", "R14", "R15" };

static void put_reg_name(const struct dkt__perf *perf, struct dkt_buf *buf, unsigned int nr)
{
	static const char *const arm64_regs[] = { "lr", "sp", "pc" };
	const char *arch = perf->arch ? perf->arch : "";

	if (!strcmp(arch, "x86_64") && nr < ARRAY_SIZE(x86_regs))
		dkt_buf_str(buf, x86_regs[nr]);
	else if (!strcmp(arch, "aarch64") && nr >= 30 && nr - 30 < ARRAY_SIZE(arm64_regs))
		dkt_buf_str(buf, arm64_regs[nr - 30]);
	else {
		dkt_buf_str(buf, strcmp(arch, "aarch64") ? "r" : "x");
		dkt__buf_u64(buf, nr, 0, ' ');
	}
}

/* "AX:0x1 BX:0x7ffd10" */
static void put_regs(struct dkt__perf *perf, uint16_t field, const struct dkt__perf_regs *regs)
{
	const size_t n = (size_t)__builtin_popcountll(regs->mask);
	struct dkt__cursor cur = dkt__perf_cursor(perf, regs->words, 8 * n);
	struct dkt_buf *buf = &perf->sample;
	const size_t at = buf->len;

	for (unsigned int i = 0; i < 64; i++) {
		if (!(regs->mask >> i & 1))
			continue;
		dkt_buf_str(buf, buf->len > at ? " " : "");
		put_reg_name(perf, buf, i);
		dkt__buf_add(buf, ":0x", 3);
		dkt__buf_hex(buf, dkt__cursor_number(&cur, 8), 0, ' ');
	}
	place_text(buf, field, at);
}

static void put_raw(struct dkt__perf *perf, uint16_t field, const struct dkt__perf_item *item)
{
	const size_t room = TEXT_END - DKT__MIN(perf->sample.len, (size_t)TEXT_END - 1);
	const uint32_t n = (uint32_t)DKT__MIN((size_t)item->size, room - 1);
	const uint32_t place = (uint32_t)perf->sample.len | n << 16;

	memcpy(perf->sample.data + field, &place, sizeof(place));
	dkt__buf_add(&perf->sample, item->data, n);
}

static void put_details(struct dkt__perf *perf, const struct dkt__perf_shape *shape,
			const struct dkt__perf_item *item)
{
	if (shape->texts[DKT__PERF_BRANCHES])
		put_branches(perf, shape->texts[DKT__PERF_BRANCHES], item);
	if (shape->texts[DKT__PERF_USER_REGS])
		put_regs(perf, shape->texts[DKT__PERF_USER_REGS], &item->user_regs);
	if (shape->texts[DKT__PERF_INTR_REGS])
		put_regs(perf, shape->texts[DKT__PERF_INTR_REGS], &item->intr_regs);
	if (shape->texts[DKT__PERF_RAW] && item->data)
		put_raw(perf, shape->texts[DKT__PERF_RAW], item);
}

/* True if the first of the sample's callers is its address. */
static bool has_callers(const struct dkt__perf *perf, const struct dkt__perf_item *item)
{
	struct dkt__cursor cur = dkt__perf_cursor(perf, item->chain, (size_t)item->n_chain * 8);
	const uint64_t mark = dkt__cursor_number(&cur, 8), address = dkt__cursor_number(&cur, 8);

	return item->n_chain > 1 && perf->stacks[DKT__PERF_KERNEL].event &&
	       perf->stacks[DKT__PERF_PROGRAM].event &&
	       (mark == PERF_CONTEXT_KERNEL || mark == PERF_CONTEXT_USER) && address &&
	       address < PERF_CONTEXT_MAX;
}

const void *dkt__perf_sample_data(struct dkt__perf *perf, struct dkt__perf_item *item,
				  uint32_t *size)
{
	const struct dkt__perf_shape *shape = item->attr->shape;
	const struct dkt__entry entry = { .type = item->attr->nr, .pid = item->tid };
	struct dkt_buf *buf = &perf->sample;

	buf->len = 0;
	if (!dkt__buf_room(buf, shape->size))
		return NULL;
	memset(buf->data, 0, shape->size);
	memcpy(buf->data, &entry, sizeof(entry));
	buf->len = shape->size;
	for (int i = 0; i < DKT__PERF_VALUES; i++)
		if (shape->values[i])
			memcpy(buf->data + shape->values[i], &item->values[i], sizeof(uint64_t));
	if (shape->texts[DKT__PERF_SYM] && !(perf->only_stacks && has_callers(perf, item)))
		put_place(perf, shape, item);
	if (!perf->only_stacks)
		put_details(perf, shape, item);
	*size = (uint32_t)buf->len;
	return buf->err ? NULL : buf->data;
}
