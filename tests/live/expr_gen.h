/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes up filter expressions for an event, near the values that its records really have. */
#ifndef DKT_EXPR_GEN_H
#define DKT_EXPR_GEN_H

#include <inttypes.h>

#include "lib/expr.h"

struct gen {
	uint64_t state; /* of the random numbers */
	struct dkt_event *event;
	const struct dkt_record *samples; /* records of the event */
	size_t n_samples;
	bool has_cpus; /* this kernel knows CPUS{} */
	bool has_functions; /* and .function */
	bool strict; /* only what can be judged here */
	int cpus;
	struct dkt_buf out;
};

static uint32_t gen_below(struct gen *g, uint32_t n)
{
	/* Marsaglia's xorshift: the same on every machine. */
	g->state ^= g->state << 13;
	g->state ^= g->state >> 7;
	g->state ^= g->state << 17;
	return (uint32_t)(g->state >> 32) % n;
}

static const char *gen_pick(struct gen *g, const char *const *words, uint32_t n)
{
	return words[gen_below(g, n)];
}

#define GEN_PICK(g, ...)                                                                           \
	gen_pick(g, (const char *const[]){ __VA_ARGS__ },                                          \
		 (uint32_t)ARRAY_SIZE(((const char *const[]){ __VA_ARGS__ })))

static void gen_space(struct gen *g)
{
	dkt_buf_str(&g->out, GEN_PICK(g, "", " ", " ", " ", "  ", "\t"));
}

static const struct dkt_record *gen_sample(struct gen *g)
{
	return g->n_samples ? &g->samples[gen_below(g, (uint32_t)g->n_samples)] : NULL;
}

static bool gen_is_pointer(const struct dkt_field *field)
{
	return !strcmp(field->type, "char *") || !strcmp(field->type, "const char *");
}

static bool gen_is_string(const struct dkt_field *field)
{
	return gen_is_pointer(field) || (strstr(field->type, "char") && strchr(field->type, '['));
}

/* A real value or a neighbour of it, or a number of any size. */
static int64_t gen_value(struct gen *g, const struct dkt_field *field)
{
	const struct dkt_record *sample = gen_sample(g);
	uint64_t random = (uint64_t)gen_below(g, UINT32_MAX) << 32 | gen_below(g, UINT32_MAX);

	if (sample && gen_below(g, 5))
		return dkt_record_int(sample, field) + (int64_t)gen_below(g, 3) - 1;
	return (int64_t)(random >> gen_below(g, 64));
}

static void gen_number(struct gen *g, const struct dkt_field *field)
{
	int64_t value = gen_value(g, field);

	dkt_buf_str(&g->out, GEN_PICK(g, "==", "!=", "<", "<=", ">", ">=", "&", "==", "&"));
	gen_space(g);
	if (field->flags & DKT_FIELD_SIGNED && value < 0)
		dkt_buf_printf(&g->out, "%" PRId64, value);
	else if (gen_below(g, 3))
		dkt_buf_printf(&g->out, "%" PRId64, value & INT64_MAX);
	else
		dkt_buf_printf(&g->out, "0x%" PRIx64, (uint64_t)value & INT64_MAX);
}

/* Cuts a string into a pattern that matches it, or nearly. */
static void gen_pattern(struct gen *g, const char *str, size_t len)
{
	size_t from = len ? gen_below(g, (uint32_t)len) : 0;
	size_t to = from + (len - from ? gen_below(g, (uint32_t)(len - from) + 1) : 0), i;
	uint32_t shape = gen_below(g, 6);

	if (!gen_below(g, 10))
		dkt_buf_str(&g->out, "!");
	if (shape == 0 || shape == 1)
		dkt_buf_str(&g->out, "*");
	else
		from = 0;
	if (shape == 0)
		to = len;
	for (i = from; i < to; i++) {
		char c = str[i];

		/* A bracket or quote would be another pattern, or its end. */
		if (strchr("'\"[]\\", c) || !gen_below(g, 14))
			dkt_buf_str(&g->out, GEN_PICK(g, "?", "*", "[a-m]", "[!a-m/]"));
		else if (!gen_below(g, 14))
			dkt_buf_printf(&g->out, "[%c0-9]", c);
		else if (!gen_below(g, 20))
			dkt_buf_printf(&g->out, "\\%c", c);
		else
			dkt__buf_add(&g->out, &c, 1);
	}
	if (shape != 0 && shape != 5)
		dkt_buf_str(&g->out, "*");
}

static void gen_string(struct gen *g, const struct dkt_field *field, const char *comm)
{
	const struct dkt_record *sample = gen_sample(g);
	const char *op = GEN_PICK(g, "==", "!=", "~", "~", "~");
	const char *quote = GEN_PICK(g, "\"", "'");
	const char *str = "dktrace/8";
	size_t len = strlen(str);

	if (comm) {
		str = comm;
		len = strlen(str);
	} else if (sample && !gen_is_pointer(field)) {
		str = dkt_record_bytes(sample, field, &len);
		len = strnlen(str, len);
	}
	/* Some strings of records are no text, or too long for a filter. */
	while (len > 100 || (len && memchr(str, *quote, len)))
		len /= 2;
	dkt_buf_str(&g->out, op);
	gen_space(g);
	dkt_buf_str(&g->out, quote);
	if (*op == '~')
		gen_pattern(g, str, len);
	else if (gen_below(g, 4))
		dkt__buf_add(&g->out, str, len);
	else
		dkt__buf_add(&g->out, str, len / 2);
	dkt_buf_str(&g->out, quote);
}

/*
 * A number that is no CPU's is unequal to no list; how many CPUs there may be, only the kernel
 * knows, so that != cannot always be judged here.
 */
static void gen_cpus(struct gen *g, bool is_cpu)
{
	uint32_t a = gen_below(g, (uint32_t)g->cpus), b = gen_below(g, (uint32_t)g->cpus);

	if (g->strict && !is_cpu)
		dkt_buf_str(&g->out, GEN_PICK(g, "&", "=="));
	else
		dkt_buf_str(&g->out, GEN_PICK(g, "&", "&", "==", "!="));
	gen_space(g);
	if (a > b)
		dkt_buf_printf(&g->out, "CPUS{%u-%u}", b, a);
	else
		dkt_buf_printf(&g->out, "CPUS{%u,%u}", b, a);
}

/* Instances record one after the other: a wish to reschedule may come up in between. */
static bool gen_is_fleeting(const struct dkt_field *field)
{
	return !strcmp(field->name, "common_flags") || !strcmp(field->name, "common_preempt_count");
}

/* False if no filter can judge the field, or none here if it must be judged here. */
static bool gen_usable(const struct gen *g, const struct dkt_field *field)
{
	if (gen_is_string(field))
		return !(g->strict && gen_is_pointer(field));
	if (!g->strict)
		return true;
	return !(field->flags & DKT_FIELD_DYNAMIC) && !gen_is_fleeting(field) &&
	       (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8);
}

/* As large as an address; the kernel takes no string for one. */
static bool gen_is_address(const struct dkt_field *field)
{
	return field->size == sizeof(uint64_t) && !gen_is_string(field) &&
	       !(field->flags & DKT_FIELD_DYNAMIC);
}

/* Functions that every kernel has. */
static void gen_function(struct gen *g)
{
	dkt_buf_printf(&g->out, ".function %s %s ", GEN_PICK(g, "==", "!="),
		       GEN_PICK(g, "schedule", "vfs_read", "kfree"));
}

static void gen_comparison(struct gen *g)
{
	static const struct dkt_field cpu = { .name = "CPU", .type = "int", .size = 4 };
	const struct dkt_field *const *fields, *field;
	size_t n;

	if (!gen_below(g, 12)) {
		dkt_buf_str(&g->out, GEN_PICK(g, "CPU", "cpu"));
		gen_space(g);
		if (g->has_cpus)
			gen_cpus(g, true);
		else
			dkt_buf_printf(&g->out, "%s %u", GEN_PICK(g, "==", ">=", "!="),
				       gen_below(g, (uint32_t)g->cpus));
		return;
	}
	if (!gen_below(g, 12)) {
		dkt_buf_str(&g->out, "COMM ");
		gen_string(g, &cpu, "dkt-expr");
		return;
	}
	if (dkt_event_fields(g->event, &fields, &n) || !n)
		return;
	do
		field = fields[gen_below(g, (uint32_t)n)];
	while (!gen_usable(g, field));
	dkt_buf_str(&g->out, field->name);
	/* Only the kernel can read the memory to which a user's pointer points. */
	if (gen_is_pointer(field) && !gen_below(g, 2))
		dkt_buf_str(&g->out, ".ustring");
	else if (gen_is_address(field) && g->has_functions && !gen_below(g, 4)) {
		gen_function(g);
		return;
	}
	gen_space(g);
	if (gen_is_string(field))
		gen_string(g, field, NULL);
	else if (g->has_cpus && !gen_below(g, 10))
		gen_cpus(g, false);
	else
		gen_number(g, field);
}

static void gen_expr(struct gen *g, int depth)
{
	uint32_t shape = depth > 0 ? gen_below(g, 8) : 7;

	switch (shape) {
	case 0:
	case 1:
	case 2:
	case 3:
		gen_expr(g, depth - 1);
		gen_space(g);
		dkt_buf_str(&g->out, shape & 1 ? "&&" : "||");
		gen_space(g);
		gen_expr(g, depth - 1);
		break;
	case 4:
		dkt_buf_str(&g->out, "!");
		gen_expr(g, depth - 1);
		break;
	case 5:
	case 6:
		dkt_buf_str(&g->out, shape == 5 ? "!(" : "(");
		gen_expr(g, depth - 1);
		dkt_buf_str(&g->out, ")");
		break;
	default:
		gen_comparison(g);
		break;
	}
}

/* Spoils the text at one to three places. */
static void gen_spoil(struct gen *g)
{
	uint32_t n = 1 + gen_below(g, 3);

	while (n-- && g->out.len) {
		uint32_t at = gen_below(g, (uint32_t)g->out.len);
		char *p = g->out.data + at;

		switch (gen_below(g, 3)) {
		case 0:
			memmove(p, p + 1, g->out.len - at - 1);
			g->out.len--;
			break;
		case 1:
			*p = "()!&|=<>~'\"x0-. {}"[gen_below(g, 18)];
			break;
		default:
			g->out.len -= gen_below(g, (uint32_t)(g->out.len - at));
			break;
		}
	}
}

/* One expression as a string that lives until the next one. */
static const char *gen_make(struct gen *g, int depth, bool spoil)
{
	dkt_buf_reset(&g->out);
	gen_expr(g, depth);
	if (spoil)
		gen_spoil(g);
	dkt__buf_add(&g->out, "", 1);
	return g->out.err ? "" : g->out.data;
}

#endif
