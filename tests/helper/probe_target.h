/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The types to which arguments of probed functions point. */
#ifndef PROBE_TARGET_H
#define PROBE_TARGET_H

#include <stdint.h>

struct inner {
	char text[16];
	uint32_t low : 3, high : 13;
	union {
		int one;
		char other;
	};
};

struct outer {
	struct inner *in;
	const char *name;
	struct inner list[3];
	int grid[2][3];
	enum { RED = -1, BLUE } colour;
};

#endif
