/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Takes the times that syslog, dmesg, journalctl and conman write before a message. */
#pragma once

#include "base/util.h"

enum log_time_kind {
	LOG_TIME_WALL,
	LOG_TIME_UPTIME, /* since the boot */
};

struct log_time {
	enum log_time_kind kind;
	int64_t sec;
	uint64_t usec;
	bool is_rough; /* of conman, in whole seconds, a little after the message */
	bool has_uptime; /* the kernel's time follows conman's */
	int64_t up_sec;
	uint64_t up_usec;
	const char *host; /* that pdsh wrote before the line; NULL: none */
	size_t host_len;
};

/*
 * Takes the time that the line begins with, after the prefixes of other programs, and moves *p after it.
 * written is when the file was last written, in s, which tells the year of dates without one. False: the line
 * has no time.
 */
bool log_time_take(const char **p, int64_t written, struct log_time *time);
