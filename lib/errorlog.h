/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's error_log in words. */
#ifndef DKT_ERRORLOG_H
#define DKT_ERRORLOG_H

#include "internal.h"

/*
 * The words of the log's last entry, if that is about this command, as
 * "WORDS\n  COMMAND\n  CARET"; NULL if it is about something else. The caller frees it.
 */
char *dkt__errorlog_words(const char *log, const char *command);

#endif
