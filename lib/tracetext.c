/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text of trace, trace_pipe and trace-cmd report as a source of records. */
#include "lib/base/parse.h"
#include "lib/plan.h"
#include "lib/source.h"
#include "lib/tracetext/rows.h"

/* Read at most this many lines to find out whether a file is the text of a trace. */
#define LOOK 40

#define TEXT_MAX 32768

/* ---- lines ---- */

static bool text_is(const uint8_t *data, size_t size)
{
	struct dkt__file file = { .data = data, .size = DKT__MIN(size, 65536u) };
	struct dkt__line line;
	uint64_t at = 0;

	if (size > 10 && !memcmp(data, "# tracer: ", 10))
		return true;
	for (int i = 0; i < LOOK && at < file.size; i += line.kind != DKT__LINE_NONE) {
		at = dkt__text_line(&file, at, &line);
		if (line.kind == DKT__LINE_RECORD && (!line.graph.call || line.graph.is_strong))
			return true;
		/* Try the next line: an old header, or notes of a person, may come first. */
	}
	return false;
}

/* ---- records ---- */

static void put(struct dkt__text *text, uint32_t at, uint64_t value, uint32_t size)
{
	dkt__put_number(text->data + at, value, size);
}

/* Writes the header that every record begins with. */
static void put_common(struct dkt__text *text, const struct dkt__line *line,
		       struct dkt_event *event)
{
	memset(text->data, 0, 512);
	put(text, 0, (uint64_t)dkt_event_id(event), 2);
	put(text, 2, line->flags, 1);
	put(text, 3, line->preempt, 1);
	put(text, 4, (uint32_t)line->pid, 4);
}

/* Writes the functions of a stack, from its own line and from the lines after it. */
static uint32_t put_stack(struct dkt__text *text, const struct dkt__line *line, uint64_t next)
{
	const char *p = line->text, *end = p + line->text_len, *q;
	struct dkt_ctx *ctx = text->base.ctx;
	struct dkt__line frame;
	uint32_t n = 0;

	while (n < DKT__FRAMES_MAX && (p = memmem(p, (size_t)(end - p), "=> ", 3))) {
		p += 3;
		q = memmem(p, (size_t)(end - p), " => ", 4);
		put(text, 16 + 8 * n++, dkt__frame_address(ctx, p, (size_t)((q ? q : end) - p)), 8);
	}
	while (n < DKT__FRAMES_MAX && next < text->file.size) {
		next = dkt__text_line(&text->file, next, &frame);
		if (frame.kind != DKT__LINE_FRAME)
			break;
		put(text, 16 + 8 * n++, dkt__frame_address(ctx, frame.text, frame.text_len), 8);
	}
	put(text, 8, n, 4);
	return 16 + 8 * n;
}

/* Attaches the stacks in the lines after a record. -ENOMEM: out of memory. */
static int carry_stacks(struct dkt__text *text, uint64_t next, struct dkt_record *record)
{
	struct dkt__line frame = { 0 };
	int err = 0;

	dkt__text_stacks_start(&text->stacks);
	while (!err && next < text->file.size) {
		next = dkt__text_line(&text->file, next, &frame);
		if (frame.kind != DKT__LINE_FRAME)
			break;
		err = dkt__text_stacks_add(&text->stacks, text->base.ctx, &frame);
	}
	return err ? err : dkt__text_stacks_carry(&text->stacks, &text->names, record);
}

/* Stores the number of the system call in the event's name. */
static void put_call_number(struct dkt__text *text, struct dkt_event *event)
{
	const struct dkt_field *field = dkt_event_field(event, "__syscall_nr");
	const char *name = strchr(dkt_event_name(event) + 4, '_') + 1, *call;

	if (!field || field->size > 8 || field->offset < 8 || field->offset > 512)
		return;
	for (int nr = 0; nr < DKT__SYSCALLS; nr++) {
		call = dkt_syscall_name(text->base.ctx, nr);
		if (call && !strcmp(call, name))
			put(text, field->offset, (uint64_t)nr, field->size);
	}
}

/* Parses "sys_read(fd: 3, buf: 7f..., count: 200)" or "sys_read -> 0x10". */
static uint32_t put_syscall(struct dkt__text *text, const struct dkt__line *line,
			    struct dkt_event *event)
{
	const char *const end = line->text + line->text_len;
	bool enter = dkt_event_name(event)[5] == 'n';
	const struct dkt_field *const *fields;
	char word[32];
	uint32_t size = 16;
	const char *p;
	unsigned int base;
	uint64_t value;
	size_t n;

	if (dkt_event_fields(event, &fields, &n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		const struct dkt_field *field = fields[i];

		if (field->size > 8 || field->offset < 8 || field->offset + field->size > 512)
			continue;
		size = DKT__MAX(size, field->offset + field->size);
		if (!strcmp(field->name, "__syscall_nr"))
			continue;
		snprintf(word, sizeof(word), enter ? "%.20s: " : "-> ", field->name);
		p = memmem(line->text, line->text_len, word, strlen(word));
		if (!p || (enter && p[-1] != ' ' && p[-1] != '('))
			return 0;
		p += strlen(word);
		base = enter && text->has_decimals && (end - p < 2 || memcmp(p, "0x", 2)) ?
			       DKT__DEC :
			       DKT__HEX;
		if (dkt__take_u64(&p, end, base, &value))
			return 0;
		put(text, field->offset, value, field->size);
	}
	return size;
}

static uint32_t put_plain(struct dkt__text *text, const struct dkt__line *line,
			  const struct dkt__derived_keys *keys)
{
	const uint32_t at = DKT__TEXT_KEYS + 8 * (uint32_t)keys->n;
	const uint32_t len = (uint32_t)DKT__MIN(line->text_len, (size_t)TEXT_MAX);

	put(text, 8, (uint64_t)(len + 1) << 16 | at, 4);
	memcpy(text->data + at, line->text, len);
	text->data[at + len] = '\0';
	return dkt__derive_put(keys, line, DKT__TEXT_KEYS, text->data, at + len + 1,
			       DKT__TEXT_RECORD_MAX);
}

static bool is_stack(const struct dkt_event *event)
{
	return strstr(dkt_event_name(event), "_stack") &&
	       !strcmp(dkt_event_system(event), "ftrace");
}

/* Writes the record of an event. Returns its size. 0: the event cannot have printed the line. */
static uint32_t put_event(struct dkt__text *text, const struct dkt__line *line, uint64_t next,
			  struct dkt_event *event)
{
	const char *name = dkt_event_name(event), *from = line->text;
	size_t len = line->text_len;
	uint32_t size;

	put_common(text, line, event);
	if (is_stack(event))
		return put_stack(text, line, next);
	if (line->graph.call && !strcmp(dkt_event_system(event), "ftrace"))
		return dkt__text_calls_put(&text->calls, text->base.ctx, line, event, text->data);
	if (!line->name_len && !strncmp(name, "sys_", 4)) {
		size = put_syscall(text, line, event);
		put_call_number(text, event);
		return size;
	}
	/* The text of a mark includes "tracing_mark_write: ", which was read as the name. */
	if (!strcmp(name, "print") && line->name_len == 18) {
		from = line->name;
		len = (size_t)(line->text + line->text_len - line->name);
	}
	if (len >= TEXT_MAX)
		return 0;
	size = dkt__unprint(event, from, len, text->data, DKT__TEXT_RECORD_MAX);
	if (size && !strcmp(dkt_event_system(event), "syscalls"))
		put_call_number(text, event);
	return size;
}

static int fill(struct dkt__text *text, const struct dkt__line *line, uint64_t next,
		struct dkt_record *record)
{
	char name[DKT__TEXT_NAME];
	struct dkt__text_name *text_name;
	int err = 0;

	dkt__text_name(line, name);
	text_name = dkt__text_get(&text->names, name);
	if (!text_name || !text_name->plain)
		return -ENOMEM;
	*record = (struct dkt_record){ .ts = line->ts,
				       .cpu = line->cpu,
				       .pid = line->pid,
				       .flags = line->flags,
				       .preempt = line->preempt,
				       .data = text->data };
	for (size_t i = 0; i < text_name->n && !record->size; i++) {
		record->event = text_name->events[i];
		record->size = put_event(text, line, next, record->event);
	}
	if (!record->size) {
		record->event = text_name->plain;
		put_common(text, line, record->event);
		record->size = put_plain(text, line, &text_name->keys);
		if (text_name->n && strcmp(dkt_event_system(text_name->events[0]), "ftrace") != 0)
			text_name->unread++;
		else
			text_name->bare += !text_name->keys.n;
	}
	if (!is_stack(record->event))
		err = carry_stacks(text, next, record);
	if (err)
		return err;
	return line->comm_len && memcmp(line->comm, "<...>", DKT__MIN(line->comm_len, 5u)) != 0 ?
		       dkt__comms_set(&text->comms, line->pid, line->comm, line->comm_len) :
		       0;
}

/* Adds what a function_graph line leaves out: its process, or the exit of the function. */
static void take_task(const struct dkt__text *text, const struct dkt__text_row *row,
		      struct dkt__line *line)
{
	if (!line->comm_len)
		line->pid = dkt__text_calls_pid(&text->calls, row->at, line->cpu);
	if (!row->exit)
		return;
	line->name = "funcgraph_exit";
	line->name_len = strlen(line->name);
}

static int gap(struct dkt__text *text, struct dkt_record *record, uint64_t ts, uint32_t cpu,
	       uint64_t lost)
{
	*record = (struct dkt_record){ .ts = ts, .cpu = cpu, .lost = lost };
	if (lost != DKT_LOST_UNKNOWN)
		text->loss[cpu].lost += lost;
	return 0;
}

static uint64_t count_of(const struct dkt__text_name *name, bool known)
{
	return known ? name->unread : name->bare;
}

/*
 * Describes the records without fields of the events that are known, or of others, by event. Returns NULL if
 * there are none.
 */
static const char *describe(const struct dkt__text *text, bool known, char *to, size_t room)
{
	char *end = to + room, *p;
	uint64_t sum = 0, count;

	for (size_t i = 0; i < text->names.n; i++)
		sum += count_of(&text->names.list[i], known);
	if (!sum)
		return NULL;
	p = to + snprintf(to, room, "%llu records have no fields, because their text %s",
			  (unsigned long long)sum, known ? "is unknown" : "names none");
	for (size_t i = 0, n = 0; i < text->names.n; i++) {
		const struct dkt__text_name *name = &text->names.list[i];

		count = count_of(name, known);
		if (count && end - p > 64 + (long)strlen(name->name))
			p += snprintf(p, (size_t)(end - p), "%s %s %llu", n++ ? "," : ":",
				      name->name, (unsigned long long)count);
	}
	return to;
}

/* Describes them at the end of the records. */
static void tell_plain(struct dkt__text *text)
{
	text->base.info.unused = describe(text, false, text->unused, sizeof(text->unused));
	text->base.info.damage = describe(text, true, text->damage, sizeof(text->damage));
}

/* Gets the next record, whether it is in the window or not. */
static int next_row(void *data, struct dkt_record *record)
{
	struct dkt__text *text = data;
	const struct dkt__text_row *row;
	struct dkt__line line;
	uint64_t next;
	int err;

	if (text->next == text->n) {
		tell_plain(text);
		return 1;
	}
	row = &text->rows[text->next];
	if (text->before && !text->told) {
		text->told = true;
		return gap(text, record, row->ts, 0, text->before);
	}
	next = dkt__text_line(&text->file, row->at, &line);
	text->next++;
	if (line.kind == DKT__LINE_LOST)
		return gap(text, record, row->ts, line.cpu, line.lost);
	text->loss[line.cpu].seen++;
	if (line.graph.call || (!line.comm_len && text->calls.n_tasks))
		take_task(text, row, &line);
	err = fill(text, &line, next, record);
	record->ts = row->ts;
	return dkt__with_words(text->base.ctx, err);
}

static int text_next(struct dkt_source *source, struct dkt_record *record)
{
	struct dkt__text *text = (struct dkt__text *)source;

	return dkt__window_next(&text->window, next_row, text, record);
}

static int text_seek(struct dkt_source *source, uint64_t since, uint64_t until)
{
	return dkt__window_seek(&((struct dkt__text *)source)->window, since, until);
}

static const char *text_comm(struct dkt_source *source, const struct dkt_record *record)
{
	const char *comm = dkt__comms_get(&((struct dkt__text *)source)->comms, record->pid);

	return comm ? comm : "<...>";
}

static int text_loss(struct dkt_source *source, int cpu, struct dkt_loss *loss)
{
	const struct dkt__text *text = (const struct dkt__text *)source;

	if (cpu >= 0 && cpu < DKT__TEXT_CPUS_MAX &&
	    dkt__window_has_cpu(&text->window, (uint32_t)cpu))
		*loss = text->loss[cpu];
	return 0;
}

static int text_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of)
{
	const struct dkt__text *text = (const struct dkt__text *)source;

	/* Estimate: rows are returned in order of time, not in the order of the file. */
	*of = text->file.size;
	*done = text->n ? (uint64_t)((double)text->next / (double)text->n * (double)*of) : *of;
	return 0;
}

static void text_close(struct dkt_source *source)
{
	struct dkt__text *text = (struct dkt__text *)source;

	dkt__text_names_clear(&text->names);
	dkt__text_stacks_clear(&text->stacks);
	dkt__text_calls_clear(&text->calls);
	dkt__comms_clear(&text->comms);
	free(text->window.cpus);
	free(text->loss);
	free(text->rows);
	free(text);
}

static const struct dkt__source_ops text_ops = {
	.next = text_next,
	.comm = text_comm,
	.loss = text_loss,
	.seek = text_seek,
	.bytes = text_bytes,
	.close = text_close,
};

/* Finds the formats of the file's events. */
static int find_formats(struct dkt__text *text, const char *tree)
{
	DKT_OPTS(dkt_ctx_opts, opts, .root = tree);
	struct dkt_ctx *kernel = NULL;
	int err = tree ? dkt_ctx_new(&opts, &kernel) : 0;

	if (err)
		return err;
	/* Without the tree, the texts that are known are left. */
	if (kernel && dkt_tracefs_open(kernel, 0)) {
		dkt_ctx_free(kernel);
		kernel = NULL;
	}
	err = dkt__text_choose(text, kernel);
	if (!err)
		err = dkt__text_derive(text);
	if (!err)
		err = dkt__text_formats(text->base.ctx, &text->names, kernel);
	dkt_ctx_free(kernel);
	return err;
}

static int text_open(struct dkt_ctx *ctx, const struct dkt__file *file,
		     const struct dkt_source_opts *opts, struct dkt_source **source)
{
	struct dkt__text *text = calloc(1, sizeof(*text));
	int err;

	if (!text)
		return -ENOMEM;
	text->base = (struct dkt_source){ .ops = &text_ops, .ctx = ctx };
	text->base.info.sz = sizeof(text->base.info);
	text->base.info.kind = "text of a trace";
	text->file = *file;
	text->loss = calloc(DKT__TEXT_CPUS_MAX, sizeof(*text->loss));
	err = text->loss ? dkt__text_scan(text) : -ENOMEM;
	text->has_decimals = dkt__text_has_decimals(&text->names);
	if (!err)
		err = find_formats(text, opts->formats);
	if (!err)
		err = dkt__window_set(&text->window, &text->base, opts);
	return dkt__source_opened(&text->base, err, source);
}

const struct dkt__reader dkt__reader_text = {
	.name = "text",
	.is = text_is,
	.open = text_open,
};
