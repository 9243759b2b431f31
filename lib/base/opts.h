/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies options structs of callers built with an older or a newer header, whose size differs. */
#pragma once

#include "lib/base/error.h"

/*
 * Copies a caller's options struct of that type; NULL means all defaults. A caller built with an
 * older header has fewer members; the others become 0. -E2BIG: a caller with a newer header sets an
 * unknown member; -EINVAL: sz is not set.
 */
#define dkt__opts_take(ctx, type, to, from)                                                        \
	({                                                                                         \
		struct type *to_ = (to);                                                           \
		const struct type *from_ = (from);                                                 \
		char *words_;                                                                      \
		int err_ = dkt__opts_copy(#type, to_, sizeof(*to_), from_, &words_);               \
                                                                                                   \
		err_ ? dkt__error_give(ctx, err_, words_) : 0;                                     \
	})

/*
 * Sets *words to the error message, which the caller frees; NULL if there is no error, or memory is
 * out.
 */
int dkt__opts_copy(const char *type, void *to, size_t size, const void *from, char **words);
