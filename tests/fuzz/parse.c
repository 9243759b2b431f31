/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes numbers in text: the values are the C library's, and limits hold. */
#include <ctype.h>
#include <string.h>

#include "lib/base/parse.h"
#include "lib/base/when.h"
#include "tests/fuzz/replay.h"

static void check_u64(const char *text, unsigned int base)
{
	const char *p = text;
	uint64_t value, libc;
	char *end;
	int err = dkt__take_u64(&p, NULL, base, &value);

	/* The C library accepts spaces and signs. */
	if (!isxdigit((unsigned char)*text)) {
		must(err == -EINVAL && p == text);
		return;
	}
	errno = 0;
	libc = strtoull(text, &end, (int)base);
	must((err == -ERANGE) == (errno == ERANGE));
	must((err == -EINVAL) == (end == text));
	must(p == end && value == (err ? 0 : libc));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *at;
	char *text = strndup(p, size);
	uint64_t value;
	int64_t ns;
	size_t n;
	int *list;

	must(text);
	check_u64(text, DKT__DEC);
	check_u64(text, DKT__HEX);
	check_u64(text, DKT__AS_C);
	/* Nothing is read beyond the end: a sanitizer would see it. */
	for (at = p; at < p + size && !dkt__take_s64(&at, p + size, DKT__AS_C, &ns);)
		;
	must(at <= p + size);
	if (!dkt__parse_size(text, &value) && !text[strspn(text, "0123456789")])
		must(value == strtoull(text, NULL, 10));
	dkt__parse_time(text, 1, &value);
	dkt__parse_when(text, &ns);
	if (!dkt__parse_list(text, 8191, &list, &n)) {
		must(n && list[0] >= 0 && list[n - 1] <= 8191);
		free(list);
	}
	free(text);
	return 0;
}
