/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps each text once, so that equal texts have equal addresses. */
#pragma once

#include "lib/base/arena.h"
#include "lib/base/util.h"

/* All zero: no texts. */
struct texts {
	struct dkt__arena arena;
	const char **slots;
	uint32_t n, mask; /* texts, and the number of slots minus one */
};

/* Returns the kept copy of len bytes, with a NUL behind it; NULL: memory is out. */
const char *texts_keep(struct texts *texts, const char *text, size_t len);

/* The same of a formatted text. */
const char *texts_format(struct texts *texts, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void texts_clear(struct texts *texts);
