/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scans an argument expression for names and numbers, and writes its error messages. */
#include <ctype.h>

#include "lib/base/parse.h"
#include "lib/probe/eval.h"

int dkt__probe_fail_at(const struct probe_scope *scope, int err, const char *whole, const char *fmt,
		       ...)
{
	char *words __cleanup(free) = NULL;
	va_list ap;

	va_start(ap, fmt);
	words = dkt__vformat(fmt, ap);
	va_end(ap);
	if (!words)
		return dkt__no_memory(scope->ctx);
	return dkt_fail(scope->ctx, err, "argument '%.80s': %s", whole, words);
}

void dkt__probe_skip_blanks(struct eval *eval)
{
	while (*eval->p == ' ' || *eval->p == '\t')
		eval->p++;
}

bool dkt__probe_starts_name(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

bool dkt__probe_in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

int dkt__probe_read_name(struct eval *eval, char name[WORD_MAX])
{
	size_t n = 0;

	dkt__probe_skip_blanks(eval);
	if (!dkt__probe_starts_name(*eval->p))
		return dkt__probe_fail(eval, -EINVAL, "a name is missing before '%.20s'", eval->p);
	while (dkt__probe_in_name(eval->p[n]))
		n++;
	if (n >= WORD_MAX)
		return dkt__probe_fail(eval, -EINVAL, "a name is too long");
	memcpy(name, eval->p, n);
	name[n] = '\0';
	eval->p += n;
	return 0;
}

void dkt__probe_set_field(const struct eval *eval, const char *name)
{
	snprintf(eval->field, PROBE_FIELD_MAX + 1, "%.*s", PROBE_FIELD_MAX, name);
}

int dkt__probe_read_number(struct eval *eval, uint64_t *number)
{
	int err;

	dkt__probe_skip_blanks(eval);
	err = dkt__take_u64(&eval->p, NULL, DKT__AS_C, number);
	if (err == -EINVAL)
		return dkt__probe_fail(eval, err, "a number is missing before '%.20s'", eval->p);
	/* No machine has larger offsets. */
	if (err || *number > UINT64_C(1) << 47)
		return dkt__probe_fail(eval, -ERANGE, "a number is too large");
	return 0;
}

int dkt__probe_expect(struct eval *eval, char c)
{
	dkt__probe_skip_blanks(eval);
	if (*eval->p != c)
		return *eval->p ? dkt__probe_fail(eval, -EINVAL, "'%c' is missing before '%.20s'",
						  c, eval->p) :
				  dkt__probe_fail(eval, -EINVAL, "'%c' is missing at the end", c);
	eval->p++;
	return 0;
}
