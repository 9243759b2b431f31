/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masks that others gave Lustre since the log was set. */
#ifndef COMPAT_FOLLOW_H
#define COMPAT_FOLLOW_H

#include "log/debuglog.h"

/* After a change to these settings: tells, once, which masks the log took over from Lustre. */
void follow_tell(struct debuglog *log, struct settings *done);

#endif
