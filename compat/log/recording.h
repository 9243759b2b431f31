/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a log records: its instance, and the top instance as long as that is borrowed for it. */
#pragma once

#include "log/debuglog.h"

struct recording {
	bool on; /* the instance */
	bool borrowed; /* the top instance has the entry and exit of functions */
	bool top_on; /* which are recorded */
};

/* The log has an instance. */
int recording_get(struct debuglog *log, struct recording *recording);

/* Starts or stops both. */
int recording_set(struct debuglog *log, bool on);
