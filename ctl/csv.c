/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cells of comma-separated values. */
#include "csv.h"

#include <string.h>

#include <dktrace/dktrace.h>

int csv_text(const char *text, FILE *out)
{
	struct dkt_buf *buf;
	int err = dkt_buf_new(&buf);
	const char *cell;
	size_t len;

	if (err)
		return err;
	dkt_buf_cell(buf, text, strlen(text));
	err = dkt_buf_error(buf);
	cell = dkt_buf_data(buf, &len);
	if (!err)
		fwrite(cell, 1, len, out);
	dkt_buf_free(buf);
	return err;
}
