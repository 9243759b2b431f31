/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Libraries that are loaded when they are needed. */
#include "lib/base/library.h"

#include <dlfcn.h>

/* The pointers are stored as dlsym(3) recommends. */
const char *dkt__find_calls(void *library, const struct dkt__call *calls, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		void *call = dlsym(library, calls[i].name);

		if (!call)
			return calls[i].name;
		memcpy(calls[i].to, &call, sizeof(call));
	}
	return NULL;
}
