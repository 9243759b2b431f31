/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the kernel's memory from /proc/kcore. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Returns a descriptor, which the caller closes; -errno: no permission, or the kernel is locked
 * down.
 */
int dkl_kcore_open(void);

/* Reads up to len bytes at a kernel address. Returns their number; 0: they cannot be read. */
size_t dkl_kcore_read(int fd, uint64_t address, void *bytes, size_t len);
