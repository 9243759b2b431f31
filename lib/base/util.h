/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Common headers of C, small macros, growing arrays, byte swapping, and cleanup attributes. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of what messages call a MB, as debug_mb and the M of options do. */
#define DKT__MB ((double)(1 << 20))

/* The byte order of this machine, also for #if. */
#define DKT__BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Bytes of a cache line of common CPUs. */
#define DKT__CACHE_LINE 64

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Each argument is evaluated once. Not for constants that the compiler needs, such as the size of an array. */
#define DKT__MIN(a, b) DKT__FIRST_IF(<, a, b, __COUNTER__)
#define DKT__MAX(a, b) DKT__FIRST_IF(>, a, b, __COUNTER__)

/* The names differ, so that an argument can be another minimum. */
#define DKT__FIRST_IF(is, a, b, nr) DKT__FIRST_IF_NR(is, a, b, nr)
#define DKT__FIRST_IF_NR(is, a, b, nr)                                                             \
	({                                                                                         \
		const __auto_type a_##nr = (a);                                                    \
		const __auto_type b_##nr = (b);                                                    \
                                                                                                   \
		a_##nr is b_##nr ? a_##nr : b_##nr;                                                \
	})

#define dkt__unlikely(x) __builtin_expect(!!(x), 0)
#define dkt__likely(x)   __builtin_expect(!!(x), 1)

/*
 * Returns the array with room for one more element. The array must only grow by dkt__append(), this and
 * dkt__reach(): it holds 4 or a power of two, so n alone tells when it is full. NULL if memory is out; the array
 * stays unchanged.
 */
static inline void *dkt__grow(void *list, size_t n, size_t size)
{
	if (n && (n < 4 || n & (n - 1)))
		return list;
	return reallocarray(list, n ? 2 * n : 4, size);
}

/*
 * Appends a value to such an array; evaluates the value only if there is room. Returns 0 or
 * -ENOMEM.
 */
#define dkt__append(list, n, ...)                                                                  \
	({                                                                                         \
		__typeof__(list) more_ = dkt__grow((list), (size_t)(n), sizeof(*more_));           \
                                                                                                   \
		if (more_) {                                                                       \
			(list) = more_;                                                            \
			more_[(n)++] = __VA_ARGS__;                                                \
		}                                                                                  \
		more_ ? 0 : -ENOMEM;                                                               \
	})

/* Extends an array from had to n elements, the new ones zeroed. Returns NULL if memory is out. */
static inline void *dkt__widen(void *list, size_t had, size_t n, size_t size)
{
	char *more = reallocarray(list, n, size);

	if (more)
		memset(more + had * size, 0, (n - had) * size);
	return more;
}

/* Returns how many elements such an array of dkt__grow() holds. */
static inline size_t dkt__room(size_t n)
{
	const int bits = 8 * (int)sizeof(n);

	if (n <= 4)
		return n ? 4 : 0;
	/* No memory is so large. */
	return n > SIZE_MAX / 2 ? SIZE_MAX : (size_t)1 << (bits - __builtin_clzl(n - 1));
}

/* As dkt__widen(), for an array that only grows by dkt__append() and dkt__reach(): it is seldom copied. */
static inline void *dkt__stretch(void *list, size_t had, size_t n, size_t size)
{
	char *more = list;

	if (dkt__room(had) < n || !list)
		more = reallocarray(list, dkt__room(n), size);
	if (more)
		memset(more + had * size, 0, (n - had) * size);
	return more;
}

/*
 * Returns the address of an element; extends the array, which only grows by this and dkt__append(), to hold
 * it. NULL if memory is out.
 */
#define dkt__reach(list, n, place)                                                                 \
	({                                                                                         \
		const size_t place_ = (place);                                                     \
		__typeof__(list) all_ = (list);                                                    \
                                                                                                   \
		if (dkt__unlikely(place_ >= (size_t)(n))) {                                        \
			all_ = dkt__stretch(all_, (size_t)(n), place_ + 1, sizeof(*all_));         \
			if (all_) {                                                                \
				(list) = all_;                                                     \
				(n) = (__typeof__(n))(place_ + 1);                                 \
			}                                                                          \
		}                                                                                  \
		all_ ? &all_[place_] : NULL;                                                       \
	})

/* True for a letter, a digit and _. */
static inline bool dkt__in_name(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_';
}

/* For qsort() and trees: compares elements whose first member is a text. */
static inline int dkt__by_first_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Stores the lowest bytes of a number in this machine's byte order; size: up to 8. */
static inline void dkt__put_number(void *to, uint64_t value, size_t size)
{
	memcpy(to, (const uint8_t *)&value + (DKT__BIG_ENDIAN ? sizeof(value) - size : 0), size);
}

/* Returns a number of up to 8 bytes that this machine stored. */
static inline uint64_t dkt__get_number(const void *from, size_t size)
{
	uint64_t value = 0;

	memcpy((uint8_t *)&value + (DKT__BIG_ENDIAN ? sizeof(value) - size : 0), from, size);
	return value;
}

/* Reverses the bytes of one number. */
static inline void dkt__turn(uint8_t *p, uint32_t size)
{
	for (uint32_t i = 0; i < size / 2; i++) {
		uint8_t byte = p[i];

		p[i] = p[size - 1 - i];
		p[size - 1 - i] = byte;
	}
}

/* musl lacks it. */
#ifndef TEMP_FAILURE_RETRY
#define TEMP_FAILURE_RETRY(call)                                                                   \
	({                                                                                         \
		__typeof__(call) result_;                                                          \
                                                                                                   \
		do                                                                                 \
			result_ = (call);                                                          \
		while (result_ == -1 && errno == EINTR);                                           \
		result_;                                                                           \
	})
#endif

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

/* Usage: char *text __cleanup(free) = NULL; also close, fclose, closedir. */
#define __cleanup(what) __attribute__((cleanup(dkt__##what##p)))
