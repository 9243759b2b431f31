/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of C++ and Rust functions as in their sources, by the demangler of GCC and GDB. */
#include "lib/debuginfo/demangle.h"

#include <libiberty/demangle.h>
#include <string.h>

/* A short name can stand for a long one, and a file can have any names. */
#define MAX_NAME 1024

char *dkt__demangle(const char *name)
{
	if (name[0] != '_' || strnlen(name, MAX_NAME) == MAX_NAME)
		return NULL;
	return cplus_demangle(name, DMGL_NO_OPTS);
}
