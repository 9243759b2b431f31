/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds separate debug information on this machine, and asks no server for it. */
#pragma once

#include <elfutils/libdwfl.h>

#include "lib/inside/debug.h"

/*
 * Finds the debug information of a module's file, or the shared file that this names, in places in the syntax
 * of dwfl's debuginfo_path (NULL: those of the system). Returns a descriptor, with its path in *found, or -1.
 */
int dkt__find_debug(Dwfl_Module *module, const char *places, const char *file, const char *link,
		    GElf_Word crc, char **found);
