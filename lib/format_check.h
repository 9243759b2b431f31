/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats that come out of a file, made safe for libtraceevent, which trusts what it parses. */
#ifndef DKT_FORMAT_CHECK_H
#define DKT_FORMAT_CHECK_H

#include "internal.h"

/*
 * What of a format's text can be given to libtraceevent: its head, fields that are declared as a
 * kernel declares them, and the print format only if it was parsed and compiled here before and
 * divides by nothing. *bare: it was not. The caller frees the text; NULL: the head makes no sense.
 */
char *dkt__format_clean(struct dkt_event *event, const char *text, size_t len, bool *bare);

#endif
