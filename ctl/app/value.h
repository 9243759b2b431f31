/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of options that several commands have: whether they can be meant at all. */
#pragma once

struct dkt_ctx;

/* Returns 0 or -errno with words in the context. */
typedef int value_check(struct dkt_ctx *ctx, const char *option, const char *text);

value_check value_events, value_classes, value_subsystems, value_processes, value_cpus,
	value_programs, value_numbers, value_server, value_filter, value_compression, value_depth,
	value_threshold;

/* The names that value_compression() takes; NULL after the last. */
extern const char *const value_compressions[];

/* The same for words that select events, which are an argument of the command with that name. */
value_check value_select;

/* The same for the name of probes: NAME, GROUP:NAME or a glob. */
value_check value_probes;
