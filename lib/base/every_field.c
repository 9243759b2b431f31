/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fields that every record has, by the names that a user may give them. */
#include "lib/base/every_field.h"

#include <string.h>

#define PREFIX "common_"

enum dkt__every_field dkt__every_field(const char *name, size_t len)
{
	static const char *const names[] = {
		[DKT__EVERY_COMM] = "comm",
		[DKT__EVERY_PID] = "pid",
		[DKT__EVERY_CPU] = "cpu",
	};
	const size_t before = strlen(PREFIX);

	if (len > before && !strncmp(name, PREFIX, before)) {
		name += before;
		len -= before;
	}
	for (size_t i = DKT__EVERY_COMM; i <= DKT__EVERY_CPU; i++)
		if (strlen(names[i]) == len && !strncasecmp(names[i], name, len))
			return (enum dkt__every_field)i;
	return DKT__EVERY_NONE;
}
