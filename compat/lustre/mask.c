/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses and prints masks as Lustre's kernel code does since 2.17. */
#include "compat/lustre/mask.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/util.h"

#define MASK_EMERG      0x00040000u
#define CLASSES_DEFAULT 0x130e0580u

/* clang-format off */
static const char *const class_names[MASK_BITS] = {
	"trace", "inode", "super", "iotrace", "malloc", "cache", "info", "ioctl",
	"neterror", "net", "warning", "buffs", "other", "dentry", "nettrace", "page",
	"dlmtrace", "error", "emerg", "ha", "rpctrace", "vfstrace", "reada", "mmap",
	"config", "console", "quota", "sec", "lfsck", "hsm", "snapshot", "layout",
};

static const char *const subsystem_names[MASK_BITS] = {
	"undefined", "mdc", "mds", "osc", "ost", "class", "log", "llite",
	"rpc", "mgmt", "lnet", "lnd", "pinger", "filter", "libcfs", "echo",
	"ldlm", "lov", "lquota", "osd", "lfsck", "snapshot", "", "lmv",
	"", "sec", "gss", "", "mgc", "mgs", "fid", "fld",
};
static const char *const source_names[MASK_BITS] = {
	"lustre", "kernel", "functions", [3 ... MASK_BITS - 1] = "",
};
/* clang-format on */

#define SOURCES_NORMAL (MASK_FROM_KERNEL | MASK_FROM_FUNCTIONS)
#define SOURCES_ALL    (MASK_FROM_LUSTRE | MASK_FROM_KERNEL | MASK_FROM_FUNCTIONS)

static const struct mask_row {
	const char *const *names;
	uint32_t minimum; /* the value that names without a leading operator are added to */
	uint32_t normal; /* `default` */
	uint32_t initial; /* on a new machine */
	uint32_t forced; /* set by every write, even a refused one */
	uint32_t all; /* all bits that can be set */
} rows[] = {
	[MASK_DEBUG] = { class_names, MASK_CANNOT_OFF, CLASSES_DEFAULT, CLASSES_DEFAULT, 0,
			 UINT32_MAX },
	[MASK_SUBSYSTEM] = { subsystem_names, 0, UINT32_MAX, UINT32_MAX, 0, UINT32_MAX },
	/* Lustre has the same `default` for debug and printk. */
	[MASK_PRINTK] = { class_names, MASK_CANNOT_OFF, CLASSES_DEFAULT, MASK_CANNOT_OFF,
			  MASK_EMERG, UINT32_MAX },
	[MASK_SOURCES] = { source_names, 0, SOURCES_NORMAL, SOURCES_NORMAL, 0, SOURCES_ALL },
};

struct token {
	const char *text;
	size_t len;
	char op; /* '+', '-' or 0 */
	bool last;
};

static bool token_is(const struct token *token, const char *word)
{
	return strlen(word) == token->len && !strncasecmp(token->text, word, token->len);
}

static int digit_value(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : 16;
}

/*
 * Parses the whole text like the kernel's %i. Unlike strtol(), it refuses a leading plus, and a
 * number that is too large wraps around.
 */
static bool parse_number(const char *text, size_t len, uint32_t *value)
{
	const char *end = text + len;
	bool minus = len && *text == '-';
	uint32_t number = 0;
	int base = 10;

	text += minus;
	if (text == end || !isdigit((unsigned char)*text))
		return false;
	if (*text == '0') {
		base = 8;
		if (end - text > 2 && (text[1] == 'x' || text[1] == 'X')) {
			base = 16;
			text += 2;
		}
	}
	for (; text < end; text++) {
		int digit = digit_value(*text);

		if (digit >= base)
			return false;
		number = number * (uint32_t)base + (uint32_t)digit;
	}
	*value = minus ? -number : number;
	return true;
}

/* Gets the next token. Returns 1; 0: end of the text; -EINVAL: nothing follows an operator. */
static int next_token(const char **text, const char *end, struct token *token)
{
	const char *p = *text;

	token->op = 0;
	while (p < end && (isspace((unsigned char)*p) || *p == ','))
		p++;
	if (p < end && (*p == '+' || *p == '-')) {
		token->op = *p++;
		while (p < end && isspace((unsigned char)*p))
			p++;
		if (p == end)
			return -EINVAL;
	}
	token->text = p;
	while (p < end && !isspace((unsigned char)*p) && *p != '+' && *p != '-' && *p != ',')
		p++;
	token->len = (size_t)(p - token->text);
	token->last = p == end;
	*text = p;
	return p > token->text || token->op;
}

static int find_bit(enum mask_kind kind, const struct token *token)
{
	for (int bit = 0; bit < MASK_BITS; bit++)
		if (token_is(token, rows[kind].names[bit]))
			return bit;
	return -ENOENT;
}

static int apply_token(enum mask_kind kind, const struct token *token, uint32_t *value)
{
	const struct mask_row *row = &rows[kind];
	bool minus = token->op == '-';
	int bit;

	if (token_is(token, "all")) {
		*value = minus ? row->minimum : row->all;
	} else if (token_is(token, "none")) {
		if (!minus)
			*value = row->minimum;
	} else if (token->last && token_is(token, "default")) {
		if (minus)
			*value = (*value & ~row->normal) | row->minimum;
		else
			*value = token->op ? *value | row->normal : row->normal;
	} else {
		/* Like in Lustre, the empty token of `a++b` is the first unnamed subsystem. */
		bit = find_bit(kind, token);
		if (bit < 0)
			return -EINVAL;
		if (minus)
			*value &= ~(1u << bit);
		else
			*value |= 1u << bit;
	}
	return 0;
}

static int parse_tokens(enum mask_kind kind, const char *text, const char *end,
			struct mask_value *value)
{
	uint32_t mask = value->value;
	struct token token;
	bool first = true;
	int ret;

	while ((ret = next_token(&text, end, &token)) > 0) {
		if (first && !token.op)
			mask = rows[kind].minimum;
		first = false;
		ret = apply_token(kind, &token, &mask);
		if (ret < 0) {
			value->bad = token.text;
			value->bad_len = token.len;
			return ret;
		}
	}
	if (!ret)
		value->value = mask;
	return ret;
}

int dkl_mask_parse(enum mask_kind kind, const char *text, uint32_t current,
		   struct mask_value *value)
{
	size_t len = strnlen(text, MASK_INPUT_MAX + 1);
	int err = 0;

	*value = (struct mask_value){ .value = current };
	if (len > MASK_INPUT_MAX)
		return -E2BIG;
	for (; len && isspace((unsigned char)*text); len--)
		text++;
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	if (parse_number(text, len, &value->value))
		value->deprecated = value->value != 0 && value->value != UINT32_MAX;
	else
		err = parse_tokens(kind, text, text + len, value);
	value->value = (value->value | rows[kind].forced) & rows[kind].all;
	return err;
}

void dkl_mask_format(enum mask_kind kind, uint32_t value, char text[MASK_TEXT_SIZE])
{
	char *p = text;

	if (!value)
		*p++ = '0';
	for (unsigned int bit = 0; bit < MASK_BITS; bit++) {
		if (!(value & 1u << bit))
			continue;
		if (p > text)
			*p++ = ' ';
		p = stpcpy(p, rows[kind].names[bit]);
	}
	*p = '\0';
}

int dkl_mask_bit(enum mask_kind kind, const char *name, size_t len)
{
	const struct token token = { .text = name, .len = len };

	return len ? find_bit(kind, &token) : -ENOENT;
}

const char *dkl_mask_name(enum mask_kind kind, unsigned int bit)
{
	return bit < MASK_BITS ? rows[kind].names[bit] : "";
}

void dkl_mask_guess(enum mask_kind kind, struct dkt__guess *guess)
{
	for (unsigned int bit = 0; bit < MASK_BITS; bit++)
		dkt__guess_try(guess, rows[kind].names[bit]);
}

uint32_t dkl_mask_initial(enum mask_kind kind)
{
	return rows[kind].initial;
}

uint32_t dkl_mask_floor(enum mask_kind kind)
{
	return rows[kind].minimum;
}

uint32_t dkl_mask_all(enum mask_kind kind)
{
	return rows[kind].all;
}

void dkl_mask_spell(enum mask_kind kind, uint32_t value, char text[MASK_TEXT_SIZE])
{
	struct mask_value parsed;

	if (value == UINT32_MAX) {
		memcpy(text, "all", sizeof("all"));
		return;
	}
	dkl_mask_format(kind, value, text);
	if (dkl_mask_parse(kind, text, 0, &parsed) || parsed.value != value)
		snprintf(text, MASK_TEXT_SIZE, "0x%08" PRIx32, value);
}

/* ---- in expressions: msg_mask & rpctrace ---- */

static int mask_constant(void *data, const char *field, const char *word, uint64_t *value)
{
	enum mask_kind kind = strstr(field, "subsys") ? MASK_SUBSYSTEM : MASK_DEBUG;
	int bit = dkl_mask_bit(kind, word, strlen(word));

	(void)data;
	if (bit < 0)
		return bit;
	*value = UINT64_C(1) << bit;
	return 0;
}

int dkl_mask_expr_with(struct dkt_ctx *ctx, const char *text, dkt_variable_fn variable, void *data,
		       struct dkt_expr **expr)
{
	DKT_OPTS(dkt_expr_opts, opts, .constant = mask_constant, .data = data,
		 .variable = variable);

	return dkt_expr_new(ctx, text, &opts, expr);
}

int dkl_mask_expr(struct dkt_ctx *ctx, const char *text, struct dkt_expr **expr)
{
	return dkl_mask_expr_with(ctx, text, NULL, NULL, expr);
}

/* ---- in options ---- */

int dkl_mask_option(struct dkt_ctx *ctx, const char *option, enum mask_kind kind, const char *text,
		    uint32_t *mask)
{
	const char *names = kind == MASK_SUBSYSTEM ? "subsystems" : "classes";
	const size_t blank = strspn(text, " \t\n,");
	/* A sign keeps dkl_mask_parse() from adding the classes that a debug log always has. */
	char *exact __cleanup(free) =
		dkt__format("%s%s", strchr("+-0123456789", text[blank]) ? "" : "+", text + blank);
	struct mask_value parsed;
	struct dkt__guess guess;
	int err;

	if (!exact)
		return dkt__no_memory(ctx);
	err = dkl_mask_parse(kind, exact, 0, &parsed);
	*mask = parsed.value;
	if (!err && !*mask && kind != MASK_SOURCES)
		return dkt_fail(ctx, -EINVAL, "--%s: '%s' names no %s; see 'dktrace list %s'",
				option, text, names, names);
	if (err != -EINVAL || !parsed.bad)
		return err ? dkt_fail(ctx, -EINVAL, "--%s: '%s' ends without a name", option,
				      text) :
			     0;
	dkt__guess_start(&guess, parsed.bad, parsed.bad_len);
	dkl_mask_guess(kind, &guess);
	return dkt_fail(ctx, -EINVAL, "--%s: unknown name '%.*s'; see 'dktrace list %s'%s", option,
			(int)parsed.bad_len, parsed.bad, names, dkt__guess_words(&guess));
}
