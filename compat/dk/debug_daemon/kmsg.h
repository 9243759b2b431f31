/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies records to the kernel log, at a limited rate. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The kernel's own limit is 10 lines of a process in 5 seconds. */
#define KMSG_BURST    8 /* lines per interval; more are counted as skipped */
#define KMSG_INTERVAL 5 /* seconds */

struct kmsg {
	int fd; /* -1: not open, or not available */
	int64_t since; /* beginning of the interval, s */
	unsigned int n; /* copies in it */
	uint64_t skipped;
};

/* Copies a record of these classes, a line of the legacy style. now is in seconds. */
void dkl_kmsg_copy(struct kmsg *kmsg, int64_t now, uint32_t classes, const char *line, size_t len);
void dkl_kmsg_close(struct kmsg *kmsg);
