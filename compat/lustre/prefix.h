/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Skips the prefixes that other programs put before the lines of a log that they copy. */
#pragma once

#include <stddef.h>

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
