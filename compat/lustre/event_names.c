/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of events: of one, and of many in few words. */
#include "compat/lustre/event_names.h"

#include "lib/base/buf.h"
#include "lib/base/io.h"

char *dkl_names_by_system(const char *names)
{
	const char *p;
	size_t len;
	struct dkt_buf buf = { 0 };

	for (const char *first = names; *first; first = p) {
		size_t n = 0;

		len = strcspn(first, ":") + 1;
		for (p = first; !strncmp(p, first, len); n++) {
			p += strcspn(p, ",");
			p += *p ? strlen(", ") : 0;
		}
		dkt_buf_str(&buf, first == names ? "" : ", ");
		if (n == 1)
			len = strcspn(first, ",") + 1;
		dkt_buf_printf(&buf, "%.*s", (int)len - 1, first);
		if (n > 1)
			dkt_buf_printf(&buf, " (%zu)", n);
	}
	return dkt__buf_take(&buf);
}

char *dkl_event_full_name(const struct dkt_event *event)
{
	return dkt__format("%s:%s", dkt_event_system(event), dkt_event_name(event));
}
