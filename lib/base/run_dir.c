/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creates and removes the directory for files that last until the next boot. */
#include "lib/base/run_dir.h"

#include <sys/stat.h>

#include "lib/base/gained.h"
#include "lib/base/util.h"

bool dkt__run_dir_create(void)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(true);

	return !mkdir(RUN_DIR, 0700);
}

void dkt__run_dir_remove(void)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(true);

	rmdir(RUN_DIR);
}
