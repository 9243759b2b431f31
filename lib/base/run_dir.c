/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removes the directory for files that last until the next boot. */
#include "lib/base/run_dir.h"

#include <unistd.h>

#include "lib/base/gained.h"
#include "lib/base/util.h"

void dkt__run_dir_remove(void)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(true);

	rmdir(RUN_DIR);
}
