/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the text of JSON. */
#pragma once

#include <json.h>
#include <stdio.h>

/*
 * Prints it and a newline. What a terminal should not get is escaped: json-c sees to controls, and this
 * to what is above ASCII; a byte that is no UTF-8 becomes the characters \xHH. 0 or -ENOMEM.
 */
int json_print(struct json_object *object, FILE *f);
