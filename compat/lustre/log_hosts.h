/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Skips the prefixes of lines of a log; finds and numbers the hosts that they name. */
#pragma once

#include <stddef.h>

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

/* The longest one, such as the path of a file. */
#define PREFIX_MAX 256

/*
 * Returns the text after the prefix that the line begins with: of pdsh ("oss7: "), of grep -H and -n
 * ("log:17:"), of cat -n ("  17 "), of a quotation ("> "), of the kernel's levels ("<3>", "kern  :err   : "), of
 * RFC 5424 ("<3>1 "), of docker ("oss7  | ") or of conman ("[2026-11-25 03:12:55] "). NULL: the line has no
 * prefix. A line can have several: call it again for the next one.
 */
const char *dkl_prefix_skip(const char *line);

/*
 * Returns the name of the host that pdsh or clush wrote before the line ("oss7: "), and its length.
 * NULL and 0: it begins with something else.
 */
const char *dkl_prefix_host(const char *line, size_t *len);
