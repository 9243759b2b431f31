/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sources of the log's records, and the reason why a source is not used. */
#pragma once

#include "compat/log/debuglog.h"

enum {
	SOURCE_KERNEL, /* the kernel's own events */
	SOURCE_FUNCTIONS, /* entry and exit of functions */
	SOURCE_LUSTRE_DEBUG, /* the trace event of Lustre */
	SOURCE_CDEBUG, /* the probe on Lustre's messages */
	SOURCE_LIBCFS, /* Lustre's own buffer */
	SOURCES,
};

struct source_state {
	const char *name;
	bool used;
	char *note; /* the part that is used, or why the source is not used */
};

/* Describes all sources; the caller clears them. */
int dkl_debuglog_sources(struct debuglog *log, struct source_state sources[SOURCES]);
void dkl_sources_clear(struct source_state sources[SOURCES]);
