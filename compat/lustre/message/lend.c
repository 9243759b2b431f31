/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creates the probes on Lustre's messages for the duration of a command that names them. */
#include <sys/stat.h>

#include "compat/lustre/lustre_masks.h"
#include "compat/lustre/message/cdebug.h"
#include "lib/base/gained.h"
#include "lib/base/run_dir.h"
#include "lib/base/util.h"

bool dkl_cdebug_is_named(const char *text)
{
	return strstr(text, CDEBUG_GROUP ":" CDEBUG_NAME);
}

int dkl_cdebug_lend(struct dkt_ctx *ctx, bool *created)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(RUN_DIR);

	*created = false;
	if (!dkl_lustre_is_loaded())
		return 0;
	if (mkdir(RUN_DIR, 0700) && errno != EEXIST)
		return dkt_fail(ctx, -errno, "create " RUN_DIR ": %s", strerror(errno));
	return dkl_cdebug_create(ctx, created);
}

bool dkl_cdebug_try_lend(struct dkt_ctx *ctx)
{
	bool created = false;
	int err;

	if (!dkl_lustre_is_loaded() || dkt_caps_check(ctx, DKT_NEED_CONTROL))
		return false;
	err = dkt_tracefs_open(ctx, 0);
	if (!err)
		err = dkl_cdebug_lend(ctx, &created);
	if (err)
		dkt_log(ctx, DKT_LOG_WARN, "messages of Lustre cannot be probed: %s",
			dkt_error(ctx));
	return created;
}

void dkl_cdebug_take_back(struct dkt_ctx *ctx)
{
	dkl_cdebug_remove(ctx);
	/* This fails, as it should, if a debug log exists. */
	dkt__run_dir_remove();
}

bool dkl_cdebug_is_probe(const struct dkt_probe *probe)
{
	return !strcmp(probe->group, CDEBUG_GROUP) &&
	       (!strcmp(probe->name, CDEBUG_NAME) || !strcmp(probe->name, CDEBUG_STRINGS) ||
		!strcmp(probe->name, CDEBUG_NESTED));
}
