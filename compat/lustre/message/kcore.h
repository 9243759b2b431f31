/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the kernel's memory from /proc/kcore. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* -errno: this process may not read it, or the kernel is locked down. The caller closes it. */
int kcore_open(void);

/* Reads up to len bytes at an address of the kernel; returns how many, 0 if it cannot be read. */
size_t kcore_read(int fd, uint64_t address, void *bytes, size_t len);
