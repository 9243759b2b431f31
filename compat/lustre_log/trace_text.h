/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the call trace that the kernel printed of a thread, and finds what the thread waits for. */
#pragma once

#include "compat/lustre_log/take.h"

/* Functions that are shown. */
#define TRACE_SHOWN 5

struct trace_text {
	const char *waits_for; /* a word for users: "journal"; NULL: no function tells */
	struct part functions[TRACE_SHOWN]; /* the innermost first, without those of the scheduler */
	size_t n;
};

/* Reads the trace in a text of several lines. Returns false if it has none. */
bool dkl_trace_text_read(const char *text, size_t len, struct trace_text *trace);
