/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A build without libtracefs translates no statement. */
#include "lib/synth_sql/sql.h"

int dkt__sql_translate(struct sql *sql, const char *name, char **text)
{
	(void)name;
	*text = NULL;
	return dkt_fail(
		sql->ctx, -EOPNOTSUPP,
		"sql: statements for the kernel are translated by libtracefs, which libdktrace was"
		" built without");
}
