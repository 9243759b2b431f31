/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiles a print format into the steps of a plan, conversion by conversion. */
#include "lib/plan/build.h"

/* ---- steps ---- */

/* Literals are copied in blocks of 16 bytes, so their memory is a multiple of that. */
static const char *keep_literal(struct dkt__build *b)
{
	char *text = dkt__plan_alloc(b->plan, (b->literal.len + 16) & ~(size_t)15);

	if (text && b->literal.len)
		memcpy(text, b->literal.data, b->literal.len);
	return text;
}

int dkt__build_step(struct dkt__build *b, struct dkt__step step)
{
	step.literal = keep_literal(b);
	step.literal_len = (uint32_t)b->literal.len;
	if (!step.literal || b->literal.err)
		return -ENOMEM;
	dkt_buf_reset(&b->literal);
	return dkt__append(b->steps, b->n, step);
}

int dkt__build_value_step(struct dkt__build *b, struct dkt__step step, struct tep_print_arg *arg)
{
	int err = dkt__plan_value(b->plan, b->tep, arg, &step.value);

	return err ? err : dkt__build_step(b, step);
}

struct dkt__value *dkt__build_value(struct dkt__build *b, struct tep_print_arg *arg, int *err)
{
	struct dkt__value *value = dkt__plan_alloc(b->plan, sizeof(*value));

	if (!*err)
		*err = value ? dkt__plan_value(b->plan, b->tep, arg, value) : -ENOMEM;
	return value;
}

/* ---- conversions ---- */

/* Takes the argument for a "*". */
static int take_value(struct dkt__build *b, const struct dkt__value **to)
{
	int err = 0;
	struct dkt__value *value = dkt__build_value(b, b->arg, &err);

	if (!err)
		err = dkt__plan_cast(b->plan, value, DKT__LOAD_S32);
	if (err)
		return err;
	b->arg = b->arg->next;
	*to = value;
	return 0;
}

const char *dkt__spec_flags(const char *p, const char *end, struct dkt__spec *spec)
{
	for (; p != end; p++) {
		switch (*p) {
		case '-':
			spec->left = true;
			break;
		case '0':
			spec->zero = true;
			break;
		case '#':
			spec->alt = true;
			break;
		case '+':
			spec->plus = true;
			break;
		case ' ':
			spec->space = true;
			break;
		default:
			return p;
		}
	}
	return p;
}

const char *dkt__spec_size(const char *p, const char *end, unsigned int word, unsigned int *size)
{
	char c = p != end ? *p : 0;
	bool twice;

	*size = 4;
	if (!c || !strchr("hlLzt", c))
		return p;
	twice = (c == 'h' || c == 'l') && p + 1 != end && p[1] == c;
	if (c == 'h')
		*size = twice ? 1 : 2;
	else
		*size = c == 'L' || twice ? 8 : word;
	return p + 1 + twice;
}

static const char *parse_number(const char *p, int32_t *n)
{
	for (*n = 0; *p >= '0' && *p <= '9'; p++)
		*n = *n < 100000 ? *n * 10 + (*p - '0') : *n;
	return p;
}

/* Parses a conversion after its percent sign, including the letter at its end. */
static int parse_conv(struct dkt__build *b, const char **format, struct dkt__conv *conv)
{
	const char *p = dkt__spec_flags(*format, NULL, &conv->spec);
	int err = 0;

	conv->spec.width = conv->spec.precision = -1;
	if (*p == '*') {
		err = take_value(b, &conv->spec.width_value);
		p++;
	} else if (*p >= '0' && *p <= '9') {
		p = parse_number(p, &conv->spec.width);
	}
	if (*p == '.' && p[1] == '*') {
		err = err ? err : take_value(b, &conv->spec.precision_value);
		p += 2;
	} else if (*p == '.') {
		p = parse_number(p + 1, &conv->spec.precision);
	}
	for (; *p && strchr("hlLqzZjt", *p); p++)
		conv->length += *p == 'h' ? -1 : *p == 'L' || *p == 'q' ? 2 : 1;
	conv->type = *p;
	*format = p + !!*p;
	return err;
}

static const struct dkt__spec *keep_spec(struct dkt__build *b, const struct dkt__spec *spec)
{
	struct dkt__spec *copy = dkt__plan_alloc(b->plan, sizeof(*copy));

	if (copy)
		*copy = *spec;
	return copy;
}

static bool spec_is_plain(const struct dkt__spec *spec)
{
	return spec->width < 2 && spec->precision < 0 && !spec->width_value &&
	       !spec->precision_value && !spec->alt && !spec->plus && !spec->space;
}

/* Returns the fastest step that prints integers by the spec. */
static enum dkt__step_op int_op(const struct dkt__spec *spec, struct dkt__step *step)
{
	bool plain = spec_is_plain(spec);

	if (spec->base == 10 && plain)
		return spec->is_signed ? DKT__STEP_DEC : DKT__STEP_UDEC;
	if (spec->base != 16 || spec->upper)
		return DKT__STEP_INT;
	if (plain)
		return DKT__STEP_HEX;
	step->digits = (uint8_t)DKT__MIN(spec->width, 17);
	if (spec->zero && !spec->left && !spec->alt && !spec->width_value && spec->precision < 0 &&
	    !spec->precision_value && spec->width >= 1 && spec->width <= 16)
		return DKT__STEP_HEX_ZERO;
	return DKT__STEP_INT;
}

static int build_int(struct dkt__build *b, struct dkt__conv *conv, struct tep_print_arg *arg)
{
	struct dkt__spec *spec = &conv->spec;
	struct dkt__step step = { 0 };
	unsigned int size;
	int err = dkt__plan_value(b->plan, b->tep, arg, &step.value);

	spec->is_signed = conv->type == 'd' || conv->type == 'i';
	spec->upper = conv->type == 'X';
	spec->base = conv->type == 'o' ? 8 : spec->upper || conv->type == 'x' ? 16 : 10;
	size = conv->length <= -2 ? 1 : conv->length == -1 ? 2 : conv->length == 0 ? 4 : 8;
	if (!err)
		err = dkt__plan_cast(b->plan, &step.value, dkt__plan_load(size, spec->is_signed));
	if (err)
		return err;
	step.op = int_op(spec, &step);
	step.spec = keep_spec(b, spec);
	return step.spec ? dkt__build_step(b, step) : -ENOMEM;
}

/* Adds the steps of a conversion; if it has a width or precision, between steps that apply them. */
static int build_padded(struct dkt__build *b, struct dkt__conv *conv, const char **format,
			struct tep_print_arg *arg)
{
	bool pad = conv->type != 'p' && !spec_is_plain(&conv->spec);
	struct dkt__step end = { .op = DKT__STEP_PAD_END, .spec = keep_spec(b, &conv->spec) };
	int err = end.spec ? 0 : -ENOMEM;

	if (!err && pad)
		err = dkt__build_step(b, (struct dkt__step){ .op = DKT__STEP_PAD_BEGIN });
	if (err)
		return err;
	if (conv->type == 'p')
		err = dkt__build_pointer(b, conv, format, arg);
	else if (conv->type == 'c')
		err = dkt__build_value_step(b, (struct dkt__step){ .op = DKT__STEP_CHAR }, arg);
	else
		err = dkt__build_string(b, arg);
	return err || !pad ? err : dkt__build_step(b, end);
}

static int build_conv(struct dkt__build *b, const char **format)
{
	struct dkt__conv conv = { 0 };
	struct tep_print_arg *arg;
	int err = parse_conv(b, format, &conv);

	if (err)
		return err;
	arg = b->arg;
	if (!conv.type || !strchr("diuxXocsp", conv.type) || !arg)
		return -EOPNOTSUPP;
	b->arg = arg->next;
	if (strchr("csp", conv.type))
		return build_padded(b, &conv, format, arg);
	return build_int(b, &conv, arg);
}

static int build_format(struct dkt__build *b, const char *p)
{
	int err = 0;
	char c;

	while (*p && !err) {
		c = *p++;
		if (c == '%' && *p != '%') {
			err = build_conv(b, &p);
			continue;
		}
		if (c == '%')
			p++;
		else if (c == '\\' && *p)
			c = dkt__plan_unescape(*p++);
		dkt__buf_add(&b->literal, &c, 1);
	}
	return err ? err : dkt__build_step(b, (struct dkt__step){ .op = DKT__STEP_END });
}

int dkt__plan_compile(struct dkt__plan *plan, struct tep_event *tep,
		      const struct tep_print_fmt *print)
{
	struct dkt__build b = { .plan = plan, .tep = tep, .arg = print->args };
	int err = build_format(&b, print->format);

	free(b.literal.data);
	if (err) {
		free(b.steps);
		return err;
	}
	plan->steps = b.steps;
	plan->n_steps = b.n;
	return 0;
}
