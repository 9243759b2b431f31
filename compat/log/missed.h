/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How many messages of Lustre its probe has missed since the log was emptied. The kernel counts them
 * since the probe was created; the log's directory keeps that count as it was when the log was emptied.
 */
#pragma once

#include "compat/log/debuglog.h"

/* The log begins to record messages: keeps the count, unless there is one. */
void dkl_missed_begin(struct debuglog *log);

/*
 * Opens the kept count, before the process gives up its privileges. The caller closes the
 * descriptor. -1: there is no count.
 */
int dkl_missed_open(struct debuglog *log);

/* Returns how many of all that were missed came after the kept count; fd -1: 0. */
uint64_t dkl_missed_since(int fd, uint64_t all);

/* The log was emptied: keeps the count; fd -1: does nothing. */
void dkl_missed_keep(int fd, uint64_t all);
