/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One running Lustre lctl that takes the lines of a session, and so keeps its device and network. */
#pragma once

#include <stdbool.h>

struct real_session;

/*
 * Runs a line, without its newline, in *real, and waits until it has ended; starts Lustre's lctl if
 * *real is NULL. Lustre's lctl ends after a line that fails, unless it ignores errors: then *real is
 * NULL again and *status is the line's. With ignore_errors *status stays 0 after a failure, and only
 * the end of the session tells. After an error *why is the reason, which the caller frees; NULL: out
 * of memory.
 */
int dkl_real_session_run(struct real_session **real, const char *line, bool ignore_errors,
			 int *status, char **why);

/* Ends it, if it runs; returns its exit status, which is that of its first line that failed. */
int dkl_real_session_end(struct real_session **real);
