/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds a plan's list of steps, for the code that compiles conversions. */
#pragma once

#include "lib/plan.h"

/* A plan under construction. literal collects the text before the next step. */
struct dkt__build {
	struct dkt__plan *plan;
	struct tep_event *tep;
	struct tep_print_arg *arg; /* the next argument */
	struct dkt__step *steps;
	uint32_t n;
	struct dkt_buf literal;
	int nest;
};

/* One conversion of the format. */
struct dkt__conv {
	struct dkt__spec spec;
	int length; /* -2 hh, -1 h, 0, 1 l, 2 ll */
	char type; /* d, u, x, ..., p */
};

int dkt__build_step(struct dkt__build *b, struct dkt__step step);

/* Compiles the argument as the number of the step, and adds the step. */
int dkt__build_value_step(struct dkt__build *b, struct dkt__step step, struct tep_print_arg *arg);

/* Compiles a number that lives as long as the plan. If *err is set, the number stays 0. */
struct dkt__value *dkt__build_value(struct dkt__build *b, struct tep_print_arg *arg, int *err);

/* Compiles "%s" without its padding. */
int dkt__build_string(struct dkt__build *b, struct tep_print_arg *arg);

/* Compiles "%p" and the letters after it; moves *format past them. */
int dkt__build_pointer(struct dkt__build *b, struct dkt__conv *conv, const char **format,
		       struct tep_print_arg *arg);
