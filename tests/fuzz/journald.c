/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes lines for the journal: each field is one line of NAME=VALUE, whatever the line has. */
#include <stdlib.h>
#include <string.h>

#include "compat/pipeline/journald.h"
#include "tests/fuzz/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dkt_buf *buf;
	const char *fields, *line;
	size_t len, n = 0;

	if (dkt_buf_new(&buf))
		return 0;
	dkl_journald_fields((const char *)data, size, buf);
	fields = dkt_buf_data(buf, &len);
	for (line = fields; !dkt_buf_error(buf) && line < fields + len; n++) {
		const char *end = memchr(line, '\n', (size_t)(fields + len - line));

		if (!end || *line < 'A' || *line > 'Z' || !memchr(line, '=', (size_t)(end - line)))
			abort();
		line = end + 1;
	}
	if (!dkt_buf_error(buf) && n != 3 && n != 11)
		abort();
	dkt_buf_free(buf);
	return 0;
}
