/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sql: a build without SQLite answers no statement. */
#include "ctl/app/commands.h"

int cmd_sql(struct app *app, int argc, char **argv)
{
	(void)argc;
	dkt_fail(app->ctx, -EOPNOTSUPP,
		 "%s: statements are answered by SQLite, which this dktrace was built without",
		 argv[0]);
	return app_fail(app);
}
