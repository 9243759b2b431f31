/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of events: of one, and of many in few words. */
#include "compat/lustre/event_names.h"

#include "lib/base/buf.h"
#include "lib/base/io.h"

char *dkl_names_by_system(const char *names)
{
	const char *p;
	size_t len, size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	for (const char *first = names; out && *first; first = p) {
		size_t n = 0;

		len = strcspn(first, ":") + 1;
		for (p = first; !strncmp(p, first, len); n++) {
			p += strcspn(p, ",");
			p += *p ? strlen(", ") : 0;
		}
		fputs(first == names ? "" : ", ", out);
		if (n == 1)
			len = strcspn(first, ",") + 1;
		fprintf(out, "%.*s", (int)len - 1, first);
		if (n > 1)
			fprintf(out, " (%zu)", n);
	}
	dkt__text_end(out, 0, &text);
	return text;
}

char *dkl_event_full_name(const struct dkt_event *event)
{
	return dkt__format("%s:%s", dkt_event_system(event), dkt_event_name(event));
}
