/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a style's text to a descriptor. */
#pragma once

#include "lustre/style.h"

struct text_out {
	struct dkt_ctx *ctx;
	struct style *style;
	struct dkt_buf *buf; /* what is to be written */
	int fd; /* -1: the style writes files of its own */
	bool closed; /* the reader of a pipe went away */
};

/* Writes what is in the buffer. */
int text_out_write(struct text_out *out);

/* The same if it is much. */
int text_out_write_if_full(struct text_out *out);

/* Writes all there is of the records so far, also what the style holds back. */
int text_out_flush(struct text_out *out);

/* Some file systems say only at a close that what was written did not get there. */
int text_out_check(const struct text_out *out);

/* Both, before records are forgotten. data is the struct text_out. */
int text_out_settle(void *data);
