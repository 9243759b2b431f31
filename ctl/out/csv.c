/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cells of comma-separated values. */
#include "out/csv.h"

#include <string.h>

#include <dktrace/dktrace.h>

/* Quotes, and nothing else of it is changed. */
static void put_raw(const char *text, FILE *out)
{
	bool quote = text[strcspn(text, "\",\n\r")];

	if (quote)
		fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	if (quote)
		fputc('"', out);
}

int csv_text(const char *text, bool raw, FILE *out)
{
	struct dkt_buf *buf;
	const char *cell;
	size_t len;
	int err;

	if (raw) {
		put_raw(text, out);
		return 0;
	}
	err = dkt_buf_new(&buf);
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
