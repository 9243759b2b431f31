/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The csv style (RFC 4180): comma-separated values. Unless fields were chosen, each event has its
 * own columns, and their header comes before its first record.
 */
#include "lib/base/intern.h"
#include "lib/event.h"
#include "lib/style.h"

/* The columns before the event's own fields. */
#define COMMON_NAMES "system,event,ts,wall,cpu,pid,comm,flags"

/* Maximum length of their numbers and times. */
#define COMMON_ROOM 160

#define LOST_EVENT "lost"

struct csv {
	struct dkt_style base;
	dkt__put_many_fn many;
	char *(*put_text)(char *p, const char *text, size_t len);
	bool uniform; /* all rows have the chosen columns */
	struct dkt__column *columns; /* uniform: of all rows; otherwise of losses */
	uint32_t n;
	bool lost_header; /* the header of losses is printed */
	struct dkt__intern headers; /* that are printed: system, event and columns of each */
};

/* ---- cells ---- */

static char *put_number(char *p, const struct dkt__column *column, uint64_t v)
{
	if (column->kind == DKT__COLUMN_ADDRESS || column->kind == DKT__COLUMN_STACK) {
		*p++ = '0';
		*p++ = 'x';
		return dkt__put_hex(p, v);
	}
	return column->is_signed ? dkt__put_int(p, (int64_t)v) : dkt__put_dec(p, v);
}

/* Puts numbers with a space between them, bytes as two digits each. */
static char *put_several(char *p, const struct dkt__column *column, const uint8_t *data,
			 uint32_t len)
{
	for (uint32_t i = 0; len - i >= column->element; i += column->element) {
		if (column->kind == DKT__COLUMN_BYTES) {
			p = dkt__put_hex_digits(p, data[i], 2);
			continue;
		}
		uint64_t v = dkt__load_at(data + i, column->load);

		if (column->kind == DKT__COLUMN_STACK && !dkt__is_caller(v))
			break;
		if (i)
			*p++ = ' ';
		p = put_number(p, column, v);
	}
	return p;
}

static char *put_many(char *p, const struct dkt__column *column, const uint8_t *data, uint32_t len)
{
	if (column->kind == DKT__COLUMN_TEXT)
		return dkt__put_cell(p, (const char *)data, strnlen((const char *)data, len));
	return put_several(p, column, data, len);
}

static char *put_many_raw(char *p, const struct dkt__column *column, const uint8_t *data,
			  uint32_t len)
{
	if (column->kind == DKT__COLUMN_TEXT)
		return dkt__put_raw_cell(p, (const char *)data, strnlen((const char *)data, len));
	return put_several(p, column, data, len);
}

/* ---- rows ---- */

struct row {
	struct csv *csv;
	const struct dkt_record *record;
	const char *comm;
	struct dkt_buf *buf;
	const struct dkt__body *body;
};

/* Appends the name of the record's stream: a file, host or buffer. */
static void add_from(const struct csv *csv, const struct dkt_record *record, struct dkt_buf *buf)
{
	struct dkt_source *streams = csv->base.opts.streams;
	const char *name = streams ? dkt_source_stream(streams, record->stream) : NULL;

	dkt_buf_str(buf, name ? name : "");
}

/* Appends the stack of that name, if the record carries it. */
static void add_stack(const struct csv *csv, const struct dkt_record *record, const char *name,
		      struct dkt_buf *buf)
{
	const struct dkt_stack *stack = record->event ? record->stacks : NULL;
	uint64_t address;

	while (stack && strcmp(stack->event->name, name) != 0)
		stack = stack->next;
	for (uint32_t i = 0; stack && (address = dkt__stack_caller(stack, i)); i++) {
		dkt_buf_str(buf, i ? " => " : "");
		dkt__stack_put(&csv->base, address, dkt__stack_is_user(stack->event), buf);
	}
}

/* Puts a column that all records have. A loss has only its time, CPU and number. */
static int put_common(const struct row *row, const struct dkt__column *column)
{
	const struct dkt_record *record = row->record;
	struct dkt_style *style = &row->csv->base;
	size_t comm_len = strlen(row->comm), from = row->buf->len;
	char *p = dkt__buf_room(row->buf, comm_len * 6 + 64);
	bool lost = !record->event;

	if (!p)
		return -ENOMEM;
	if (column->kind == DKT__COLUMN_TS)
		p = dkt__style_put_ts(style, p, record->ts);
	else if (column->kind == DKT__COLUMN_WALL && style->source.has_wall)
		p = dkt__style_put_wall(style, p, record->ts);
	else if (column->kind == DKT__COLUMN_CPU)
		p = dkt__put_dec(p, record->cpu);
	else if (column->kind == DKT__COLUMN_PID && !lost)
		p = dkt__put_int(p, record->pid);
	else if (column->kind == DKT__COLUMN_COMM && !lost)
		p = row->csv->put_text(p, row->comm, comm_len);
	else if (column->kind == DKT__COLUMN_FLAGS && !lost)
		p = dkt__style_put_flags(p, record);
	else if (column->kind == DKT__COLUMN_LOST && lost && record->lost != DKT_LOST_UNKNOWN)
		p = dkt__put_dec(p, record->lost);
	row->buf->len = (size_t)(p - row->buf->data);
	if (column->kind == DKT__COLUMN_SYSTEM && !lost)
		dkt_buf_str(row->buf, record->event->system);
	else if (column->kind == DKT__COLUMN_EVENT)
		dkt_buf_str(row->buf, lost ? LOST_EVENT : record->event->name);
	else if (column->kind == DKT__COLUMN_RECORD_TEXT && !lost)
		dkt__style_text(style, record, row->buf);
	else if (column->kind == DKT__COLUMN_FROM)
		add_from(row->csv, record, row->buf);
	else if (column->kind == DKT__COLUMN_CARRIED)
		add_stack(row->csv, record, column->name, row->buf);
	else
		return 0;
	return dkt__style_escape(row->buf, from, row->csv->put_text);
}

static int put_cell(const struct row *row, const struct dkt__column *column)
{
	struct dkt_buf *buf = row->buf;
	const uint8_t *data;
	uint32_t len;
	char *p;

	if (column->kind > DKT__COLUMN_STACK)
		return put_common(row, column);
	if (column->kind <= DKT__COLUMN_ADDRESS) {
		p = dkt__buf_room(buf, 64);
		data = row->body->data + column->bytes.offset;
		if (p)
			p = put_number(p, column, dkt__load_at(data, column->load));
	} else {
		data = dkt__column_bytes(column, row->body, row->record->size, &len);
		p = dkt__buf_room(buf, (size_t)len * ROOM_OF_BYTE + 64);
		if (p)
			p = row->csv->many(p, column, data, len);
	}
	if (!p)
		return -ENOMEM;
	buf->len = (size_t)(p - buf->data);
	return 0;
}

static int put_row(const struct row *row, const struct dkt__column *columns, uint32_t n)
{
	int err = 0;

	for (uint32_t i = 0; i < n && !err; i++) {
		if (i)
			dkt__buf_add(row->buf, ",", 1);
		err = put_cell(row, &columns[i]);
	}
	dkt__buf_add(row->buf, "\r\n", 2);
	return err ? err : row->buf->err;
}

/* Puts the names of columns; first: they begin the line. */
static int put_names(const struct csv *csv, struct dkt_buf *buf, const struct dkt__column *columns,
		     uint32_t n, bool first)
{
	size_t from;
	int err = 0;

	for (uint32_t i = 0; i < n && !err; i++) {
		if (i || !first)
			dkt__buf_add(buf, ",", 1);
		from = buf->len;
		dkt_buf_str(buf, columns[i].name);
		err = dkt__style_escape(buf, from, csv->put_text);
	}
	return err ? err : buf->err;
}

/* ---- records ---- */

static int csv_lost(struct csv *csv, const struct row *row)
{
	int err = 0;

	if (!csv->uniform && !csv->lost_header) {
		err = put_names(csv, row->buf, csv->columns, csv->n, true);
		dkt__buf_add(row->buf, "\r\n", 2);
	}
	csv->lost_header = true;
	return err ? err : put_row(row, csv->columns, csv->n);
}

/* Each file has its own form of an event; equal forms share a header. Returns true if it is not printed yet. */
static bool is_new_header(struct csv *csv, const struct dkt__form *form, int *err)
{
	const uint32_t n = csv->headers.n;
	struct dkt_buf key = { 0 };

	dkt__buf_add(&key, form->event->system, strlen(form->event->system) + 1);
	dkt__buf_add(&key, form->event->name, strlen(form->event->name) + 1);
	for (uint32_t i = 0; i < form->n; i++)
		dkt__buf_add(&key, form->columns[i].name, strlen(form->columns[i].name) + 1);
	dkt__buf_add(&key, &form->text, sizeof(form->text));
	*err = key.err;
	if (!key.err && dkt__intern(&csv->headers, key.data, (uint32_t)key.len) == UINT32_MAX)
		*err = -ENOMEM;
	free(key.data);
	return csv->headers.n > n;
}

static int put_event_header(struct csv *csv, const struct dkt__form *form, struct dkt_buf *buf)
{
	int err;

	if (!is_new_header(csv, form, &err))
		return err;
	dkt_buf_str(buf, COMMON_NAMES);
	if (csv->base.opts.streams)
		dkt_buf_str(buf, ",from");
	err = put_names(csv, buf, form->columns, form->n, false);
	dkt_buf_str(buf, form->text ? ",text\r\n" : "\r\n");
	return err;
}

/* Puts a row with the event's own columns. */
static int put_event_row(struct csv *csv, const struct dkt__form *form,
			 const struct dkt_record *record, const char *comm, struct dkt_buf *buf)
{
	size_t comm_len = strlen(comm), from;
	char *p = dkt__buf_room(buf, form->head_len + comm_len * 6 + COMMON_ROOM);
	int err;

	if (!p)
		return -ENOMEM;
	p = dkt__put_kept(p, form->head, form->head_len);
	p = dkt__style_put_ts(&csv->base, p, record->ts);
	*p++ = ',';
	if (csv->base.source.has_wall)
		p = dkt__style_put_wall(&csv->base, p, record->ts);
	*p++ = ',';
	p = dkt__put_dec(p, record->cpu);
	*p++ = ',';
	p = dkt__put_int(p, record->pid);
	*p++ = ',';
	p = csv->put_text(p, comm, comm_len);
	*p++ = ',';
	p = dkt__style_put_flags(p, record);
	buf->len = (size_t)(p - buf->data);
	if (csv->base.opts.streams) {
		dkt__buf_add(buf, ",", 1);
		from = buf->len;
		add_from(csv, record, buf);
		err = dkt__style_escape(buf, from, csv->put_text);
		if (err)
			return err;
	}
	err = dkt__put_columns(buf, form, record, put_number, csv->many);
	if (form->text && !err) {
		dkt__buf_add(buf, ",", 1);
		from = buf->len;
		dkt__style_text(&csv->base, record, buf);
		err = dkt__style_escape(buf, from, csv->put_text);
	}
	dkt__buf_add(buf, "\r\n", 2);
	return err ? err : buf->err;
}

static int csv_record(struct dkt_style *style, const struct dkt_record *record, const char *comm,
		      struct dkt_buf *buf)
{
	struct csv *csv = (struct csv *)style;
	struct row row = { .csv = csv, .record = record, .comm = comm, .buf = buf };
	struct dkt__form *form;
	__body body = { 0 };
	int err = 0;

	if (!record->event)
		return csv_lost(csv, &row);
	form = dkt__style_form_of(style, record);
	if (!form)
		return -ENOMEM;
	if (csv->uniform) {
		row.body = &body;
		return dkt__body_get(&body, record, form) ? put_row(&row, form->columns, form->n) :
							    -ENOMEM;
	}
	/* data is set once the event's header is printed. */
	if (!form->data)
		err = put_event_header(csv, form, buf);
	form->data = csv;
	return err ? err : put_event_row(csv, form, record, comm, buf);
}

/* With chosen columns a row is a record, and its stack is a cell of the row. */
static int csv_stacks(struct dkt_style *style, const struct dkt_record *record, const char *comm,
		      struct dkt_buf *buf)
{
	return ((const struct csv *)style)->uniform ?
		       0 :
		       dkt__style_stack_records(style, record, comm, buf);
}

static int csv_begin(struct dkt_style *style, struct dkt_buf *buf)
{
	const struct csv *csv = (struct csv *)style;
	int err;

	if (!csv->uniform)
		return 0;
	err = put_names(csv, buf, csv->columns, csv->n, true);
	dkt__buf_add(buf, "\r\n", 2);
	return err;
}

/* ---- columns ---- */

static int csv_learn(struct dkt_style *style, struct dkt__form *form)
{
	size_t system_len = strlen(form->event->system), name_len = strlen(form->event->name);
	char *head, *p;

	if (((const struct csv *)style)->uniform)
		return 0;
	head = dkt__style_alloc(style, (system_len + name_len) * 6 + 64);
	if (!head)
		return -ENOMEM;
	p = dkt__put_cell(head, form->event->system, system_len);
	*p++ = ',';
	p = dkt__put_cell(p, form->event->name, name_len);
	*p++ = ',';
	form->head = head;
	form->head_len = (uint32_t)(p - head);
	return dkt__style_keys(style, form, ",", ",", NULL);
}

static int csv_open(struct dkt_style *style)
{
	static const char *const lost[] = { "system", "event", "ts", "wall", "cpu", "lost", "from" };
	struct csv *csv = (struct csv *)style;
	const char *const *names = lost;

	csv->many = style->opts.raw_text ? put_many_raw : put_many;
	csv->put_text = style->opts.raw_text ? dkt__put_raw_cell : dkt__put_cell;
	csv->uniform = style->opts.n_fields && !dkt__style_wants(style, "*");
	csv->n = ARRAY_SIZE(lost) - !style->opts.streams;
	if (csv->uniform) {
		names = style->opts.fields;
		csv->n = (uint32_t)style->opts.n_fields;
	}
	csv->columns = dkt__style_alloc(style, csv->n * sizeof(*csv->columns));
	for (uint32_t i = 0; csv->columns && i < csv->n; i++)
		csv->columns[i] = dkt__column_other(names[i]);
	return csv->columns ? 0 : -ENOMEM;
}

static void csv_close(struct dkt_style *style)
{
	dkt__intern_clear(&((struct csv *)style)->headers);
}

const struct dkt__style_ops dkt__style_csv_ops = {
	.name = "csv",
	.words = "comma-separated values, for spreadsheets and databases",
	.traits = DKT_STYLE_DATA | DKT_STYLE_ORDER,
	.size = sizeof(struct csv),
	.open = csv_open,
	.learn = csv_learn,
	.begin = csv_begin,
	.record = csv_record,
	.stacks = csv_stacks,
	.close = csv_close,
};
