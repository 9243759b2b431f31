/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of status about filters, threads, CPUs, functions and triggers. */
#ifndef CTL_STATUS_FILTER_H
#define CTL_STATUS_FILTER_H

#include <json-c/json.h>

#include "log/settings.h"

/* Lines of a label, in a column of that width, and a value; nothing of what is not set. */
void status_filter_print(const struct settings *set, unsigned int width);

void status_filter_json(const struct settings *set, struct json_object *root);

#endif
