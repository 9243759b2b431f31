/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds changes in the kernel that the log does not have yet, such as loaded modules. */
#pragma once

#include "log/debuglog.h"

/*
 * Lines, without newline at the end, on modules that were loaded or unloaded and masks of Lustre
 * that are others now; NULL: nothing to tell. The caller frees it.
 */
int debuglog_drift(struct debuglog *log, char **lines);
