/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Debug information for those who use libdwfl themselves. */
#pragma once

#include <elfutils/libdwfl.h>

/* For Dwfl_Callbacks.find_debuginfo: finds it on this machine, and asks no server for it. */
int dkt__find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **found);
