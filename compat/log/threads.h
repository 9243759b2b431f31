/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recorded threads, and the processes and options as a user names them. */
#pragma once

#include <dktrace/dktrace.h>
#include <stdio.h>

/* All zeroes: all threads. */
struct threads {
	pid_t *list;
	size_t n;
};

/* -EINVAL: the text is not a list of processes "12,13". */
int dkl_threads_check_list(struct dkt_ctx *ctx, const char *text);

/* Adds the threads of processes "12,13". -ESRCH: no such process; -EINVAL: not a list. */
int dkl_threads_of_processes(struct dkt_ctx *ctx, const char *text, struct threads *threads);

/*
 * Adds the threads that have one of the names "dd,ll_ost*" now. -ESRCH: there is none; -EINVAL: not names of
 * programs.
 */
int dkl_threads_of_programs(struct dkt_ctx *ctx, const char *text, struct threads *threads);

/* Adds threads "12 13 14". -EINVAL: not a list. */
int dkl_threads_parse(const char *text, struct threads *threads);

/* Prints them as "12 13 14". */
void dkl_threads_print(FILE *out, const struct threads *threads);

/*
 * Returns "12 13 14", with children also " and what they start", for users. NULL: no threads, or no
 * memory. The caller frees the text.
 */
char *dkl_threads_text(const struct threads *threads, bool children);

int dkl_threads_copy(struct threads *to, const struct threads *from);
bool dkl_threads_same(const struct threads *a, const struct threads *b);
void dkl_threads_clear(struct threads *threads);

/* Gets the processes that still exist, as "12,13"; NULL: none. The caller frees the text. */
int dkl_threads_processes(const struct threads *threads, char **processes);

/* Returns the process of a thread; 0: the thread has exited. */
int dkl_thread_process(int thread);

/* Prints "12,13 --children --boot ID": process IDs are valid only until the next boot. */
void dkl_threads_print_processes(FILE *out, const char *processes, bool children);

/* -ESRCH: boot is not the ID of this boot. NULL is accepted. */
int dkl_threads_check_boot(struct dkt_ctx *ctx, const char *boot);

/* Either value or flag is NULL. */
struct option_word {
	const char *name; /* with the dashes */
	const char **value;
	bool *flag;
};

/*
 * Splits the line, in place, into words that are separated by spaces or tabs. Stores the values of
 * options in the variables they point to, and all other words in rest, which ends with NULL. The
 * caller frees rest; its words are part of line. -EINVAL: an unknown option, or a missing value.
 */
int dkl_option_words(struct dkt_ctx *ctx, char *line, const struct option_word *known,
		     size_t n_known, char ***rest, size_t *n);

/* Prints " NAME VALUE"; nothing if value is NULL. */
void dkl_option_word_print(FILE *out, const char *name, const char *value);
