/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory for files that last until the next boot. */
#pragma once

#include <stdbool.h>

/* Holds a directory for each debug log, with its settings and its spool. */
#define RUN_DIR "/run/dktrace"

/* Creates it; returns true if it was not there. Whoever uses it reports that it cannot be created. */
bool dkt__run_dir_create(void);

/* Removes it if it is empty. */
void dkt__run_dir_remove(void);
