/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A way to measure an interval, as an entry of a file has it. */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/yaml.h"

/* The ways to measure that share a name. */
struct way {
	struct dkt_interval interval;
	const char *file; /* that has it */
	yaml_mark_t within; /* the place of that key, or else of the entry */
	struct way *next;
};

#define DKT__FIELD_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* True if it can be the name of an interval. */
bool dkt__way_is_name(const char *word);

/* Reads the entry at the current event. ctx: for messages. */
int dkt__way_read(struct dkt__yaml *r, struct dkt_ctx *ctx, struct way *way);
