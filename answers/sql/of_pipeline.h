/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Databases of the files of a pipeline. */
#pragma once

#include "answers/sql/database.h"
#include "compat/pipeline/sink.h"

/* database_new() with the files of the pipeline; those of one boot of a machine are of one host. */
int database_of(struct pipeline *p, const struct database_opts *opts, struct database **db);

/* A database as the output of convert and merge. */
extern const struct sink_writer database_writer;

/* database_add() of a record of the pipeline. */
static inline int database_add_to(const struct pipeline *p, struct database *db,
				  const struct dkt_record *record)
{
	return database_add(db, (size_t)(pipeline_part(p, record) - p->parts), p->source, record);
}
