/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order of a table: a column, and the direction. */
#include "ctl/app/order.h"

#include <string.h>

#define DESCENDING ".descending"
#define ASCENDING  ".ascending"

static bool ends_in(const char *text, size_t *len, const char *end)
{
	size_t n = strlen(end);

	if (*len < n || strcmp(text + *len - n, end) != 0)
		return false;
	*len -= n;
	return true;
}

size_t order_read(const char *text, bool *descending)
{
	size_t len = strlen(text);

	/* Look for the direction at the end: a column's name, p99.9, has a dot too. */
	*descending = ends_in(text, &len, DESCENDING);
	if (!*descending)
		ends_in(text, &len, ASCENDING);
	return len;
}
