/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds changes in the kernel that the log does not have yet, such as loaded modules. */
#pragma once

#include "compat/log/debuglog.h"

/*
 * Reports, in lines without a newline at the end, modules that were loaded or unloaded and masks of
 * Lustre that have changed; NULL: none. The caller frees the text.
 */
int dkl_debuglog_drift(struct debuglog *log, char **lines);
