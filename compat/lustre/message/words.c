/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the words that a format takes from its arguments. */
#include "compat/lustre/message/words.h"

#include <string.h>

unsigned int dkl_words_before(const char *format, const char *s)
{
	unsigned int n = 0;

	for (const char *p = format; p < s && (p = memchr(p, '%', (size_t)(s - p))); p++) {
		if (p[1] == '%') {
			p++;
			continue;
		}
		for (p++; *p && strchr("-+ #0.*123456789", *p); p++)
			n += *p == '*';
		n++;
		p -= !*p || *p == '%';
	}
	return n;
}
