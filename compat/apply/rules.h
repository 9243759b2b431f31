/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters on sets of events. */
#pragma once

#include "compat/log/debuglog.h"
#include "compat/lustre/select.h"

struct rule {
	const struct entry *entry; /* of the settings */
	struct select *select;
	struct dkt_expr *expr;
};

struct rules {
	struct rule *list;
	size_t n;
};

/* Parses the rules of the settings; entries must outlive the result. */
int dkl_rules_new(struct dkt_ctx *ctx, const struct class_map *map, const struct entries *entries,
		  struct rules **rules);
void dkl_rules_free(struct rules *rules);

/* Conditions that must all hold; all zeroes at first. */
struct conditions {
	char *text; /* NULL: none */
	size_t n;
};

/* Adds a condition; ignores "". */
int dkl_conditions_add(struct conditions *all, const char *condition);

/*
 * Adds the conditions of the rules that select the event, in the kernel's language. Skips rules with
 * fields that the event lacks.
 */
int dkl_rules_add(const struct rules *rules, struct dkt_event *event, struct conditions *all);
