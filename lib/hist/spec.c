/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The description of a histogram: keys, values, size, and parts that only the kernel supports. */
#include <ctype.h>

#include "lib/hist.h"

/* ---- keys ---- */

/* Adds the element of a list. -EINVAL: *why has the error message and *at its place in the text. */
typedef int add_fn(struct dkt_hist *hist, const char *text, size_t len, const char **why,
		   size_t *at);

static int parse_list(struct dkt_hist *hist, const char *option, const char *text, add_fn *add)
{
	const char *p = text, *why;
	size_t at;

	for (;; p++) {
		size_t len = strcspn(p, ",");
		int err = add(hist, p, len, &why, &at);

		if (err == -EINVAL)
			return dkt__fail_at(hist->ctx, err, option, text, (size_t)(p - text) + at,
					    "%s", why);
		p += len;
		if (err || !*p)
			return err;
	}
}

static int add_key(struct dkt_hist *hist, const char *text, size_t len, const char **why,
		   size_t *at)
{
	struct dkt__key_spec spec;
	int err = dkt__key_parse(text, len, &spec, why, at);

	if (err)
		return err;
	*at = 0;
	*why = "percent and graph go with values only";
	if (spec.mod >= MOD_PERCENT)
		return -EINVAL;
	if (!strcmp(spec.name, HIST_EVENT) && !spec.mod) {
		*why = "it is given twice";
		if (hist->by_event)
			return -EINVAL;
		hist->by_event = true;
		return 0;
	}
	*why = "the kernel's limit is 3 keys";
	if (hist->n_keys == HIST_KEYS)
		return -EINVAL;
	if (dkt__key_is_stack(spec.name)) {
		*why = "only one key can be a stack";
		if (hist->stack_key >= 0)
			return -EINVAL;
		hist->stack_key = (int)hist->n_keys;
	}
	if (spec.mod == MOD_EXECNAME) {
		*why = "only one key can have execname";
		if (hist->exec_key >= 0)
			return -EINVAL;
		hist->exec_key = (int)hist->n_keys;
	}
	hist->keys[hist->n_keys++] = spec;
	return 0;
}

/* ---- values ---- */

/* Returns the place of the first character that is not printable or is in bad, or -1. */
static int bad_character(const char *text, const char *bad)
{
	for (size_t at = 0; text[at]; at++)
		if (!isprint((unsigned char)text[at]) || strchr(bad, text[at]))
			return (int)at;
	return -1;
}

/* True for a value that the kernel calculates, or with .sym-offset, which no value can have. */
static bool is_expression(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strchr("$+*/()", text[i]) || (text[i] == '-' && i))
			return true;
	return false;
}

static int add_val(struct dkt_hist *hist, const char *text, size_t len, const char **why,
		   size_t *at)
{
	char *raw __cleanup(free) = NULL;
	struct hist_val val = { 0 };
	int err, bad;

	*at = 0;
	if (is_expression(text, len)) {
		raw = strndup(text, len);
		if (!raw)
			return dkt__no_memory(hist->ctx);
		memcpy(val.spec.name, text, DKT__MIN(len, sizeof(val.spec.name) - 1));
		bad = bad_character(raw, ": ;");
		*at = bad < 0 ? 0 : (size_t)bad;
		*why = "this cannot be in an expression";
		if (bad >= 0)
			return -EINVAL;
	} else {
		err = dkt__key_parse(text, len, &val.spec, why, at);
		if (err)
			return err;
		*at = 0;
		*why = "a value can have hex, percent and graph";
		if (val.spec.mod && val.spec.mod != MOD_HEX && val.spec.mod < MOD_PERCENT)
			return -EINVAL;
		if (!strcmp(val.spec.name, "hitcount")) {
			hist->hit_mod = val.spec.mod;
			return 0;
		}
	}
	*why = "the kernel's limit is 2 values beside hitcount";
	if (hist->n_vals == HIST_VALS)
		return -EINVAL;
	val.raw = raw;
	raw = NULL;
	hist->vals[hist->n_vals++] = val;
	return 0;
}

/* ---- variables and actions: only the kernel has them ---- */

static int check_vars(struct dkt_hist *hist, const char *text)
{
	int at = bad_character(text, ": ;");

	if (at >= 0)
		return dkt__fail_at(hist->ctx, -EINVAL, "var", text, (size_t)at,
				    "this cannot be in a variable");
	for (const char *p = text;; p++) {
		size_t name = 0;

		while (dkt__in_name(p[name]))
			name++;
		if (!name || p[name] != '=' || !p[name + 1] || p[name + 1] == ',')
			return dkt__fail_at(hist->ctx, -EINVAL, "var", text,
					    (size_t)(p - text) + name,
					    "a variable is written NAME=EXPRESSION");
		p += strcspn(p, ",");
		if (!*p)
			return 0;
	}
}

/* Checks "handler(...).action(...)". Returns its end; NULL: invalid, *why and *at are set. */
static const char *check_action(const char *p, const char **why, const char **at)
{
	static const char *const handlers[] = { "onmatch(", "onmax(", "onchange(" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(handlers); i++)
		if (!strncmp(p, handlers[i], strlen(handlers[i])))
			break;
	*at = p;
	*why = "onmatch(SYSTEM.EVENT), onmax($VAR) or onchange($VAR) is expected here";
	if (i == ARRAY_SIZE(handlers))
		return NULL;
	for (int part = 0; part < 2; part++) {
		p += strcspn(p, "()");
		*at = p;
		*why = "a '(' is expected here";
		if (*p != '(')
			return NULL;
		p += strcspn(p + 1, "()") + 1;
		*at = p;
		*why = "a ')' is expected here";
		if (*p != ')')
			return NULL;
		p++;
		*at = p;
		*why = ".trace(EVENT,...), .save(...) or .snapshot() is expected here";
		if (!part && *p != '.')
			return NULL;
	}
	return p;
}

static int check_actions(struct dkt_hist *hist, const char *text)
{
	int place = bad_character(text, " ;");
	const char *p = text, *why, *at;

	if (place >= 0)
		return dkt__fail_at(hist->ctx, -EINVAL, "do", text, (size_t)place,
				    "this cannot be in an action");
	for (;;) {
		p = check_action(p, &why, &at);
		if (!p)
			return dkt__fail_at(hist->ctx, -EINVAL, "do", text, (size_t)(at - text),
					    "%s", why);
		if (!*p)
			return 0;
		if (*p != ':')
			return dkt__fail_at(
				hist->ctx, -EINVAL, "do", text, (size_t)(p - text),
				"a ':' and another action, or the end, is expected here");
		p++;
	}
}

static int check_size(struct dkt_hist *hist, uint32_t size)
{
	if (!size || (size >= HIST_SIZE_MIN && size <= HIST_SIZE_MAX && !(size & (size - 1))))
		return 0;
	return dkt_fail(hist->ctx, -EINVAL, "size: %u is not a power of two from %d to %d", size,
			HIST_SIZE_MIN, HIST_SIZE_MAX);
}

int dkt__hist_parse_spec(struct dkt_hist *hist)
{
	const struct dkt_hist_opts *opts = &hist->opts;
	int err = parse_list(hist, "keys", opts->keys, add_key);

	if (!err && opts->vals)
		err = parse_list(hist, "vals", opts->vals, add_val);
	if (!err && opts->vars)
		err = check_vars(hist, opts->vars);
	if (!err && opts->actions)
		err = check_actions(hist, opts->actions);
	return err ? err : check_size(hist, opts->size);
}
