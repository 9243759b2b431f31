/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program whose arguments are known, for probes: probe-target [TIMES] */
#include <stdio.h>
#include <stdlib.h>

#include "tests/helper/probe_target.h"

int target_counter = 42;

static inline __attribute__((always_inline)) int target_twice(int v)
{
	return v * 2 + target_counter;
}

__attribute__((noinline)) int target(const char *name, int number, struct outer *outer,
				     int64_t *pos, int a5, int a6, int a7, const char *last)
{
	int local = target_twice(number);

	if (local != number && outer->in->one)
		*pos += local;
	return number + outer->grid[1][2] + a5 + a6 + a7 + *last + *name;
}

int main(int argc, char **argv)
{
	struct inner in = { "inner", 5, 77, { -9 } };
	struct outer outer = { &in,
			       "outer",
			       { { "e0", 0, 0, { 0 } }, { "e1", 1, 2, { 3 } } },
			       { { 1, 2, 3 }, { 4, 5, 6 } },
			       BLUE };
	int64_t pos = 99;
	int i, sum = 0, times = argc > 1 ? atoi(argv[1]) : 1;

	/* Its members are in memory, whatever the compiler knows of them. */
	__asm__ volatile("" : : "r"(&outer) : "memory");
	for (i = 0; i < times; i++)
		sum += target("hello", 7 + i, &outer, &pos, 1, 2, -3, "last");
	printf("%d %lld %s\n", sum, (long long)pos, outer.name);
	return 0;
}
