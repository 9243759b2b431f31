/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definitions of periods: "NAME(PARENT): begin EVENTS; end EVENTS; show FIELDS". */
#pragma once

#include "compat/lustre/named.h"
#include "lib/base/strings.h"

/* Columns of a period beside that for its parent. */
#define PERIOD_COLUMNS 7

#define PERIODS_MAX 16

/* A field of the record that begins a period, known as long as the period is open. */
struct period_field {
	char *name;
	bool by_end; /* the filters of the end use it, so that it tells periods apart */
	struct dkt_variable value; /* for filters: of the period that is tested now */
};

enum period_side { PERIOD_END, PERIOD_BEGIN, PERIOD_PARENT };

enum period_names { PERIOD_PLAIN, PERIOD_SYSCALL, PERIOD_DISK };

struct period_column {
	char *key;
	enum period_side side; /* the record that has the field */
	uint32_t field; /* index: in fields of the period or its parent, or in end_fields */
	enum period_names names; /* that the field's numbers are shown as */
};

struct period_def {
	char *name;
	struct period_def *parent; /* NULL: none */
	struct named begin, end;
	struct period_field **fields; /* of the record that begins the period */
	uint32_t n_fields;
	bool requests; /* to block devices: the end belongs to the same request as the beginning */
	struct dkt__strings end_fields; /* of the record that ends it */
	struct period_column columns[PERIOD_COLUMNS];
	size_t n_columns;
	struct dkt_ctx *ctx;
	bool in_end; /* the filters of the end are being read */
};

/* Parents come before their children. */
struct period_defs {
	struct period_def **list;
	size_t n;
};

/* Between definitions, which may have newlines: ASCII's unit separator. */
#define PERIOD_SEPARATOR      '\x1f'
#define PERIOD_SEPARATOR_TEXT "\x1f"

/*
 * Reads definitions; one can also be the name of a ready-made pair of latency.
 * -EINVAL: a definition is invalid; the context has the message. Clear defs in either case.
 */
int period_defs_read(struct dkt_ctx *ctx, const char *text, struct period_defs *defs);
void period_defs_clear(struct period_defs *defs);

/*
 * Checks the definitions against the events of the kernel that recorded, if they are known. -ENOENT,
 * -ENOTUNIQ, -EINVAL: an event, or a field, does not exist or does not fit.
 */
int period_defs_check(struct dkt_ctx *ctx, const struct period_defs *defs);
