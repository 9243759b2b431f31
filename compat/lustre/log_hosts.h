/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds and numbers the hosts that the lines of a log name. */
#pragma once

#include "lib/base/keymap.h"

/* A name in a text. */
struct log_host {
	const char *name; /* NULL: none */
	size_t len;
};

/* All zero: none. */
struct log_hosts {
	struct dkt__keymap map;
	char *names; /* by number, with spaces between; NULL: none */
};

/* Gets the number of a host, which is stored as a record's CPU. Returns 0 or -ENOMEM. */
int dkl_log_hosts_number(struct log_hosts *hosts, struct log_host host, uint16_t *number);

/*
 * Returns how many hosts pdsh or clush wrote before the records of a dump, at most 2; without all, only 0 or 1
 * for the first record. Leaves the file's position.
 */
int dkl_log_hosts_count(int fd, bool all);

void dkl_log_hosts_clear(struct log_hosts *hosts);
