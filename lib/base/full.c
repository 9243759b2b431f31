/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words about files that cannot grow: the disk, the quota or the limit of the process is reached. */
#include "lib/base/full.h"

#include <errno.h>

#define ELSEWHERE "write to another file system"

const char *dkt__full_advice(int err)
{
	switch (err) {
	case -ENOSPC:
		return "; free space on its file system, or " ELSEWHERE;
	case -EDQUOT:
		return "; free space within the quota, or " ELSEWHERE;
	case -EFBIG:
		return "; raise the limit of 'ulimit -f'; without one, " ELSEWHERE;
	default:
		return "";
	}
}
