/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The objects of LAMI 1.0, the machine interface of lttng-analyses, which Trace Compass reads. */
#pragma once

#include <json.h>

#include "ctl/analyze/run.h"

#define LAMI_MAJOR 1
#define LAMI_MINOR 0

/* Returns the metadata object: the analysis and its kinds of tables. */
struct json_object *lami_metadata(const struct run *run);

/*
 * Print a result table object: the objects of all rows at once would take several kB for each of them.
 * -ENOMEM.
 */
void lami_begin_table(const struct result_table *table, FILE *f);
int lami_print_row(const struct run *run, const struct result_table *table,
		   const struct result_cell *cells, bool first, FILE *f);
int lami_end_table(const struct run *run, FILE *f);

/* Returns an error object. */
struct json_object *lami_error(const char *message);
