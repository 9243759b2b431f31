/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints the records of trace_printk(): a constant format of the kernel, and the arguments as
 * vbin_printf() of lib/vsprintf.c packs them.
 */
#include <ctype.h>

#include "lib/event.h"
#include "lib/plan.h"
#include "lib/symbol.h"

/* Stands for the address of a string whose bytes are in the record; the kernel could use it. */
#define SOME_ADDRESS (UINT64_C(1) << 32)

/* A conversion has a width, a precision and a value. */
#define MAX_WORDS 3

/* The packed arguments, and those of the current conversion. */
struct packed {
	const uint8_t *base;
	uint8_t *swap; /* base, to swap the bytes of each number in place before it is read; or NULL */
	size_t at, len;
	struct dkt_ctx *ctx;
	uint64_t words[MAX_WORDS];
	size_t n_words;
	bool end; /* an argument lies outside the record */
	const char *string;
	size_t string_len;
};

static void take_number(struct packed *packed, unsigned int size, bool is_signed)
{
	unsigned int align = DKT__MIN(size, 4u);

	packed->at = (packed->at + align - 1) / align * align;
	packed->end |= packed->at > packed->len || packed->len - packed->at < size;
	if (packed->end)
		return;
	if (packed->swap)
		dkt__turn(packed->swap + packed->at, size);
	packed->words[packed->n_words++] =
		dkt__load_at(packed->base + packed->at, dkt__plan_load(size, is_signed));
	packed->at += size;
}

/* Takes a string with its NUL, which a truncated record lacks. */
static void take_string(struct packed *packed)
{
	packed->end |= packed->at >= packed->len;
	if (packed->end)
		return;
	packed->string = (const char *)packed->base + packed->at;
	packed->string_len = strnlen(packed->string, packed->len - packed->at);
	packed->at += packed->string_len;
	if (packed->at < packed->len) {
		packed->string_len++;
		packed->at++;
	}
	packed->words[packed->n_words++] = SOME_ADDRESS;
}

static void string_behind(void *data, size_t i, const void **bytes, size_t *len)
{
	const struct packed *packed = data;

	if (i + 1 != packed->n_words || !packed->string)
		return;
	*bytes = packed->string;
	*len = packed->string_len;
}

/* Skips a width or precision, and takes its argument if it is "*". */
static const char *skip_number(struct packed *packed, const char *p)
{
	if (*p == '*') {
		take_number(packed, 4, true);
		return p + 1;
	}
	return p + strspn(p, "0123456789");
}

/* True if vbin_printf() records the pointer itself for %p with this letter after it. */
static bool is_address(char letter)
{
	return !isalnum((unsigned char)letter) || strchr("SsFfxKe", letter);
}

/*
 * True if vbin_printf() recorded a text instead of a pointer. Before 4.16 Linux recorded all
 * pointers as addresses.
 */
static bool is_text(const struct packed *packed)
{
	return packed->at < packed->len && isprint(packed->base[packed->at]);
}

/* Takes the value of the conversion whose last letter is at p. */
static void take_value(struct packed *packed, const char *p, unsigned int size)
{
	if (*p == 's' || (*p == 'p' && !is_address(p[1]) && is_text(packed)))
		take_string(packed);
	else if (*p == 'p')
		take_number(packed, packed->ctx->long_size, false);
	else if (*p != '%')
		take_number(packed, *p == 'c' ? 1 : size, *p == 'd' || *p == 'i');
}

/* Prints "%p" as libtraceevent does; the kernel prints a hash. */
static void put_address(uint64_t address, struct dkt_buf *buf)
{
	if (address)
		dkt_buf_printf(buf, "0x%llx", (unsigned long long)address);
	else
		dkt__buf_add(buf, "(nil)", 5);
}

/*
 * Takes the arguments of the conversion at the '%'. Returns its last letter; NULL: the kernel ends
 * the text here.
 */
static const char *take_conversion(struct packed *packed, const char *percent)
{
	const char *p = percent + 1;
	unsigned int size;

	packed->n_words = 0;
	packed->string = NULL;
	p = skip_number(packed, p + strspn(p, "-+ #0"));
	if (*p == '.')
		p = skip_number(packed, p + 1);
	p = dkt__spec_size(p, NULL, packed->ctx->long_size, &size);
	if (!*p || !strchr("%cspdiuxXo", *p))
		return NULL;
	take_value(packed, p, size);
	return p;
}

static void put_conversion(struct packed *packed, const char *percent, size_t len, char letter,
			   struct dkt_buf *buf)
{
	struct dkt__kprintf_args args = { .sz = sizeof(args),
					  .ctx = packed->ctx,
					  .words = packed->words,
					  .n = packed->n_words,
					  .pointee = string_behind,
					  .data = packed };

	/* The kernel recorded the text of extensions such as %pM. */
	if (letter == 'p' && packed->string && !packed->end)
		dkt__buf_add(buf, packed->string, strnlen(packed->string, packed->string_len));
	else if (len == 2 && letter == 'p' && !packed->end)
		put_address(packed->words[0], buf);
	else
		dkt__buf_kprintf(buf, percent, len, &args);
}

/* Prints the message; without a buffer only takes the arguments, which swaps their bytes. */
static void put_message(struct packed *packed, const char *fmt, struct dkt_buf *buf)
{
	const char *percent, *letter;

	while (fmt && *fmt) {
		percent = strchrnul(fmt, '%');
		if (buf)
			dkt__buf_add(buf, fmt, (size_t)(percent - fmt));
		letter = *percent ? take_conversion(packed, percent) : NULL;
		if (!letter)
			return;
		fmt = letter + 1;
		if (*letter == 'p')
			while (isalnum((unsigned char)*fmt))
				fmt++;
		if (buf)
			put_conversion(packed, percent, (size_t)(fmt - percent), *letter, buf);
	}
}

bool dkt__plan_is_bprint(struct dkt_event *event)
{
	return dkt_event_field(event, "ip") && dkt_event_field(event, "fmt") &&
	       dkt_event_field(event, "buf");
}

void dkt__plan_bprint_text(const struct dkt_record *record, struct dkt_buf *buf)
{
	struct dkt_ctx *ctx = record->event->ctx;
	struct packed packed = { .ctx = ctx };
	uint64_t fmt = (uint64_t)dkt__record_value(record, "fmt");
	const char *text = dkt__kernel_string(ctx, fmt);

	dkt__function_text(ctx, (uint64_t)dkt__record_value(record, "ip"), false, buf);
	if (!text) {
		/* libtraceevent prints the same. */
		dkt_buf_printf(buf, ": (NO FORMAT FOUND at %llx)", (unsigned long long)fmt);
		return;
	}
	dkt__buf_add(buf, ": ", 2);
	packed.base = dkt_record_bytes(record, dkt_event_field(record->event, "buf"), &packed.len);
	put_message(&packed, text, buf);
}

void dkt__plan_bprint_turn(struct dkt_event *event, uint8_t *data, uint32_t size)
{
	struct dkt_record record = { .event = event, .data = data, .size = size };
	struct packed packed = { .ctx = event->ctx };

	packed.base = dkt_record_bytes(&record, dkt_event_field(event, "buf"), &packed.len);
	packed.swap = data + (packed.base - data);
	put_message(&packed,
		    dkt__kernel_string(event->ctx, (uint64_t)dkt__record_value(&record, "fmt")),
		    NULL);
}
