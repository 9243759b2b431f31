/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes as people name them: the threads that they have. */
#ifndef COMPAT_THREADS_H
#define COMPAT_THREADS_H

#include <stdio.h>

#include <dktrace/dktrace.h>

/* "12,13" as their threads, "12 13 14"; the caller frees it. -ESRCH: no such process; -EINVAL. */
int threads_read(struct dkt_ctx *ctx, const char *text, char **threads);

/* "12 13 14" as numbers; the caller frees them. -EINVAL. */
int threads_numbers(struct dkt_ctx *ctx, const char *text, pid_t **pids, size_t *n);

/*
 * "12 13 14" as the processes that there still are of them, "12,13"; the caller frees it. NULL: none
 * of them is there.
 */
int threads_processes(const char *text, char **processes);

/*
 * "12,13 --children --boot ID": the numbers of processes of one boot of the machine mean nothing in
 * the next.
 */
void threads_print(FILE *out, const char *processes, bool children);

/* -ESRCH: that was another boot. NULL is always this one. */
int threads_check_boot(struct dkt_ctx *ctx, const char *boot);

#endif
