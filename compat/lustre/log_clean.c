/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Undoes what programs did to a log that they copied. */
#include "compat/lustre/log_clean.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/lustre/binary.h"
#include "compat/lustre/console_text.h"
#include "compat/lustre/log_hosts.h"
#include "compat/lustre/log_text.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/temporary.h"

/* Number of bytes that are read to recognise what was done. */
#define LOOK (64 * 1024)

/* The widths at which terminals and mail programs wrap. */
#define WIDTH_LEAST 40
#define WIDTH_MOST  200
#define WIDTH_USUAL 80

/* Longer lines are not joined. */
#define JOINED_MOST (1u << 20)

enum wrap {
	WRAP_NONE,
	WRAP_HARD, /* anywhere, as a terminal does */
	WRAP_WORDS, /* between words, as mail programs do */
};

struct cleaning {
	unsigned int unit; /* bytes of a character: 2 is UTF-16 */
	bool big_endian;
	bool marks; /* byte order marks, colours, no-break spaces */
	bool entities;
	bool tabs;
	enum wrap wrap;
	size_t width;
};

/* ---- characters ---- */

/* Gets the next byte of UTF-8. Characters beyond 16 bits are two, which stay what they are: Lustre has none. */
struct reader {
	FILE *f;
	const struct cleaning *how;
	unsigned char rest[3];
	size_t n_rest;
};

static int next_wide(struct reader *r)
{
	int a = getc(r->f), b = getc(r->f);
	unsigned int code;

	if (a == EOF || b == EOF)
		return EOF;
	code = r->how->big_endian ? (unsigned int)(a << 8 | b) : (unsigned int)(b << 8 | a);
	if (code < 0x80)
		return (int)code;
	if (code >= 0x800)
		r->rest[r->n_rest++] = (unsigned char)(0x80 | (code & 0x3f));
	r->rest[r->n_rest++] = (unsigned char)(0x80 | ((code >= 0x800 ? code >> 6 : code) & 0x3f));
	return (int)(code < 0x800 ? 0xc0 | code >> 6 : 0xe0 | code >> 12);
}

static int next_byte(struct reader *r)
{
	if (r->n_rest)
		return r->rest[--r->n_rest];
	return r->how->unit == 2 ? next_wide(r) : getc(r->f);
}

/* Gets the next line, without its newline, and with a NUL. False: the end. */
static bool next_line(struct reader *r, struct dkt_buf *line)
{
	int c = next_byte(r);
	char byte;

	line->len = 0;
	if (c == EOF)
		return false;
	for (; c != EOF && c != '\n'; c = next_byte(r)) {
		byte = (char)c;
		dkt__buf_add(line, &byte, 1);
	}
	dkt__buf_add(line, "", 1);
	line->len -= !line->err;
	return !line->err;
}

/* ---- lines ---- */

/* Returns the length of a mark that the text begins with, and what stands for it; 0: none. */
static size_t mark_at(const char *p, const char **is)
{
	size_t n;

	*is = "";
	if (!strncmp(p, "\xef\xbb\xbf", 3))
		return 3;
	if (!strncmp(p, "\xc2\xa0", 2)) {
		*is = " ";
		return 2;
	}
	if (strncmp(p, "\033[", 2) != 0)
		return 0;
	n = 2 + strspn(p + 2, "0123456789;");
	return p[n] == 'm' || p[n] == 'K' ? n + 1 : 0;
}

static bool is_reset(const char *colour)
{
	colour += 2 + strspn(colour + 2, "0;");
	return *colour == 'm' || *colour == 'K';
}

static size_t entity_at(const char *p, const char **is)
{
	static const char *const entities[][2] = {
		{ "&gt;", ">" },    { "&lt;", "<" },   { "&amp;", "&" },
		{ "&quot;", "\"" }, { "&apos;", "'" }, { "&#39;", "'" },
		{ "&#x27;", "'" },  { "&#34;", "\"" }, { "&nbsp;", " " },
	};

	for (size_t i = 0; *p == '&' && i < ARRAY_SIZE(entities); i++)
		if (!strncasecmp(p, entities[i][0], strlen(entities[i][0]))) {
			*is = entities[i][1];
			return strlen(entities[i][0]);
		}
	return 0;
}

/* Cleans the characters of a line, which never becomes longer by that. */
static void clean_line(const struct cleaning *how, struct dkt_buf *line)
{
	char *from = line->data, *to = line->data;
	const char *is;
	size_t n;

	while (*from) {
		n = how->marks ? mark_at(from, &is) : 0;
		if (!n && how->entities)
			n = entity_at(from, &is);
		if (n) {
			memcpy(to, is, strlen(is));
			to += strlen(is);
			from += n;
		} else {
			*to++ = how->tabs && *from == '\t' ? ' ' : *from;
			from++;
		}
	}
	to -= to > line->data && to[-1] == '\r';
	*to = '\0';
	line->len = (size_t)(to - line->data);
}

/* True if the line is the first one of a message. */
static bool is_start(const char *line)
{
	struct record_head head;

	return dkl_log_text_head(line, &head) || dkl_console_text_has_time(line);
}

/* How a line of len bytes can have been wrapped at the width before the next one. */
static enum wrap wrap_between(size_t len, size_t width, const char *next)
{
	if (len == width)
		return WRAP_HARD;
	return len + 1 + strcspn(next, " ") > width ? WRAP_WORDS : WRAP_NONE;
}

static bool joins(const struct cleaning *how, size_t len, const char *next)
{
	enum wrap wrap;

	if (!how->wrap || !*next || is_start(next) || !strncmp(next, "Debug log: ", 11))
		return false;
	wrap = wrap_between(len, how->width, next);
	return wrap == WRAP_HARD || wrap == how->wrap;
}

/* Appends the next line. A word that is longer than the width is cut where the line is full. */
static void join(const struct cleaning *how, struct dkt_buf *whole, size_t before,
		 const struct dkt_buf *line)
{
	const char *end = whole->data + whole->len, *space = memrchr(end - before, ' ', before);
	const size_t word = space ? (size_t)(end - space - 1) : before;

	if (how->wrap == WRAP_WORDS && end[-1] != ' ' &&
	    (before < how->width || word + strcspn(line->data, " ") <= how->width))
		dkt__buf_add(whole, " ", 1);
	dkt__buf_add(whole, line->data, line->len);
}

/* ---- looking ---- */

/* The lines at the beginning. */
struct look {
	bool starts; /* the message of some line begins */
	bool starts_untabbed; /* the same, with spaces in place of tabs */
	bool brackets, entities, marks;
	size_t width; /* of the longest line */
	size_t n_rest; /* lines that continue one that is wrapped, if all are */
	bool deep; /* a line continues one that continues another */
	bool has_host; /* the line that began the last message names it */
	enum wrap wrap;
};

static void look_at_line(const struct cleaning *how, struct dkt_buf *line, struct look *look)
{
	const struct cleaning plain = { .unit = how->unit, .marks = true };
	const char *is;

	for (const char *p = line->data; *p; p++) {
		look->brackets |= *p == '<' || *p == '>';
		look->entities |= entity_at(p, &is) > 0;
		/* Programs that colour their lines reset it; a message can have a lone escape. */
		look->marks |= mark_at(p, &is) > 0 && (*p != '\033' || is_reset(p));
	}
	clean_line(&plain, line);
	look->width = DKT__MAX(look->width, line->len);
	look->starts |= is_start(line->data);
	if (look->starts || !strchr(line->data, '\t'))
		return;
	for (char *p = line->data; (p = strchr(p, '\t'));)
		*p = ' ';
	look->starts_untabbed |= is_start(line->data);
}

/*
 * Notes whether a line that does not begin a message can be the rest of the wrapped line before it. Returns
 * true if it is a rest.
 */
static bool look_at_wrap(size_t len, bool is_rest, const char *line, struct look *look)
{
	enum wrap wrap;
	size_t host;

	if (!*line || !strncmp(line, "Debug log: ", 11))
		return false;
	if (is_start(line)) {
		look->has_host = dkl_prefix_host(line, &host);
		return false;
	}
	/* pdsh writes the host before each line of a message. */
	wrap = len && !look->has_host ? wrap_between(len, look->width, line) : WRAP_NONE;
	if (wrap == WRAP_NONE)
		look->width = 0;
	else if (!look->n_rest++ || wrap == WRAP_WORDS)
		look->wrap = wrap;
	look->deep |= is_rest;
	return true;
}

/* Looks at the lines, once or twice: the second time at how they are wrapped. */
static int look_at(const struct cleaning *how, char *bytes, size_t n, bool at_wrap,
		   struct look *look)
{
	FILE *f __cleanup(fclose) = fmemopen(bytes, n, "r");
	struct reader r = { .f = f, .how = how };
	const struct cleaning plain = { .unit = how->unit, .marks = true };
	struct dkt_buf line = { 0 };
	bool is_rest = false;
	size_t before = 0;

	if (!f)
		return -errno;
	while (next_line(&r, &line)) {
		if (at_wrap) {
			clean_line(&plain, &line);
			is_rest = look_at_wrap(before, is_rest, line.data, look);
			before = line.len;
		} else {
			look_at_line(how, &line, look);
		}
	}
	free(line.data);
	return line.err;
}

/* True if no byte is one that texts do not have. A file can have NULs after a crash. */
static bool is_text(const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)bytes[i] < ' ' && bytes[i] && !strchr("\t\r\n\033", bytes[i]))
			return false;
	return true;
}

/* True if the texts of Latin letters have a NUL in each character, at the place. */
static bool is_wide(const char *bytes, size_t n, size_t nul)
{
	const size_t look = 64;

	for (size_t i = 0; i < DKT__MIN(n, look); i++)
		if (!bytes[i] != (i % 2 == nul))
			return false;
	return n >= look;
}

static struct cleaning unit_of(const char *bytes, size_t n)
{
	const bool little = (n >= 2 && !memcmp(bytes, "\xff\xfe", 2)) || is_wide(bytes, n, 1);
	const bool big = (n >= 2 && !memcmp(bytes, "\xfe\xff", 2)) || is_wide(bytes, n, 0);

	return (struct cleaning){ .unit = little || big ? 2 : 1, .big_endian = big };
}

/* Finds out what is to be undone; all zero but the unit: nothing. */
static int find_cleaning(char *bytes, size_t n, struct cleaning *how)
{
	struct look look = { 0 };
	int err;

	*how = unit_of(bytes, n);
	if (!n || !is_text(bytes, n))
		return 0;
	err = look_at(how, bytes, n, false, &look);
	if (!err && look.starts && look.width >= WIDTH_LEAST && look.width <= WIDTH_MOST) {
		how->width = look.width;
		err = look_at(how, bytes, n, true, &look);
	}
	if (err || (!look.starts && !look.starts_untabbed))
		return err;
	how->marks = look.marks || how->unit == 2;
	how->entities = look.entities && !look.brackets;
	how->tabs = !look.starts;
	/* One line that continues another can be by chance, but not at the width of a terminal. */
	if (look.width && look.n_rest && (look.deep || look.width == WIDTH_USUAL))
		how->wrap = look.wrap;
	return 0;
}

/* ---- the file ---- */

static int put_line(FILE *to, const struct dkt_buf *line)
{
	if (line->err)
		return line->err;
	return fwrite(line->data, 1, line->len, to) == line->len && putc('\n', to) != EOF ? 0 :
											    -errno;
}

static int copy_lines(const struct cleaning *how, FILE *from, FILE *to)
{
	struct reader r = { .f = from, .how = how };
	struct dkt_buf line = { 0 }, whole = { 0 };
	size_t before = 0;
	bool first = true;
	int err = 0;

	while (!err && next_line(&r, &line)) {
		clean_line(how, &line);
		if (before && whole.len < JOINED_MOST && joins(how, before, line.data)) {
			join(how, &whole, before, &line);
		} else {
			err = first ? 0 : put_line(to, &whole);
			whole.len = 0;
			dkt__buf_add(&whole, line.data, line.len);
		}
		before = line.len;
		first = false;
	}
	if (!err && !first)
		err = put_line(to, &whole);
	err = err ? err : line.err;
	free(line.data);
	free(whole.data);
	return err || !ferror(from) ? err : -EIO;
}

/* Writes the plain lines of one descriptor to the other. */
static int copy(const struct cleaning *how, int from, int to)
{
	int in = dup(from), out = dup(to);
	FILE *reads __cleanup(fclose) = in < 0 ? NULL : fdopen(in, "r");
	FILE *writes __cleanup(fclose) = out < 0 ? NULL : fdopen(out, "w");
	struct stat st;
	int err;

	if (!reads || !writes || fseeko(reads, 0, SEEK_SET) || fstat(from, &st))
		return -errno;
	err = copy_lines(how, reads, writes);
	if (!err && fflush(writes))
		err = -errno;
	/* It tells the year of dates without one. */
	if (!err && futimens(to, (struct timespec[]){ st.st_atim, st.st_mtim }))
		err = -errno;
	return err;
}

int dkl_log_clean(struct dkt_ctx *ctx, int *fd)
{
	char *bytes __cleanup(free) = malloc(LOOK), *end;
	struct cleaning how;
	ssize_t n = bytes ? pread(*fd, bytes, LOOK, 0) : 0;
	int plain, err;

	if (!bytes)
		return dkt__no_memory(ctx);
	/* A pipe, or a directory. */
	if (n <= 0)
		return 0;
	/* The last line is not whole. */
	end = n == LOOK ? memrchr(bytes, '\n', LOOK) : NULL;
	n = end ? end + 1 - bytes : n;
	err = dkt__with_words(ctx, find_cleaning(bytes, (size_t)n, &how));
	if (err || (!how.marks && !how.entities && !how.tabs && !how.wrap))
		return err;
	plain = dkt__temporary_file(ctx, dkt__temporary_dir());
	if (plain < 0)
		return plain;
	err = copy(&how, *fd, plain);
	if (err) {
		close(plain);
		return dkt_fail(ctx, err, "write the temporary file: %s", strerror(-err));
	}
	close(*fd);
	*fd = plain;
	return 0;
}
