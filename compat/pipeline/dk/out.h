/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log's way from a style to a descriptor. */
#pragma once

#include "lustre/style.h"

struct dk_out {
	struct dkt_ctx *ctx;
	struct style *style;
	struct dkt_buf *buf; /* what is to be written */
	int fd; /* -1: the style writes files of its own */
	bool closed; /* the reader of a pipe went away */
};

/* Writes what is in the buffer. */
int dk_out_write(struct dk_out *out);

/* The same if it is much. */
int dk_out_write_if_full(struct dk_out *out);

/* Writes all there is of the records so far, also what the style holds back. */
int dk_out_flush(struct dk_out *out);

/* Some file systems say only at a close that what was written did not get there. */
int dk_out_check(const struct dk_out *out);

/* Both, before records are forgotten. data is the struct dk_out. */
int dk_out_settle(void *data);
