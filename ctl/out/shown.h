/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text of records and files as people and programs may see it: dkt_buf_text(). */
#ifndef CTL_SHOWN_H
#define CTL_SHOWN_H

#include <json.h>
#include <stdio.h>

/*
 * Prints JSON. What a terminal should not get is escaped: JSON's own makers see to
 * controls, and here to what is above ASCII; a byte that is no UTF-8 becomes the characters \xHH.
 */
int shown_json(const char *json, FILE *out);

/* Prints it and a newline, and frees it. */
int shown_object(struct json_object *object, FILE *out);

#endif
