/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cells of comma-separated values. */
#include "csv.h"

#include <string.h>

void csv_text(const char *text, FILE *out)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}
