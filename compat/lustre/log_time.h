/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Takes the times that syslog, dmesg, journalctl and conman write before a message. */
#pragma once

#include <time.h>

#include "lib/base/util.h"

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

/* Facts of the time zone that the lines of a log need: to ask libc for each line costs more than all else. */
struct log_calendar {
	int64_t written; /* when the file was last written, in s; tells the year of dates without one */
	/* The rest is zeroed at the beginning. */
	struct tm now; /* the same in local time; tm_mday 0: not known yet */
	struct tm minute; /* the last one that was asked for; tm_mday 0: none */
	int64_t begins; /* it, in s */
};

/*
 * Takes the time that the line begins with, after the prefixes of other programs, and moves *p after it. False:
 * the line has no time.
 */
bool dkl_log_time_take(const char **p, struct log_calendar *calendar, struct log_time *time);
