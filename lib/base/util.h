/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * C's own headers that nearly every file needs, small macros, arrays that grow, the other byte order, and
 * locals that let go at the end of their scope.
 */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARRAY_SIZE(a)    (sizeof(a) / sizeof((a)[0]))
#define DKT__MIN(a, b)   ((a) < (b) ? (a) : (b))
#define DKT__MAX(a, b)   ((a) > (b) ? (a) : (b))
#define dkt__unlikely(x) __builtin_expect(!!(x), 0)
#define dkt__likely(x)   __builtin_expect(!!(x), 1)

/*
 * Doubles the room of an array, which is first elements in the beginning. NULL: memory is out, and the
 * array stays as it is.
 */
static inline void *dkt__grow(void *list, size_t *room, size_t first, size_t size)
{
	const size_t wanted = *room ? 2 * *room : first;
	void *more = reallocarray(list, wanted, size);

	if (more)
		*room = wanted;
	return more;
}

/* Turns the bytes of one number round. */
static inline void dkt__turn(uint8_t *p, uint32_t size)
{
	for (uint32_t i = 0; i < size / 2; i++) {
		uint8_t byte = p[i];

		p[i] = p[size - 1 - i];
		p[size - 1 - i] = byte;
	}
}

static inline void dkt__freep(void *p)
{
	free(*(void **)p);
}

static inline void dkt__closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void dkt__fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void dkt__closedirp(DIR **d)
{
	if (*d)
		closedir(*d);
}

/* As in: char *text __cleanup(free) = NULL; what is one of free, close, fclose, closedir. */
#define __cleanup(what) __attribute__((cleanup(dkt__##what##p)))
