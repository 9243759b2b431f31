/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds where the words of a message can be in its records: in the format, or in an argument. */
#pragma once

#include <dktrace/dktrace.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/strings.h"

/*
 * The text of a message exists only when it is printed. A trigger acts before that, so the kernel
 * can only compare the format, and each argument that is a string. The string constants of Lustre's
 * modules show which of these can contain the words.
 */
struct search {
	char *glob; /* matches the whole text */
	bool blind; /* the constants are unknown */
	struct dkt__strings formats; /* formats that contain the words */
	struct dkt__strings arguments; /* other constants that contain the words */
	struct dkt__strings split; /* formats with some of the words, and a %s for the others */
	struct search_part *parts; /* the globs for each split */
	size_t n_parts;
};

struct search_part {
	char *format; /* glob for the format */
	unsigned int word; /* the number of the argument among its words */
	char *argument; /* glob for the argument */
};

/*
 * Searches the constants for the words; texts NULL: the constants are unknown. The words are a glob
 * of a filter if they contain * or ?, otherwise plain text anywhere in the message. -EINVAL: no
 * words, more than 200 bytes, or a quote or control character in a glob.
 */
int dkl_search_new(struct dkt_ctx *ctx, const char *words, const struct dkt__strings *texts,
		   struct search *search);

/*
 * Searches the constants of Lustre's loaded modules. If they cannot be read, the search is blind, and
 * dkt_error() says why.
 */
int dkl_search_modules(struct dkt_ctx *ctx, const char *words, struct search *search);
void dkl_search_clear(struct search *search);

/*
 * search_condition.c: gets the condition for a record of this message event to have the words, in the
 * kernel's filter language. It holds only for messages whose text has the words. The caller frees it. -ENOENT:
 * the event has no field that can have them, or no format that tells its arguments from other words.
 */
int dkl_search_condition(const struct search *search, struct dkt_event *event, char **condition);

/* ---- texts.c: the string constants of Lustre's loaded modules ---- */

/*
 * Adds the strings of libcfs and of all modules that use it, unsorted and with duplicates. -ENOENT:
 * libcfs is not loaded. -EACCES, -EPERM: this process cannot read the kernel's memory.
 */
int dkl_texts_read(struct dkt_ctx *ctx, struct dkt__strings *texts);

/* Adds the strings of at least four printable bytes that the bytes contain with their NUL. */
int dkl_texts_in(const char *bytes, size_t len, struct dkt__strings *texts);

/*
 * Returns a descriptor, which the caller closes; -errno: no permission, or the kernel is locked
 * down.
 */
int dkl_kcore_open(void);

/* Reads up to len bytes at a kernel address. Returns their number; 0: they cannot be read. */
size_t dkl_kcore_read(int fd, uint64_t address, void *bytes, size_t len);
