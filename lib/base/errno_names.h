/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of errors and signals. Those of the C library are new in glibc 2.32, and musl has none. */
#pragma once

/* Returns "ENOENT"; NULL: no error of a system call has that number. */
const char *dkt__errno_name(int err);

/* Returns "TERM"; NULL: no signal has that number, or it is a real-time signal. */
const char *dkt__signal_name(int sig);
