/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text that many lines of the legacy style share, built once. */
#pragma once

#include <dktrace/dktrace.h>

/* Text that all lines of one process on one CPU share. */
struct legacy_context {
	bool known;
	char type;
	uint32_t cpu;
	int32_t pid;
	size_t n_before, n_after;
	char before[16]; /* "CPU.TYPE:" */
	char after[20]; /* ":0:PID:0:" */
};

/* The text of one return value. */
struct legacy_rc {
	int64_t rc;
	size_t len; /* 0: unused */
	char text[80];
};

/* Starts as all zeroes. */
struct legacy_common {
	struct legacy_context contexts[64]; /* by CPU */
	uint64_t second; /* the second whose text is in `seconds` */
	size_t n_second; /* length of that text; 0: unused */
	char seconds[24]; /* "1495061256.", then the microseconds of the last line */
	struct legacy_rc rcs[64]; /* by value */
	bool ticks; /* times are no ns: they are printed as they are, without a point */
};

/* Appends CPU.TYPE[F]:SEC.USEC:STACK:PID:EXT: */
void dkl_legacy_put_context(struct legacy_common *common, const struct dkt_record *record,
			    int64_t wall, struct dkt_buf *buf);

/* Appends " (rc=%lu : %ld : %lx)" and a newline. */
void dkl_legacy_put_rc(struct legacy_common *common, int64_t rc, struct dkt_buf *buf);
