/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds where the words of a message can be in its records: in the format, or in an argument. */
#pragma once

#include <dktrace/dktrace.h>

#include "lustre/names.h"

/*
 * The text of a message is made of a format and its arguments when it is printed, but a trigger acts
 * before that: the kernel can only compare the format, and each argument that is a string. The
 * string constants of Lustre's modules tell which of them can hold the words.
 */
struct search {
	char *glob; /* what the text must match */
	bool blind; /* the constants are not known */
	struct names formats; /* whose own text has the words */
	struct names arguments; /* constants that have them, and are no formats */
	struct names split; /* formats that have some of the words, and take the others as a string */
	struct search_part *parts; /* what the kernel compares for each split format */
	size_t n_parts;
};

struct search_part {
	char *format; /* globs; NULL: the whole text is in the argument */
	char *argument;
};

/*
 * Looks for words among these constants; texts NULL: they are not known. The words are a glob if they
 * have a * or ?, as filters have it, else plain text that is anywhere in the message. -EINVAL: no
 * words, more than 200 bytes, or a quote or control character in a glob.
 */
int search_new(struct dkt_ctx *ctx, const char *words, const struct names *texts,
	       struct search *search);
void search_clear(struct search *search);

/*
 * The condition under which a record of this event of Lustre's messages has the words, in the
 * kernel's filter language. The caller frees it. -ENOENT: the event has no field that can hold them.
 */
int search_condition(const struct search *search, struct dkt_event *event, char **condition);
