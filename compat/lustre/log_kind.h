/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recognises the files that have Lustre's messages. */
#pragma once

enum log_kind {
	LOG_NONE,
	LOG_TEXT, /* as dk prints it */
	LOG_CONSOLE, /* syslog, or dmesg */
	LOG_BINARY,
};

/* Returns a name for users. */
const char *log_kind_name(enum log_kind kind);

/* Looks at the beginning of the file, and leaves its position. */
enum log_kind log_kind_of(int fd);
