/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads parameters of Lustre that were saved: what `lctl get_param` printed, and copies of the kernel's directories. */
#pragma once

#include <dktrace/dktrace.h>

/* A parameter, valid until the function returns. */
struct saved_param {
	const char *host; /* that pdsh wrote before the line; "": nobody did */
	const char *name; /* "osc.lustre-OST0000-osc-ffff9b.cur_grant_bytes" */
	const char *value; /* can have several lines; does not end with one that is empty */
};

/* A result other than 0 ends the reading, which returns it. */
typedef int (*saved_param_fn)(void *data, const struct saved_param *param);

/*
 * Reads a file, or all files below a directory; other files than those of parameters are passed over, and so are
 * those that are too large to be one. Adds to *unread how many files below the directory could not be read, as
 * those of the kernel that can only be written. Sets the message of ctx on -errno.
 */
int dkl_saved_params_read(struct dkt_ctx *ctx, const char *path, saved_param_fn fn, void *data,
			  uint64_t *unread);

/* The same for the text of a file with the output of get_param. The text is changed. */
int dkl_saved_params_text(char *text, saved_param_fn fn, void *data);
