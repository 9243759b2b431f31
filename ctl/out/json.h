/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the text of JSON. */
#pragma once

#include <json.h>
#include <stdio.h>

/*
 * Prints the object and a newline. Escapes everything that could drive a terminal: json-c escapes control
 * characters below DEL, this function those from DEL on. A byte that is not UTF-8 becomes the four
 * characters \xHH. Returns 0 or -ENOMEM.
 */
int json_print(struct json_object *object, FILE *f);

/* The same on one line. */
int json_line(struct json_object *object, FILE *f);

/* The same without the newline: a part of a text that is too long to be one object. */
int json_part(struct json_object *object, FILE *f);
