/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recognises the files that have Lustre's messages. */
#pragma once

#include <stdbool.h>

enum log_kind {
	LOG_NONE,
	LOG_TEXT, /* as dk prints it */
	LOG_CONSOLE, /* of syslog, dmesg, journalctl or conman */
	LOG_BINARY,
};

/* Returns a name for users. */
const char *dkl_log_kind_name(enum log_kind kind);

/* Looks at the beginning of the file, and leaves its position. */
enum log_kind dkl_log_kind_of(int fd);

/* True for a text with lines of the debug log in quotes: dkl_log_kind_of() is LOG_NONE. */
bool dkl_log_kind_is_quoted(int fd);

/* True for a text with messages of Lustre that are behind no time that is known: dkl_log_kind_of() is LOG_NONE. */
bool dkl_log_kind_lacks_times(int fd);
