/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the kernel's file with debug information. */
#pragma once

/* Returns its path, where distributions put that of a release, as "6.1.0-28-amd64". The caller frees it. NULL: it is not there. */
char *dkt__vmlinux_path(const char *release);
