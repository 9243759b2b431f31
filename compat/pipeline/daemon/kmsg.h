/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies records to the kernel log, at a limited rate. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The kernel itself takes 10 lines of a process in 5 seconds. */
#define KMSG_BURST    8 /* copies that come at once ... */
#define KMSG_INTERVAL 5 /* ... in so many seconds; further ones are counted */

struct kmsg {
	int fd; /* -1: not opened yet, or not to be had */
	int64_t since; /* begin of the interval, s */
	unsigned int n; /* copies in it */
	uint64_t skipped;
};

/* A record of these classes, as a line of the legacy style. now is in seconds. */
void kmsg_copy(struct kmsg *kmsg, int64_t now, uint32_t classes, const char *line, size_t len);
void kmsg_close(struct kmsg *kmsg);
