/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of system calls. */
#include <sys/syscall.h>

#include "ctx.h"

#include "base/banned.h"

static const char *const syscall_names[] = {
#include "syscall_names.inc"
};

const char *dkt_syscall_name(int number)
{
	if (number < 0 || (size_t)number >= ARRAY_SIZE(syscall_names))
		return NULL;
	return syscall_names[number];
}
