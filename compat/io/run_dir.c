/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removes the directory for files that last until the next boot. */
#include "io/run_dir.h"

#include "base/gained.h"
#include "base/util.h"

void run_dir_remove(void)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(true);

	rmdir(RUN_DIR);
}
