/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads JSON value by value, without a tree of it: what is not taken takes no memory. Each function takes the value
 * that is next. Returns 0, -EBADMSG with the words set, -ENOMEM or what a caller's function returned.
 */
#pragma once

#include "lib/base/buf.h"

struct dkt__json {
	const char *at; /* the next byte; a NUL follows the text */
	const char *wrong; /* why it cannot be read; NULL: it can */
	unsigned int depth;
	struct dkt_buf text; /* the last text or key; a NUL follows it */
};

/* Takes one member of an object, whose key is in json->text until the value is taken. */
typedef int (*dkt__json_member)(void *data, struct dkt__json *json);
/* Takes one element of an array. */
typedef int (*dkt__json_element)(void *data, struct dkt__json *json);

int dkt__json_object(struct dkt__json *json, dkt__json_member fn, void *data);
int dkt__json_array(struct dkt__json *json, dkt__json_element fn, void *data);

/* Puts it into json->text. */
int dkt__json_text(struct dkt__json *json);
int dkt__json_int(struct dkt__json *json, int64_t *value);
int dkt__json_skip(struct dkt__json *json);

/* Nothing may follow the outermost value. */
int dkt__json_end(struct dkt__json *json);

/* Sets the words, unless there are some, and returns -EBADMSG. */
int dkt__json_wrong(struct dkt__json *json, const char *words);

void dkt__json_clear(struct dkt__json *json);
