/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory for files that last until the next boot. */
#pragma once

/* Holds a directory for each debug log, with its settings and its spool. */
#define RUN_DIR "/run/dktrace"

/* Removes it if it is empty. */
void dkt__run_dir_remove(void);
