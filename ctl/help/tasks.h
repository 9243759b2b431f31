/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Questions that users have, each with the commands that answer it. */
#pragma once

#include <stddef.h>

/* A command that is NULL does not exist. All of them can be typed as they are. */
struct task {
	const char *question;
	const char *words; /* further words that find it */
	const char *now; /* of this machine, until Ctrl-C or the end of its report */
	const char *record; /* writes the file for later */
	const char *file; /* of the file */
};

extern const struct task tasks[];
extern const size_t n_tasks;

struct task_score {
	size_t found; /* how many words, without those such as "who" and "the" */
	size_t fit; /* how well they fit; of tasks that have as many words, the best one comes first */
};

struct task_score task_score(const struct task *task, char *const *words, size_t n);

/* Calls fn with each word of all tasks; several have the same ones. */
void task_words(void (*fn)(void *data, const char *word), void *data);
