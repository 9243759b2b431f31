/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The events of a text's lines. The text has no formats: they come from the texts that are known, from
 * the lines of system calls, or from a saved tracefs tree. For lines that no format can parse, each name
 * also has an event in the system "text", whose fields are the text of the line and what it says by itself.
 */
#include "lib/tracetext/format.h"
#include "lib/base/parse.h"
#include "lib/source/own_format.h"

#define FUNCGRAPH_EXIT "funcgraph_exit"

/* The arguments of a system call. */
#define CALL_ARGUMENTS 6

#define NAMES_MAX 4096
#define SLOTS     (4 * NAMES_MAX)

/* Events of ftrace itself. The kernel does not use their print formats. */
static const struct {
	const char *name;
	const char *text;
} own[] = {
	{ "function", "name: function\nID: 1\n" DKT__FORMAT_COMMON
		      "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		      "\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n\n"
		      "print fmt: \"%ps <-%ps\", (void *)REC->ip, (void *)REC->parent_ip\n" },
	{ "funcgraph_entry", DKT__FORMAT_GRAPH_ENTRY },
	{ FUNCGRAPH_EXIT, DKT__FORMAT_GRAPH_EXIT },
	{ "kernel_stack", DKT__FORMAT_KERNEL_STACK },
	{ "user_stack", DKT__FORMAT_USER_STACK },
	{ "print", "name: print\nID: 5\n" DKT__FORMAT_COMMON
		   "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		   "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\n"
		   "print fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n" },
};

/* ---- names ---- */

void dkt__text_name(const struct dkt__line *line, char name[DKT__TEXT_NAME])
{
	const char *p = line->text, *end = p + line->text_len, *stop = p;
	bool call, back;

	snprintf(name, DKT__TEXT_NAME, "%.*s", (int)line->name_len, line->name ? line->name : "");
	if (line->name_len) {
		/* The kernel prints the function that wrote a mark; the event is print. */
		if (!strcmp(name, "tracing_mark_write"))
			snprintf(name, DKT__TEXT_NAME, "print");
		return;
	}
	snprintf(name, DKT__TEXT_NAME, DKT__TEXT_SYSTEM);
	while (stop < end && (dkt__in_name(*stop) || *stop == '.'))
		stop++;
	call = stop < end && *stop == '(';
	back = end - stop > 4 && !memcmp(stop, " -> ", 4);
	if (stop - p > 4 && !memcmp(p, "sys_", 4) && (call || back))
		snprintf(name, DKT__TEXT_NAME, "sys_%s_%.*s", call ? "enter" : "exit",
			 (int)(stop - p - 4), p + 4);
	else if (memmem(p, line->text_len, " <-", 3) && stop > p)
		snprintf(name, DKT__TEXT_NAME, "function");
	else if (line->text_len > 11 && !memcmp(p, "<stack trace", 12))
		snprintf(name, DKT__TEXT_NAME, "kernel_stack");
	else if (line->text_len > 16 && !memcmp(p, "<user stack trace", 17))
		snprintf(name, DKT__TEXT_NAME, "user_stack");
}

static uint32_t hash(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 16777619u;
	return h;
}

static struct dkt__text_name *add_name(struct dkt__text_names *names, const char *name)
{
	struct dkt__text_name *added;

	if (dkt__append(names->list, names->n, (struct dkt__text_name){ 0 }))
		return NULL;
	added = &names->list[names->n - 1];
	snprintf(added->name, sizeof(added->name), "%s", name);
	return added;
}

struct dkt__text_name *dkt__text_get(struct dkt__text_names *names, const char *name)
{
	uint32_t slot = hash(name) % SLOTS;

	if (!names->slots)
		names->slots = calloc(SLOTS, sizeof(*names->slots));
	if (!names->slots)
		return NULL;
	for (; names->slots[slot]; slot = (slot + 1) % SLOTS)
		if (!strcmp(names->list[names->slots[slot] - 1].name, name))
			return &names->list[names->slots[slot] - 1];
	if (names->n == NAMES_MAX)
		return &names->list[0];
	names->slots[slot] = (uint32_t)names->n + 1;
	return add_name(names, name);
}

void dkt__text_names_clear(struct dkt__text_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->list[i].keys.list);
	free(names->list);
	free(names->slots);
	*names = (struct dkt__text_names){ 0 };
}

/* ---- formats ---- */

/* The formats from which the catalogue of events is made. */
struct list {
	struct dkt_ctx *ctx; /* keeps the texts */
	struct dkt__given *given;
	size_t n;
	uint8_t used[MAX_ID / 8]; /* a bit for each event ID */
};

static int list_add(struct list *list, const char *system, const char *text, size_t len)
{
	return dkt__given_add(list->ctx, &list->given, &list->n, system, text, len);
}

static int free_id(const struct list *list)
{
	int id = MAX_ID - 1;

	while (id > 0 && list->used[id / 8] & 1 << id % 8)
		id--;
	return id;
}

static void use_id(struct list *list, int id)
{
	if (id > 0 && id < MAX_ID)
		list->used[id / 8] |= (uint8_t)(1 << id % 8);
}

static bool has_word(const char *text, const char *word, size_t len)
{
	const char *p = text;

	for (; (p = memmem(p, strlen(p), word, len)); p++) {
		bool begins = p == text || !dkt__in_name(p[-1]);

		if (begins && !dkt__in_name(p[len]))
			return true;
	}
	return false;
}

/*
 * False for a field such as "\tfield:__data_loc char[] name;" that the print format does not use.
 * Common fields and the number of a system call are kept, because they are known without it.
 */
static bool is_kept(const char *line, const char *fmt)
{
	const char *end = strchr(line, ';'), *name;
	size_t len;

	if (strncmp(line, "\tfield:", 7) != 0 || !end || !fmt)
		return true;
	while (end > line && end[-1] == ']')
		while (end > line && *end != '[')
			end--;
	for (name = end; name > line && dkt__in_name(name[-1]);)
		name--;
	len = (size_t)(end - name);
	return !strncmp(name, "common_", 7) || (len == 12 && !memcmp(name, "__syscall_nr", len)) ||
	       has_word(fmt, name, len);
}

/* Constants that kernels leave as names in their print formats, and their values. */
static const struct {
	const char *name;
	const char *value;
} values[] = {
	{ "IOPRIO_CLASS_NONE", "0" }, { "IOPRIO_CLASS_RT", "1" },      { "IOPRIO_CLASS_BE", "2" },
	{ "IOPRIO_CLASS_IDLE", "3" }, { "IOPRIO_CLASS_INVALID", "7" },
};

static void put_line(struct dkt_buf *buf, const char *line)
{
	size_t i, n;

	for (; *line; line += n) {
		n = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
		for (i = 0; n && i < ARRAY_SIZE(values); i++)
			if (strlen(values[i].name) == n && !memcmp(line, values[i].name, n))
				break;
		if (n && i < ARRAY_SIZE(values)) {
			dkt_buf_str(buf, values[i].value);
			continue;
		}
		n = DKT__MAX(n, (size_t)1);
		dkt__buf_add(buf, line, n);
	}
}

int dkt__text_printed(struct dkt_event *event, struct dkt_buf *buf)
{
	char *text __cleanup(free) = NULL, *fmt __cleanup(free) = NULL, *line, *rest;
	size_t len;
	int err = dkt__event_text(event, &text, &len);

	if (err)
		return err == -ENOMEM ? err : 0;
	fmt = strstr(text, "print fmt:");
	fmt = fmt ? strdup(fmt) : NULL;
	for (rest = text; (line = strsep(&rest, "\n"));) {
		if (!is_kept(line, fmt))
			continue;
		put_line(buf, line);
		if (rest)
			dkt_buf_str(buf, "\n");
	}
	return buf->err;
}

/* Adds the format of an event of the tree. */
static int add_printed(struct list *list, struct dkt_event *event)
{
	struct dkt_buf buf = { 0 };
	int err = dkt__text_printed(event, &buf);

	if (!err && buf.len)
		err = list_add(list, dkt_event_system(event), buf.data, buf.len);
	use_id(list, dkt_event_id(event));
	free(buf.data);
	return err;
}

/* Adds a format with this ID, and frees the text. */
static int add_format(struct list *list, const char *system, int id, struct dkt_buf *text)
{
	int err = text->err ? -ENOMEM : list_add(list, system, text->data, text->len);

	use_id(list, id);
	free(text->data);
	return err;
}

/* Adds an event whose fields are the text of a line and those derived from it. */
static int add_plain(struct list *list, const struct dkt__text_name *name)
{
	struct dkt_buf buf = { 0 };
	int id = free_id(list);

	dkt_buf_printf(&buf,
		       "name: %s\nID: %d\n" DKT__FORMAT_COMMON
		       "\tfield:__data_loc char[] msg;\toffset:8;\tsize:4;\tsigned:1;\n",
		       name->name, id);
	dkt__derive_format(&name->keys, DKT__TEXT_KEYS, &buf);
	dkt_buf_str(&buf, "\nprint fmt: \"%s\", __get_str(msg)\n");
	return add_format(list, DKT__TEXT_SYSTEM, id, &buf);
}

/* True for the value of an argument that has a field: kernel 7.3 prints flags of open() as words. */
static bool is_value(const char *p, const char *end)
{
	const char *from = p;

	while (p < end && strchr("0123456789abcdefx", *p))
		p++;
	return p > from && (p == end || strchr(", )", *p));
}

/*
 * Appends the fields and the print format of "fd: 0x3, buf: 0x7f0, count: 0x10". They end before an argument that is a
 * word, because those after it are optional.
 */
static void put_arguments(const char *p, const char *end, struct dkt_buf *buf)
{
	struct dkt_buf print = { 0 }, given = { 0 };
	int n = 0;

	for (const char *colon; (colon = memmem(p, (size_t)(end - p), ": ", 2)); p = colon + 2) {
		const char *name = colon;

		while (name > p && dkt__in_name(name[-1]))
			name--;
		if (name == colon || (n && name[-1] != ' '))
			continue;
		if (!is_value(colon + 2, end))
			break;
		dkt_buf_printf(buf, "\tfield:unsigned long %.*s;\toffset:%d;\tsize:8;\tsigned:0;\n",
			       (int)(colon - name), name, 16 + 8 * n);
		dkt_buf_printf(&print, "%s%.*s: 0x%%08lx", n ? ", " : "", (int)(colon - name),
			       name);
		dkt_buf_printf(&given, ", REC->%.*s", (int)(colon - name), name);
		if (++n == CALL_ARGUMENTS)
			break;
	}
	dkt_buf_str(buf, "\nprint fmt: \"");
	dkt__buf_add(buf, print.data, print.len);
	dkt_buf_str(buf, "\"");
	dkt__buf_add(buf, given.data, given.len);
	dkt_buf_str(buf, "\n");
	buf->err = buf->err ? buf->err : print.err ? print.err : given.err;
	free(print.data);
	free(given.data);
}

bool dkt__text_has_decimals(const struct dkt__text_names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		const struct dkt__text_name *name = &names->list[i];

		if (!strncmp(name->name, "sys_enter_", 10) &&
		    memmem(name->line, name->line_len, ": 0x", 4))
			return true;
	}
	return false;
}

/* Adds the event of a system call, whose line has the names of its arguments. */
static int add_call(struct list *list, const struct dkt__text_name *name)
{
	const char *end = name->line + name->line_len;
	const char *open = memchr(name->line, '(', name->line_len);
	struct dkt_buf buf = { 0 };
	int id = free_id(list);

	dkt_buf_printf(&buf,
		       "name: %s\nID: %d\n" DKT__FORMAT_COMMON
		       "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n",
		       name->name, id);
	if (strncmp(name->name, "sys_enter_", 10) != 0)
		dkt_buf_str(&buf, "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n"
				  "print fmt: \"0x%lx\", REC->ret\n");
	else
		put_arguments(open ? open + 1 : name->line, end, &buf);
	return add_format(list, "syscalls", id, &buf);
}

static int add_row(struct list *list, const struct dkt__text_known *known)
{
	struct dkt_buf buf = { 0 };
	int id = free_id(list);

	dkt__text_known_format(known, id, &buf);
	return add_format(list, known->system, id, &buf);
}

static int add_of_tree(struct list *list, struct dkt_ctx *kernel, const char *name, size_t *found)
{
	struct dkt_event *const *all;
	int err = 0;
	size_t n;

	*found = 0;
	if (!kernel || dkt_events(kernel, &all, &n))
		return 0;
	for (size_t i = 0; !err && i < n && *found < DKT__TEXT_SAME; i++)
		if (!strcmp(dkt_event_name(all[i]), name)) {
			err = add_printed(list, all[i]);
			++*found;
		}
	return err;
}

static bool is_call(const char *name)
{
	return !strncmp(name, "sys_enter_", 10) || !strncmp(name, "sys_exit_", 9);
}

bool dkt__text_is_unknown(const struct dkt__text_name *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (!strcmp(own[i].name, name->name))
			return false;
	return !name->known && !is_call(name->name);
}

static int add_known(struct list *list, struct dkt_ctx *kernel, const struct dkt__text_name *name,
		     bool retval)
{
	size_t found;
	int err;

	if (retval && !strcmp(name->name, FUNCGRAPH_EXIT))
		return list_add(list, "ftrace", DKT__FORMAT_GRAPH_RETVAL,
				strlen(DKT__FORMAT_GRAPH_RETVAL));
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (!strcmp(own[i].name, name->name))
			return list_add(list, "ftrace", own[i].text, strlen(own[i].text));
	if (name->known)
		return add_row(list, name->known);
	err = add_of_tree(list, kernel, name->name, &found);
	if (err || found || !name->line)
		return err;
	return is_call(name->name) ? add_call(list, name) : 0;
}

/* Sets the events of each name, from the catalogue. */
static void bind(struct dkt_ctx *ctx, const struct list *list, struct dkt__text_names *names)
{
	struct dkt__text_name *text_name;

	for (size_t i = 0; i < list->n; i++) {
		const char *name = strstr(list->given[i].text, "name: ") + 6;
		char copy[DKT__TEXT_NAME];
		struct dkt_event *event;

		snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(name, "\n"), name);
		event = dkt_event_find(ctx, list->given[i].system, copy);
		text_name = dkt__text_get(names, copy);
		if (!event || !text_name)
			continue;
		if (!strcmp(list->given[i].system, DKT__TEXT_SYSTEM))
			text_name->plain = event;
		else if (text_name->n < DKT__TEXT_SAME)
			text_name->events[text_name->n++] = event;
	}
}

/* Keeps the IDs of the tree free: its events keep them. */
static void use_ids(struct list *list, struct dkt_ctx *kernel)
{
	struct dkt_event *const *all;
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		use_id(list, (int)dkt__line_u64(own[i].text, "ID: "));
	if (!kernel || dkt_events(kernel, &all, &n))
		return;
	for (size_t i = 0; i < n; i++)
		use_id(list, dkt_event_id(all[i]));
}

int dkt__text_formats(struct dkt_ctx *ctx, struct dkt__text_names *names, struct dkt_ctx *kernel)
{
	struct list list = { .ctx = ctx };
	int err = 0;

	use_ids(&list, kernel);
	for (size_t i = 0; !err && i < names->n; i++)
		err = add_known(&list, kernel, &names->list[i], names->retval);
	for (size_t i = 0; !err && i < names->n; i++)
		err = add_plain(&list, &names->list[i]);
	if (!err)
		err = dkt__events_given(ctx, list.given, list.n);
	if (!err)
		bind(ctx, &list, names);
	free(list.given);
	return err;
}
