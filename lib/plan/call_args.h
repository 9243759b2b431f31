/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of traced functions: the kernel records numbers, BTF has their names and types. */
#pragma once

#include "lib/symbol.h"

/* Sets a file's BTF, which is parsed when the first record needs it. */
int dkt__call_args_given(struct dkt_ctx *ctx, const struct dkt__symbol_text *btf);

/* Returns the file's BTF; NULL: it has none. */
const struct dkt__symbol_text *dkt__call_args_btf(const struct dkt_ctx *ctx);

/* Returns the field of the arguments, if the event is the call of a function; NULL: none. */
const struct dkt_field *dkt__call_args_field(struct dkt_event *event);

/*
 * Appends "name=value, ..." for the arguments of the function at the address func: a field of
 * numbers that begins at the offset at, and ends with the record. Numbers only, if the function is
 * unknown to BTF.
 */
void dkt__call_args_text(struct dkt_ctx *ctx, uint64_t func, const struct dkt_record *record,
			 const struct dkt_field *args, struct dkt_buf *buf);
