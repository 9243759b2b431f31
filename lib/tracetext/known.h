/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The texts of common events, as the kernels of all ages and trace-cmd's plugins print them. */
#pragma once

#include "lib/base/buf.h"

/*
 * One text of an event. Events whose text has changed have several rows, the newest first, with the
 * same fields as far as the text has them.
 */
struct dkt__text_known {
	const char *system, *name;
	const char *fields; /* "char comm[16]; int pid"; "text NAME" is a string of any length */
	const char *print; /* the print format */
};

/* Returns the i-th row of the name; NULL: there are no more. */
const struct dkt__text_known *dkt__text_known(const char *name, size_t i);

/* Appends the format of such an event, as the kernel writes it. */
void dkt__text_known_format(const struct dkt__text_known *known, int id, struct dkt_buf *buf);
