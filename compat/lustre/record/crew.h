/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that share work: each takes the next part until no part is left. */
#pragma once

/* More gain nothing: what they make is written by one at a time. */
#define CREW_MAX 4

/* How many threads are worth having: one for each CPU that this process may use. */
unsigned int crew_size(void);

/* Calls work in n threads, of which the caller is one, or in fewer if no more can be had. */
void crew_run(unsigned int n, void (*work)(void *data), void *data);
