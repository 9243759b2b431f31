/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints messages for people, and escapes foreign text in them. */
#include "compat/io/say.h"

#include "lib/base/buf.h"

char *dkl_shown_bytes(const char *text, size_t len)
{
	struct dkt_buf buf = { 0 };

	dkt_buf_text(&buf, text, len);
	return dkt__buf_take(&buf);
}

char *dkl_shown(const char *text)
{
	return dkl_shown_bytes(text, text ? strlen(text) : 0);
}

void dkl_say_line(FILE *to, const char *fmt, ...)
{
	char *raw __cleanup(free) = NULL;
	char *text __cleanup(free) = NULL;
	va_list ap;

	va_start(ap, fmt);
	raw = dkt__vformat(fmt, ap);
	va_end(ap);
	text = raw ? dkl_shown(raw) : NULL;
	fprintf(to, "%s\n", text ? text : strerror(ENOMEM));
}

/* Returns the length up to the next newline or tab. */
static size_t part_len(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] != '\n' && text[n] != '\t')
		n++;
	return n;
}

void dkl_say_text(FILE *to, const char *text, size_t len)
{
	const char *data, *end = text + len;
	struct dkt_buf *buf = NULL;
	size_t n;

	if (!isatty(fileno(to))) {
		fwrite(text, 1, len, to);
		return;
	}
	if (dkt_buf_new(&buf))
		return;
	while (text < end) {
		n = part_len(text, (size_t)(end - text));
		dkt_buf_text(buf, text, n);
		text += n;
		if (text < end)
			dkt__buf_add(buf, text++, 1);
	}
	data = dkt_buf_data(buf, &n);
	fwrite(data, 1, n, to);
	dkt_buf_free(buf);
}

#ifdef __GLIBC__

int dkl_say_getopt(int argc, char **argv, const char *letters, const struct option *longs)
{
	FILE *terminal = stderr;
	char *message = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&message, &len);
	int c;

	/* getopt_long() prints to stderr. */
	if (f)
		stderr = f;
	c = getopt_long(argc, argv, letters, longs, NULL);
	stderr = terminal;
	if (f)
		fclose(f);
	if (len)
		dkl_say_line(stderr, "%.*s", (int)(len - (message[len - 1] == '\n')), message);
	free(message);
	return c;
}

#else

/* stderr of other C libraries is a constant. */
int dkl_say_getopt(int argc, char **argv, const char *letters, const struct option *longs)
{
	return getopt_long(argc, argv, letters, longs, NULL);
}

#endif

bool dkl_say_in_color(void)
{
	const char *no_color = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && (!no_color || !*no_color || !strcmp(no_color, "0"));
}

bool dkl_say_style_in_color(const struct dkt_style_info *style, const char *file)
{
	return !file && style->traits & DKT_STYLE_COLOR && dkl_say_in_color();
}
