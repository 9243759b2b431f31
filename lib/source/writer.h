/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether another process writes a file that is being read. */
#pragma once

#include "lib/source/file.h"

/*
 * True if another process holds the lock of those that record, or the file has grown since it was opened.
 * False for the file of a caller that holds the lock itself.
 */
bool dkt__file_is_written(const struct dkt__file *file);
