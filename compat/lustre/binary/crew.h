/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that share work: each takes the next part until no part is left. */
#pragma once

/* More threads gain nothing, because only one at a time writes its output. */
#define CREW_MAX 4

/*
 * Returns a useful number of threads: one for each CPU that this process can use, up to CREW_MAX.
 */
unsigned int dkl_crew_size(void);

/* Calls work in n threads, including the caller's, or in fewer if no more can be created. */
void dkl_crew_run(unsigned int n, void (*work)(void *data), void *data);
