/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the kernel's file with debug information. */
#include "lib/debuginfo/vmlinux.h"

#include <string.h>
#include <unistd.h>

#include "lib/base/buf.h"

char *dkt__vmlinux_path(const char *release)
{
	static const char *const places[] = { "/usr/lib/debug/boot/vmlinux-%s",
					      "/usr/lib/debug/lib/modules/%s/vmlinux",
					      "/lib/modules/%s/build/vmlinux", "/boot/vmlinux-%s",
					      NULL };

	for (size_t i = 0; places[i]; i++) {
		const char *percent = strstr(places[i], "%s");
		char *path = dkt__format("%.*s%s%s", (int)(percent - places[i]), places[i], release,
					 percent + 2);

		if (!path)
			return NULL;
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}
