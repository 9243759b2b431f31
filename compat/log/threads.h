/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recorded threads, and the processes as a user names them. */
#pragma once

#include <stdio.h>

#include <dktrace/dktrace.h>

/* Begins as zeroes: all threads. */
struct threads {
	pid_t *list;
	size_t n;
};

/* Adds the threads of processes, "12,13". -ESRCH: there is no such process; -EINVAL: it is no list. */
int threads_of_processes(struct dkt_ctx *ctx, const char *text, struct threads *threads);

/* Adds "12 13 14". -EINVAL, -ENOMEM. */
int threads_parse(const char *text, struct threads *threads);

/* Prints them as "12 13 14". */
void threads_print(FILE *out, const struct threads *threads);

/*
 * "12 13 14", and with children " and what they start", for a person. NULL: memory is out, or there are
 * none. The caller frees it.
 */
char *threads_text(const struct threads *threads, bool children);

int threads_copy(struct threads *to, const struct threads *from);
bool threads_same(const struct threads *a, const struct threads *b);
void threads_clear(struct threads *threads);

/*
 * The processes that there still are of them, "12,13"; the caller frees it. NULL: none of them is there.
 */
int threads_processes(const struct threads *threads, char **processes);

/*
 * Prints "12,13 --children --boot ID": the numbers of processes of one boot of the machine mean nothing in
 * the next.
 */
void threads_print_processes(FILE *out, const char *processes, bool children);

/* -ESRCH: that was another boot. NULL is always this one. */
int threads_check_boot(struct dkt_ctx *ctx, const char *boot);
