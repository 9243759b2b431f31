/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses the kernel's hist file, the output of event_hist_trigger_print(), into a table. */
#include "lib/base/parse.h"
#include "lib/hist/table.h"

/* hist_trigger_print_key() pads strings to 50 bytes and names of processes to 16. */
#define STRING_PAD 50
#define COMM_PAD   16

struct reader {
	struct dkt_table *table;
	const char *p; /* the rest to read */
	const char *end;
};

/* Returns the place of the text, or NULL. */
static const char *find(const char *from, const char *end, const char *text)
{
	return from < end ? memmem(from, (size_t)(end - from), text, strlen(text)) : NULL;
}

static const char *line_end(const char *from, const char *end)
{
	const char *p = from < end ? memchr(from, '\n', (size_t)(end - from)) : NULL;

	return p ? p : end;
}

/* Moves past the end of a line. */
static void go_past(struct reader *r, const char *end)
{
	r->p = end + (end < r->end);
}

static bool starts(const char *p, const char *end, const char *text)
{
	size_t len = strlen(text);

	return (size_t)(end - p) >= len && !memcmp(p, text, len);
}

/* ---- the columns: "# trigger info: hist:keys=a,b.hex:vals=hitcount,c:sort=...:size=... [active]" */

/* Reads the text of a column; one that dktrace cannot parse becomes its name. */
static void read_column(const char *text, size_t len, struct table_column *column)
{
	const char *why;
	size_t at, n;

	*column = (struct table_column){ 0 };
	if (!dkt__key_parse(text, len, &column->spec, &why, &at))
		return;
	n = DKT__MIN(len, sizeof(column->spec.name) - 1);
	column->spec = (struct dkt__key_spec){ 0 };
	memcpy(column->spec.name, text, n);
}

/* Reads the columns between a word such as "keys=" and the next colon. Returns their number. */
static uint32_t read_columns(const char *from, const char *end, const char *word, uint32_t max,
			     struct table_column *columns)
{
	const char *p = find(from, end, word);
	uint32_t n = 0;

	if (!p)
		return 0;
	for (p += strlen(word); n < max; p++) {
		size_t len = 0;

		while (p + len < end && p[len] != ',' && p[len] != ':' && p[len] != ' ' &&
		       p[len] != '\n')
			len++;
		if (!len)
			break;
		read_column(p, len, &columns[n]);
		if (dkt__key_is_stack(columns[n].spec.name) ||
		    columns[n].spec.mod == MOD_STACKTRACE)
			columns[n].kind = TABLE_STRING;
		n++;
		p += len;
		if (p >= end || *p != ',')
			break;
	}
	return n;
}

static int read_head(struct reader *r)
{
	static const char info[] = "# trigger info: hist:";
	struct dkt_table *table = r->table;
	const char *line = find(r->p, r->end, info), *end;

	if (!line)
		return -ENOENT;
	line += strlen(info);
	end = line_end(line, r->end);
	table->n_keys = read_columns(line, end, "keys=", TABLE_KEYS - 1, table->keys);
	table->n_vals = read_columns(line, end, ":vals=", TABLE_VALS, table->vals);
	if (!table->n_keys || !table->n_vals)
		return -EINVAL;
	r->p = end;
	return 0;
}

/* ---- one key of a row ---- */

/* Reads a number, with only spaces around it. */
static bool read_number(const char *from, const char *to, unsigned int base, uint64_t *value)
{
	while (from < to && *from == ' ')
		from++;
	while (to > from && to[-1] == ' ')
		to--;
	return !dkt__take_u64(&from, to, base, value) && from == to;
}

/* Reads the number in the last brackets, "openat   [257]". Sets *name_end to the end of the name. */
static bool read_bracket(const char *from, const char *to, uint64_t *value, const char **name_end)
{
	const char *open;

	while (to > from && to[-1] == ' ')
		to--;
	if (to <= from || to[-1] != ']')
		return false;
	open = memrchr(from, '[', (size_t)(to - from));
	if (!open || !read_number(open + 1, to - 1, 10, value))
		return false;
	*name_end = open;
	while (*name_end > from && (*name_end)[-1] == ' ')
		(*name_end)--;
	return true;
}

/* Reads the address of "[ffffffff8113c5a0] name". */
static bool read_address(const char *from, const char *to, uint64_t *value)
{
	const char *close;

	if (from >= to || *from != '[')
		return false;
	close = memchr(from, ']', (size_t)(to - from));
	return close && read_number(from + 1, close, 16, value);
}

/* True if "%10llu" printed the text: a string would have spaces after it. */
static bool is_number(const char *from, const char *to)
{
	uint64_t value;

	return to > from && dkt__expr_is_digit(to[-1]) && read_number(from, to, 10, &value);
}

static int take_string(struct dkt_table *table, const char *from, const char *to, uint64_t *word)
{
	while (to > from && to[-1] == ' ')
		to--;
	return dkt__table_intern(table, from, (size_t)(to - from), word);
}

/* Parses the text of a key between from and to. 1: the text is invalid. */
static int read_key(struct dkt_table *table, struct table_column *column, const char *from,
		    const char *to, uint64_t *word, const char **comm_end)
{
	const char *end;
	bool good = true;

	switch (column->spec.mod) {
	case MOD_HEX:
		good = read_number(from, to, 16, word);
		break;
	case MOD_SYM:
	case MOD_SYM_OFFSET:
		good = read_address(from, to, word);
		break;
	case MOD_SYSCALL:
		good = read_bracket(from, to, word, &end);
		break;
	case MOD_EXECNAME:
		good = read_bracket(from, to, word, comm_end);
		break;
	case MOD_LOG2:
		good = starts(from, to, "~ 2^") && read_number(from + 4, to, 10, word);
		break;
	case MOD_BUCKETS:
		end = starts(from, to, "~ ") ? find(from, to, "-") : NULL;
		good = end && read_number(from + 2, end, 10, word);
		break;
	default:
		if (column->kind == TABLE_STRING)
			return take_string(table, from, to, word);
		good = read_number(from, to, 10, word);
	}
	return good ? 0 : 1;
}

/* ---- stacks ---- */

/* HIST_STACKTRACE_DEPTH: the kernel truncates a stack to this number of functions. */
#define STACK_DEPTH 16
#define STACK_CUT   "[...];"

/* Reads lines of functions. Joins the names by ';' in reverse order: the outermost comes first. */
static int read_stack(struct reader *r, uint64_t *word)
{
	const char *lines[64], *p = r->p;
	struct dkt_buf buf = { 0 };
	size_t n = 0;
	int err;

	while (n < ARRAY_SIZE(lines)) {
		const char *end = line_end(p, r->end), *from = p;

		while (from < end && *from == ' ')
			from++;
		if (from == p || from == end || *from == '}')
			break;
		lines[n++] = from;
		go_past(r, end);
		p = r->p;
	}
	if (n >= STACK_DEPTH)
		dkt_buf_str(&buf, STACK_CUT);
	while (n--) {
		size_t len = 0;

		while (lines[n] + len < r->end && !strchr("+ \n", lines[n][len]))
			len++;
		dkt__buf_add(&buf, lines[n], len);
		if (n)
			dkt_buf_str(&buf, ";");
	}
	err = dkt__with_words(r->table->ctx, buf.err);
	if (!err)
		err = dkt__table_intern(r->table, buf.data ? buf.data : "", buf.len, word);
	free(buf.data);
	return err;
}

/* ---- rows ---- */

/*
 * Returns the end of a key, where the text that follows it begins; NULL: not found. Strings and names
 * of processes can hold any byte, even newlines, so only their width tells where they can end.
 */
static const char *key_end(const struct reader *r, struct table_column *column, const char *from,
			   const char *next)
{
	const char *stop = line_end(from, r->end), *end = find(from, stop, next);
	uint8_t mod = column->spec.mod;

	if (mod == MOD_EXECNAME)
		return find(from + DKT__MIN(COMM_PAD, r->end - from), r->end, next);
	if (mod && mod != MOD_DEC)
		return end;
	/* The first row shows which kind of key the column has. */
	if (!r->table->map.n)
		column->kind = end && is_number(from, end) ? TABLE_NUMBER : TABLE_STRING;
	if (column->kind != TABLE_STRING)
		return end;
	return find(from + DKT__MIN(STRING_PAD, r->end - from), r->end, next);
}

static const char *column_name(const struct table_column *column, char room[static 80])
{
	snprintf(room, 80, "%s%s: ", column->spec.name,
		 column->spec.mod == MOD_STACKTRACE ? ".stacktrace" : "");
	return room;
}

/* Reads the keys of a row, after its "{ ". 1: the row is invalid. */
static int read_keys(struct reader *r, uint64_t *words, const char **comm, const char **comm_end)
{
	struct dkt_table *table = r->table;
	bool has_stack = false;
	char name[80], next[84];
	int err = 0;

	*comm = *comm_end = NULL;
	for (uint32_t i = 0; !err && i < table->n_keys; i++) {
		struct table_column *column = &table->keys[i];
		const char *colon, *end;

		/* A stack begins on a line of its own, "common_stacktrace:\n". */
		if (dkt__key_is_stack(column->spec.name) || column->spec.mod == MOD_STACKTRACE) {
			go_past(r, line_end(r->p, r->end));
			err = read_stack(r, &words[i]);
			has_stack = true;
			continue;
		}
		colon = find(r->p, line_end(r->p, r->end), ": ");
		if (!colon)
			return 1;
		r->p = colon + 2;
		if (i + 1 < table->n_keys)
			snprintf(next, sizeof(next), ", %s",
				 column_name(&table->keys[i + 1], name));
		else
			/* If a key is a stack, the kernel prints no space before the '}'. */
			snprintf(next, sizeof(next), "%s}", has_stack ? "" : " ");
		/* If the next key is a stack, the kernel prints no space after its name. */
		next[strlen(next) - (i + 1 < table->n_keys)] = '\0';
		end = key_end(r, column, r->p, next);
		if (!end)
			return 1;
		err = read_key(table, column, r->p, end, &words[i], comm_end);
		if (!err && *comm_end && !*comm)
			*comm = r->p;
		r->p = end + (i + 1 < table->n_keys ? 2 : 0);
	}
	return err;
}

/* Reads the sums after the keys: " hitcount:          1  bytes_req:        512". */
static bool read_sums(struct reader *r, uint64_t *sums)
{
	struct dkt_table *table = r->table;
	const char *end = line_end(r->p, r->end), *p = find(r->p, end, "}");

	if (!p)
		return false;
	for (uint32_t i = 0; i < table->n_vals; i++) {
		const char *colon = find(p, end, ": "), *to;

		if (!colon)
			return false;
		p = colon + 2;
		while (p < end && *p == ' ')
			p++;
		for (to = p; to < end && *to != ' '; to++)
			;
		if (!read_number(p, to, table->vals[i].spec.mod == MOD_HEX ? 16 : 10, &sums[i]))
			return false;
		p = to;
	}
	go_past(r, end);
	return true;
}

/* Reads the values that actions saved, in lines after a row: "\tmax:   5  next_comm: dd". */
static int read_more(struct reader *r, uint32_t entry)
{
	struct dkt_table *table = r->table;
	struct dkt_buf buf = { 0 };
	bool blank = false;
	const char *end;
	int err;

	while (r->p < r->end && *r->p == '\t') {
		end = line_end(r->p, r->end);
		for (; r->p < end; r->p++) {
			bool is_blank = *r->p == ' ' || *r->p == '\t';

			if (!is_blank && blank && buf.len)
				dkt_buf_str(&buf, " ");
			if (!is_blank)
				dkt__buf_add(&buf, r->p, 1);
			blank = is_blank;
		}
		go_past(r, end);
		blank = true;
	}
	err = dkt__with_words(table->ctx, buf.err);
	if (!err && buf.len) {
		table->more[entry] = dkt__table_string(table, buf.data, (uint32_t)buf.len);
		table->has_more = true;
		err = table->more[entry] ? 0 : dkt__no_memory(table->ctx);
	}
	free(buf.data);
	return err;
}

static int read_row(struct reader *r)
{
	struct dkt_table *table = r->table;
	uint64_t words[TABLE_KEYS], sums[TABLE_VALS];
	const char *start = r->p, *comm, *comm_end;
	uint32_t entry;
	bool added;
	int err;

	r->p += 2;
	err = read_keys(r, words, &comm, &comm_end);
	if (err < 0)
		return err;
	if (err || !read_sums(r, sums)) {
		table->bad++;
		go_past(r, line_end(start, r->end));
		return 0;
	}
	entry = dkt__table_entry(table, words, &added, &err);
	if (entry == DKT__KEYMAP_NONE)
		return err;
	/* Stacks that differ only in offsets share a row, because read_stack() skips offsets. */
	for (uint32_t i = 0; i < table->n_vals; i++)
		dkt__table_sums(table, entry)[i] += sums[i];
	if (comm)
		table->comms[entry] = dkt__table_string(table, comm, (uint32_t)(comm_end - comm));
	return read_more(r, entry);
}

static uint64_t read_total(const struct reader *r, const char *name)
{
	const char *p = find(r->p, r->end, name);
	uint64_t value;

	p = p ? p + strlen(name) : r->end;
	return dkt__take_u64(&p, r->end, 10, &value) ? 0 : value;
}

int dkt__table_parse(struct dkt_ctx *ctx, const char *text, size_t len, struct dkt_table **out)
{
	dkt__needs(ctx, dkt__clear(out) && ctx && (text || !len));

	struct dkt_table *table = dkt__table_new(ctx);
	struct reader r = { .table = table, .p = text, .end = text + len };
	int err = table ? read_head(&r) : dkt__no_memory(ctx);

	if (err == -ENOENT)
		dkt_fail(ctx, err, "there is no histogram");
	else if (err == -EINVAL)
		dkt_fail(ctx, err, "the histogram does not name its keys and values");
	if (!err)
		dkt__table_begin(table);
	while (!err && r.p < r.end && !starts(r.p, r.end, "Totals:") &&
	       !starts(r.p, r.end, "# event histogram")) {
		if (starts(r.p, r.end, "{ "))
			err = read_row(&r);
		else
			go_past(&r, line_end(r.p, r.end));
	}
	if (!err) {
		table->hits = read_total(&r, "Hits: ");
		table->dropped = read_total(&r, "Dropped: ");
	}
	return dkt__table_return(table, err, out);
}
