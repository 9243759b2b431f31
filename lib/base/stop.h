/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stop flag: records which signal asked the program to end. */
#pragma once

/* The signal sets the flag from now on, and interrupts what waits. */
void dkt__stop_on(int sig);

/* SIGINT and SIGTERM do; a reader of a pipe that went away is an error of write(). */
void dkt__stop_on_end(void);

/* The signal that came last; 0: none. */
int dkt__stopped(void);
void dkt__stop_forget(void);
