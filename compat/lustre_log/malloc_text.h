/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads Lustre's messages of the class malloc. */
#pragma once

#include "compat/lustre_log/take.h"

struct malloc_text {
	bool frees;
	bool hidden; /* the address is; until a kernel has random numbers, %p prints (____ptrval____) */
	struct part how; /* "kmalloced", "slab-freed" ... */
	struct part name; /* of the variable in the source */
	uint64_t size, address;
};

/* Reads a text. Returns false if it is about something else. */
bool dkl_malloc_text_read(const char *text, size_t len, struct malloc_text *out);

/* Returns false if dkl_malloc_text_read() would not read a text that begins so. */
bool dkl_malloc_text_wanted(const char *text);
