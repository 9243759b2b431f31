/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of the words for arguments. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answers/strace/signature.h"

struct call_word {
	uint32_t value;
	const char *name;
};

struct call_words {
	const struct call_word *list;
	size_t n;
	bool flags; /* the words are bits, but for those within the mask */
	uint32_t mask;
};

/* Returns NULL if the kind has no table. */
const struct call_words *call_word_list(enum call_arg kind, bool arm);

/* True if the numbers differ between machines. */
bool call_word_varies(enum call_arg kind);

/* Returns NULL if the number is unknown. */
const char *call_ioctl_name(uint32_t number);
