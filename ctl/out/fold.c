/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wraps text at words to the width of a terminal. */
#include "ctl/out/fold.h"

#include <sys/ioctl.h>

#include "compat/io/say.h"
#include "lib/base/util.h"

/* Text in a narrower column is not folded. */
#define WIDTH_MIN 20

size_t fold_width(void)
{
	struct winsize size = { 0 };

	if (!isatty(STDOUT_FILENO))
		return 0;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
}

/* False for the bytes of UTF-8 that continue a character. */
static bool starts_char(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

size_t fold_columns(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += starts_char(*text);
	return n;
}

char *fold_text(const char *text, size_t width)
{
	char *copy = strdup(text), *space = NULL;
	size_t column = 0, after = 0; /* columns since the beginning of the line, and since space */

	for (char *p = copy; p && *p && width >= WIDTH_MIN; p++) {
		if (*p == '\n') {
			column = after = 0;
			space = NULL;
			continue;
		}
		column += starts_char(*p);
		after += starts_char(*p);
		if (*p == ' ' && column <= width + 1) {
			space = p;
			after = 0;
		} else if (column > width && space) {
			*space = '\n';
			column = after;
			space = *p == ' ' ? p : NULL;
			after = 0;
		} else if (column > width && *p == ' ') {
			*p = '\n';
			column = after = 0;
		}
	}
	return copy;
}

int fold_print(FILE *out, const char *text, size_t at, size_t width)
{
	char *safe __cleanup(free) = dkl_shown(text);
	char *copy __cleanup(free) = safe ? fold_text(safe, width > at ? width - at : 0) : NULL;
	char *line = copy, *end;

	if (!copy)
		return -ENOMEM;
	while ((end = strchr(line, '\n'))) {
		fprintf(out, "%.*s\n%*s", (int)(end - line), line, (int)at, "");
		line = end + 1;
	}
	fprintf(out, "%s\n", line);
	return 0;
}
