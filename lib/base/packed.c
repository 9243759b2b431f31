/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recognises files that a program has compressed. */
#include "lib/base/packed.h"

const char *dkt__packed_by(const void *data, size_t size)
{
	static const struct {
		const char *magic, *program;
	} known[] = {
		{ "\x1f\x8b", "gzip" },
		{ "\xfd"
		  "7zXZ",
		  "xz" },
		{ "BZh", "bzip2" },
		{ "\x28\xb5\x2f\xfd", "zstd" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (size > strlen(known[i].magic) &&
		    !memcmp(data, known[i].magic, strlen(known[i].magic)))
			return known[i].program;
	return NULL;
}
