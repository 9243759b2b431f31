/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes as people name them: the threads that they have. */
#ifndef COMPAT_THREADS_H
#define COMPAT_THREADS_H

#include <dktrace/dktrace.h>

/* "12,13" as their threads, "12 13 14"; the caller frees it. -ESRCH: no such process; -EINVAL. */
int threads_read(struct dkt_ctx *ctx, const char *text, char **threads);

/* "12 13 14" as numbers; the caller frees them. -EINVAL. */
int threads_numbers(struct dkt_ctx *ctx, const char *text, pid_t **pids, size_t *n);

#endif
