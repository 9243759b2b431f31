/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stop flag: records which signal asked the program to end. */
#pragma once

/* Makes the signal set the flag and interrupt waiting calls. */
void dkt__stop_on(int sig);

/*
 * Makes SIGINT, SIGTERM and, unless it is ignored, SIGHUP set the flag. Ignores SIGPIPE: write() returns
 * the error.
 */
void dkt__stop_on_end(void);

/*
 * Gives all signals their dispositions of before, which a program inherits if they were ignored. The
 * signal in the flag comes again: call it in a child, just before exec.
 */
void dkt__stop_return(void);

/* Returns the last signal, or 0. */
int dkt__stopped(void);
void dkt__stop_forget(void);
