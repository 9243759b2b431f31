/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The identity of an incident. */
#include "lib/base/identity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#define DIGITS "0123456789abcdef"

int dkt__identity_new(char id[IDENTITY_SIZE])
{
	uint64_t bits;

	if (getrandom(&bits, sizeof(bits), 0) != sizeof(bits))
		return -errno;
	snprintf(id, IDENTITY_SIZE, "%016" PRIx64, bits);
	return 0;
}

bool dkt__identity_is(const char *text)
{
	return strlen(text) == IDENTITY_SIZE - 1 && strspn(text, DIGITS) == IDENTITY_SIZE - 1;
}

char *dkt__identity_cut(char *line)
{
	char *tab = strrchr(line, '\t');

	if (!tab || !dkt__identity_is(tab + 1))
		return NULL;
	*tab = '\0';
	return tab + 1;
}

bool dkt__identity_in(const char *list, const char *id)
{
	for (; *list; list += strspn(list, " ")) {
		const size_t len = strcspn(list, " ");

		if (len == strlen(id) && !memcmp(list, id, len))
			return true;
		list += len;
	}
	return false;
}
