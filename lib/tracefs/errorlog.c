/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the reason for a refused command from tracefs' error_log. */
#include "lib/tracefs/errorlog.h"
#include "lib/base/parse.h"

/*
 * An entry, of which the kernel keeps eight:
 *
 *   [  843.678951] event filter parse error: error: Field not found
 *     Command: prev_pidd == 1
 *                        ^
 *
 * A command may have newlines in it, so its end is where the caret's line begins.
 */
static const char command_prefix[] = "  Command: ";
static const char error_infix[] = ": error: ";

#define PREFIX_LEN  (sizeof(command_prefix) - 1)
#define BLANKS      " \t\n\v\f\r"
#define WINDOW_COLS 100 /* columns of a command to show; a longer one is cut around the caret */
#define ELLIPSIS    "..."

/* ---- parsing ---- */

static const char *digits_end(const char *p)
{
	return p + strspn(p, "0123456789");
}

/* Returns the entry's text after the time stamp, or NULL if the line has no time stamp. */
static const char *after_stamp(const char *line, uint64_t *usec)
{
	const char *sec, *dot, *end;
	uint64_t s, part;

	if (*line != '[')
		return NULL;
	sec = line + 1 + strspn(line + 1, " ");
	dot = digits_end(sec);
	if (dot == sec || *dot != '.')
		return NULL;
	end = digits_end(dot + 1);
	if (end != dot + 7 || end[0] != ']' || end[1] != ' ')
		return NULL;
	dot++;
	if (dkt__take_u64(&sec, NULL, DKT__DEC, &s) || dkt__take_u64(&dot, NULL, DKT__DEC, &part))
		return NULL;
	*usec = s * 1000000 + part;
	return end + 2;
}

/* Returns the line after this one, or NULL. */
static const char *next_line(const char *line)
{
	const char *nl = strchr(line, '\n');

	return nl ? nl + 1 : NULL;
}

/* Returns the last line that looks like the first one of an entry, or NULL. */
static const char *last_head(const char *log)
{
	const char *next, *head = NULL;
	uint64_t usec;

	for (const char *line = log; line; line = next) {
		next = next_line(line);
		if (next && !strncmp(next, command_prefix, PREFIX_LEN) && after_stamp(line, &usec))
			head = line;
	}
	return head;
}

/*
 * Splits the text after the prefix into command and caret. Kernels before 5.17 truncate the command
 * and its newline to 256 bytes; then the spaces before the caret follow in the same line.
 */
static int split_command(const char *body, struct dkt__kernel_error *error)
{
	size_t len = strlen(body), blanks = 0;

	while (len && body[len - 1] == '\n')
		len--;
	if (len && body[len - 1] == '^') {
		len--;
		while (len > blanks && body[len - blanks - 1] == ' ')
			blanks++;
		len -= blanks;
		error->cut = len && body[len - 1] != '\n';
		if (len && !error->cut)
			len--;
	}
	error->caret = DKT__MIN(blanks > PREFIX_LEN ? blanks - PREFIX_LEN : 0, len);
	error->command = strndup(body, len);
	return error->command ? 0 : -ENOMEM;
}

static int split_head(const char *text, const char *end, struct dkt__kernel_error *error)
{
	const char *words =
		memmem(text, (size_t)(end - text), error_infix, sizeof(error_infix) - 1);

	error->subsystem = strndup(text, words ? (size_t)(words - text) : 0);
	words = words ? words + sizeof(error_infix) - 1 : text;
	error->words = strndup(words, (size_t)(end - words));
	return error->subsystem && error->words ? 0 : -ENOMEM;
}

int dkt__errorlog_last(const char *log, struct dkt__kernel_error *error)
{
	const char *head, *body;
	int err;

	memset(error, 0, sizeof(*error));
	head = last_head(log);
	if (!head)
		return -ENOENT;
	body = next_line(head);
	err = split_head(after_stamp(head, &error->usec), body - 1, error);
	if (!err)
		err = split_command(body + PREFIX_LEN, error);
	if (err)
		dkt__kernel_error_clear(error);
	return err;
}

void dkt__kernel_error_clear(struct dkt__kernel_error *error)
{
	free(error->subsystem);
	free(error->words);
	free(error->command);
	memset(error, 0, sizeof(*error));
}

/* ---- showing ---- */

/* The kernel trims a command, and separates a probe's arguments by single spaces. */
static bool same_command(const struct dkt__kernel_error *error, const char *command)
{
	const char *logged = error->command + strspn(error->command, BLANKS);

	command += strspn(command, BLANKS);
	for (;;) {
		size_t logged_blanks = strspn(logged, BLANKS);
		size_t blanks = strspn(command, BLANKS);

		if (!logged[logged_blanks])
			return error->cut || !command[blanks];
		if (!logged_blanks != !blanks)
			return false;
		logged += logged_blanks;
		command += blanks;
		if (*logged++ != *command++)
			return false;
	}
}

/* Returns the columns that the bytes take on a terminal: one for each UTF-8 character. */
static size_t columns(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

/* Returns the number of bytes before the column. */
static size_t column_offset(const char *text, size_t len, size_t column)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80 && !column--)
			break;
	return i;
}

/* Appends the line, and the caret under its column. Cuts a long line around the caret. */
static void add_window(struct dkt_buf *buf, const char *text, size_t len, size_t caret)
{
	const size_t room = WINDOW_COLS - 2 * (sizeof(ELLIPSIS) - 1);
	size_t cols = columns(text, len), first = 0, last = cols;
	size_t from, to;

	if (cols > WINDOW_COLS) {
		first = caret > room / 2 ? DKT__MIN(caret - room / 2, cols - room) : 0;
		last = first + room;
	}
	from = column_offset(text, len, first);
	to = column_offset(text, len, last);
	dkt_buf_str(buf, first ? "  " ELLIPSIS : "  ");
	dkt__buf_add(buf, text + from, to - from);
	dkt_buf_str(buf, last < cols ? ELLIPSIS "\n" : "\n");
	dkt_buf_printf(buf, "%*s^", (int)(2 + caret - first + (first ? sizeof(ELLIPSIS) - 1 : 0)),
		       "");
}

static void add_error(struct dkt_buf *buf, const struct dkt__kernel_error *error)
{
	struct dkt_buf line = { 0 };
	size_t caret;

	/* The kernel logs "Error" if it has no reason; the subsystem tells more than that. */
	if (!strcmp(error->words, "Error") && *error->subsystem)
		dkt_buf_text(buf, error->subsystem, strlen(error->subsystem));
	else
		dkt_buf_text(buf, error->words, strlen(error->words));
	dkt_buf_str(buf, "\n");
	dkt_buf_text(&line, error->command, error->caret);
	caret = columns(line.data, line.len);
	dkt_buf_text(&line, error->command + error->caret, strlen(error->command + error->caret));
	add_window(buf, line.data, line.len, caret);
	if (line.err)
		buf->err = line.err;
	free(line.data);
}

static char *reason(const struct dkt__kernel_error *error, const char *command)
{
	struct dkt_buf buf = { 0 };

	if (!same_command(error, command))
		return NULL;
	add_error(&buf, error);
	dkt__buf_add(&buf, "", 1);
	if (!buf.err)
		return buf.data;
	free(buf.data);
	return NULL;
}

char *dkt__errorlog_reason(const char *log, const char *command)
{
	struct dkt__kernel_error error;
	char *text;

	if (dkt__errorlog_last(log, &error))
		return NULL;
	text = reason(&error, command);
	dkt__kernel_error_clear(&error);
	return text;
}

/* ---- without a log ---- */

/* "prev_pidd == 1\n         ^\nparse_error: Field not found\n" */
char *dkt__errorlog_in_filter(const char *text, const char *filter)
{
	static const char infix[] = "^\nparse_error: ";
	struct dkt__kernel_error error = { 0 };
	const char *caret = strstr(text, infix), *line = caret;
	char *got = NULL;

	while (line && line > text && line[-1] == ' ')
		line--;
	if (!line || line == text || line[-1] != '\n')
		return NULL;
	error.command = strndup(text, (size_t)(line - 1 - text));
	error.words = strndup(caret + sizeof(infix) - 1, strcspn(caret + sizeof(infix) - 1, "\n"));
	error.subsystem = strdup("");
	if (error.command && error.words && error.subsystem) {
		error.caret = DKT__MIN((size_t)(caret - line), strlen(error.command));
		got = reason(&error, filter);
	}
	dkt__kernel_error_clear(&error);
	return got;
}

/* "\nERROR: Couldn't find field: foo\n  Last command: keys=foo\n", at the end of the histograms */
char *dkt__errorlog_in_hist(const char *text, const char *trigger)
{
	static const char head[] = "\nERROR: ", infix[] = "\n  Last command: ";
	const char *words = strstr(text, head), *next, *command;
	char *last __cleanup(free) = NULL;

	while (words && (next = strstr(words + 1, head)))
		words = next;
	command = words ? strstr(words, infix) : NULL;
	if (!command)
		return NULL;
	words += sizeof(head) - 1;
	last = strndup(command + sizeof(infix) - 1, strcspn(command + sizeof(infix) - 1, "\n"));
	return last && *last && strstr(trigger, last) ? strndup(words, (size_t)(command - words)) :
							NULL;
}
