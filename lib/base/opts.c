/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies options structs of callers built with an older or a newer header, whose size differs. */
#include "lib/base/opts.h"
#include "lib/base/buf.h"

/* No options struct is longer: a larger size was never set by the caller. */
#define OPTS_MAX 4096

int dkt__opts_copy(const char *type, void *to, size_t size, const void *from, char **words)
{
	const uint8_t *bytes = from;
	size_t sz = size;
	int err = 0;

	*words = NULL;
	memset(to, 0, size);
	if (from)
		memcpy(&sz, from, sizeof(sz));
	if (sz < sizeof(sz) || sz > OPTS_MAX) {
		*words = dkt__format("%s: sz is %zu, not the size of the struct", type, sz);
		err = -EINVAL;
	} else if (from) {
		memcpy(to, from, DKT__MIN(sz, size));
	}
	memcpy(to, &size, sizeof(size));
	for (size_t i = size; !err && i < sz; i++)
		if (bytes[i]) {
			*words = dkt__format("%s has %zu bytes, and more than the %zu that are "
					     "known here are used",
					     type, sz, size);
			err = -E2BIG;
		}
	return err && !*words ? -ENOMEM : err;
}
