/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds programs by their build ID, where perf keeps copies of those that it has recorded. */
#include "lib/debuginfo/build_id.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/base/buf.h"

/* Two digits for each byte; IDs have 20 bytes, or fewer. */
#define MAX_ID 32

char *dkt__build_id_path(const uint8_t *id, size_t n, const char *kind)
{
	const char *home = secure_getenv("HOME");
	char digits[2 * MAX_ID + 1], *path;

	if (!home || home[0] != '/' || n < 2 || n > MAX_ID)
		return NULL;
	for (size_t i = 0; i < n; i++)
		snprintf(digits + 2 * i, 3, "%02x", id[i]);
	path = dkt__format("%s/.debug/.build-id/%.2s/%s/%s", home, digits, digits + 2, kind);
	if (path && access(path, R_OK)) {
		free(path);
		path = NULL;
	}
	return path;
}
