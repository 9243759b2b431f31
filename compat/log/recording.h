/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starts and stops recording: of the log's instance, and of the top instance while it is borrowed.
 */
#pragma once

#include "compat/log/debuglog.h"

struct recording {
	bool on; /* the instance records */
	bool borrowed; /* the top instance was borrowed for entry and exit of functions */
	bool top_on; /* and records */
};

/* The log must have an instance. */
int dkl_recording_get(struct debuglog *log, struct recording *recording);

/* Starts or stops both instances. */
int dkl_recording_set(struct debuglog *log, bool on);
