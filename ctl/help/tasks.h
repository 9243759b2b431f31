/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words of the questions that help answers. */
#pragma once

/* Calls fn with each word of all tasks; several have the same ones. */
void task_words(void (*fn)(void *data, const char *word), void *data);
