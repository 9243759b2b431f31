/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A build without SQLite writes no database. */
#include "answers/sql/database.h"

static int refuse(struct pipeline *p, const struct outfile *file, void **state)
{
	*state = NULL;
	return dkt_fail(p->ctx, -EOPNOTSUPP,
			"write %s: databases are of SQLite, which this dktrace was built without",
			file->path);
}

static int add_nothing(void *state, const struct pipeline *p, const struct dkt_record *record)
{
	(void)state, (void)p, (void)record;
	return 0;
}

static int finish_nothing(void *state)
{
	(void)state;
	return 0;
}

static void close_nothing(void *state)
{
	(void)state;
}

const struct sink_writer database_writer = { "sqlite", refuse, add_nothing, finish_nothing,
					     close_nothing };
