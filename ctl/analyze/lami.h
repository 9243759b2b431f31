/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The objects of LAMI 1.0, the machine interface of lttng-analyses, which Trace Compass reads. */
#pragma once

#include <json.h>

#include "analyze/run.h"

#define LAMI_MAJOR 1
#define LAMI_MINOR 0

/* Returns the metadata object: the analysis and its kinds of tables. */
struct json_object *lami_metadata(const struct run *run);

/* Returns an array of data objects: a row of a table. */
struct json_object *lami_row(const struct run *run, const struct result_table *table,
			     const struct result_cell *cells);

/* Returns a result table object of these rows, which it takes. */
struct json_object *lami_table(const struct run *run, const struct result_table *table,
			       struct json_object *rows);

/* Returns an error object. */
struct json_object *lami_error(const char *message);
