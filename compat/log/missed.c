/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps the count of messages that the probe on Lustre's messages had missed when the log was emptied. */
#include "compat/log/missed.h"

#include <fcntl.h>
#include <unistd.h>

#include "compat/lustre/message/cdebug.h"
#include "lib/base/buf.h"
#include "lib/base/gained.h"
#include "lib/base/io.h"

/* In the log's directory: a number of fixed size, so that it is replaced in one write. */
#define MISSED_FILE "missed"

static int open_file(struct debuglog *log, int flags)
{
	char *path __cleanup(free) = log->dir ? dkt__format("%s/" MISSED_FILE, log->dir) : NULL;
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(RUN_DIR);

	return path ? open(path, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
}

void dkl_missed_begin(struct debuglog *log)
{
	int fd __cleanup(close) = -1;

	if (!dkt_event_find(log->ctx, CDEBUG_GROUP, CDEBUG_NAME))
		return;
	fd = open_file(log, O_CREAT | O_EXCL);
	if (fd >= 0)
		dkl_missed_keep(fd, dkl_cdebug_missed(log->ctx));
}

int dkl_missed_open(struct debuglog *log)
{
	return open_file(log, 0);
}

uint64_t dkl_missed_since(int fd, uint64_t all)
{
	uint64_t kept;

	if (fd < 0 || dkt__pread_all(fd, &kept, sizeof(kept), 0) != sizeof(kept))
		return 0;
	/* The probe was created again. */
	return kept > all ? all : all - kept;
}

void dkl_missed_keep(int fd, uint64_t all)
{
	/* Without it, the next dk counts too many, or none. */
	if (fd >= 0)
		dkt__pwrite_all(fd, &all, sizeof(all), 0);
}
