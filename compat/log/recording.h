/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starts and stops recording: of the log's instance, and of the top instance while it is borrowed.
 */
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
