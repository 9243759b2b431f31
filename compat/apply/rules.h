/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters on some of the events, each with the text that names the events. */
#pragma once

#include "log/debuglog.h"
#include "lustre/select.h"

struct rule {
	const struct entry *entry; /* of the settings */
	struct select *select;
	struct dkt_expr *expr;
};

struct rules {
	struct rule *list;
	size_t n;
};

/* Reads rules as the settings have them, which must outlive the result. */
int rules_new(struct debuglog *log, const struct entries *entries, struct rules **rules);
void rules_free(struct rules *rules);

/* Conditions that must all hold; begins as zeroes. */
struct conditions {
	char *text; /* NULL: there is none */
	size_t n;
};

/* Adds one; "" always holds. */
int conditions_add(struct conditions *all, const char *condition);

/*
 * Adds what the rules come to for the event, in the kernel's language: those that are not about it
 * and those whose fields it lacks add nothing.
 */
int rules_add(const struct rules *rules, struct dkt_event *event, struct conditions *all);
