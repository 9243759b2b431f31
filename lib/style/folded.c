/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The folded style, input of flame graphs: one line for each distinct stack, with its count. A
 * stack belongs to the preceding event of the same CPU and thread; the kernel's stack comes before
 * the user's. "EVENT;COMM;OUTERMOST;...;INNERMOST COUNT".
 */
#include <search.h>

#include "lib/style.h"

#define MAX_FRAMES 256 /* more than the kernel records */
#define MAX_CPUS   65536

/* A CPU's last event, and its stacks so far. */
struct pending {
	const struct dkt_event *event; /* NULL: missing */
	int32_t pid;
	char *comm;
	char *kernel; /* frames, each after a semicolon; NULL: no stack */
	char *user;
};

struct stack {
	uint64_t count;
	char text[];
};

struct folded {
	struct dkt_style base;
	struct pending *pending; /* by CPU */
	uint32_t n_pending;
	void *stacks; /* tree of struct stack by text */
	struct stack **list; /* all of them */
	size_t n_stacks;
	struct dkt_buf *text; /* of the current stack */
};

/* ---- counts ---- */

static int stack_cmp(const void *a, const void *b)
{
	return strcmp(((const struct stack *)a)->text, ((const struct stack *)b)->text);
}

static int add_count(struct folded *folded, const char *text, size_t len, uint64_t count)
{
	struct stack *stack = malloc(sizeof(*stack) + len + 1), **found;
	int err = 0;

	if (!stack)
		return -ENOMEM;
	stack->count = 0;
	memcpy(stack->text, text, len);
	stack->text[len] = '\0';
	found = tsearch(stack, &folded->stacks, stack_cmp);
	if (!found || *found != stack)
		free(stack);
	else
		err = dkt__append(folded->list, folded->n_stacks, stack);
	if (!found)
		return -ENOMEM;
	(*found)->count += count;
	return err;
}

/* ---- frames ---- */

/* Replaces characters that would end a name or the line: semicolon, space, newline. */
static void clean_name(struct dkt_buf *buf, size_t from)
{
	for (size_t i = from; i < buf->len; i++)
		if (buf->data[i] == ';' || (unsigned char)buf->data[i] <= ' ')
			buf->data[i] = '_';
	dkt__buf_escape(buf, from);
}

static void add_name(struct dkt_buf *buf, const char *name)
{
	size_t from = buf->len;

	dkt_buf_str(buf, name);
	clean_name(buf, from);
}

static void add_address(const struct dkt_style *style, struct dkt_buf *buf, uint64_t address,
			bool user)
{
	uint64_t offset;
	const char *name = dkt__stack_symbol(style->ctx, address, user, &offset);
	size_t from;

	/* A file is one frame, whichever of its functions without names it was. */
	dkt__buf_add(buf, ";", 1);
	from = buf->len;
	dkt__style_put_symbol(buf, name, address);
	clean_name(buf, from);
}

/* Returns the frames of a stack record, the outermost first; the caller frees it. NULL: no memory. */
static char *fold(struct folded *folded, const struct dkt_record *record,
		  const struct dkt__column *column, bool user)
{
	struct dkt_buf *buf = folded->text;
	uint64_t addresses[MAX_FRAMES];
	uint32_t at = column->bytes.offset, n = 0;

	for (; n < MAX_FRAMES && at < record->size && record->size - at >= column->element;
	     at += column->element) {
		addresses[n] = dkt__load_at((const uint8_t *)record->data + at, column->load);
		if (!dkt__is_caller(addresses[n]))
			break;
		n++;
	}
	dkt_buf_reset(buf);
	while (n--)
		add_address(&folded->base, buf, addresses[n], user);
	return buf->err ? NULL : strndup(buf->len ? buf->data : "", buf->len);
}

/* ---- events and their stacks ---- */

static void pending_clear(struct pending *pending)
{
	free(pending->comm);
	free(pending->kernel);
	free(pending->user);
	*pending = (struct pending){ 0 };
}

/* Counts the stacks of the CPU's last event once they are complete. */
static int pending_end(struct folded *folded, struct pending *pending)
{
	struct dkt_buf *buf = folded->text;
	int err = 0;

	dkt_buf_reset(buf);
	if (pending->kernel || pending->user) {
		add_name(buf, pending->event ? pending->event->name : "-");
		dkt__buf_add(buf, ";", 1);
		add_name(buf, pending->comm ? pending->comm : "<...>");
		dkt_buf_str(buf, pending->user ? pending->user : "");
		dkt_buf_str(buf, pending->kernel ? pending->kernel : "");
		err = buf->err ? buf->err : add_count(folded, buf->data, buf->len, 1);
	}
	pending_clear(pending);
	return err;
}

static struct pending *pending_of(struct folded *folded, uint32_t cpu)
{
	return cpu < MAX_CPUS ? dkt__reach(folded->pending, folded->n_pending, cpu) : NULL;
}

/* Adds a stack to the event before it; without one, the stack is counted on its own. */
static int add_stack(struct folded *folded, struct pending *pending,
		     const struct dkt_record *record, const char *comm,
		     const struct dkt__column *column)
{
	bool user = dkt__stack_is_user(record->event);
	char **frames = user ? &pending->user : &pending->kernel;
	int err = 0;

	if (*frames || pending->pid != record->pid)
		err = pending_end(folded, pending);
	if (err)
		return err;
	pending->pid = record->pid;
	if (!pending->comm)
		pending->comm = strdup(comm);
	*frames = fold(folded, record, column, user);
	return *frames && pending->comm ? 0 : -ENOMEM;
}

static int add_lost(struct folded *folded, const struct dkt_record *record)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "[lost];cpu_%u", record->cpu);

	return add_count(folded, text, (size_t)n,
			 record->lost == DKT_LOST_UNKNOWN ? 1 : record->lost);
}

static int folded_record(struct dkt_style *style, const struct dkt_record *record, const char *comm,
			 struct dkt_buf *buf)
{
	struct folded *folded = (struct folded *)style;
	struct pending *pending = pending_of(folded, record->cpu);
	const struct dkt__form *form;
	int err;

	(void)buf;
	if (!pending)
		return -ENOMEM;
	if (!record->event) {
		err = pending_end(folded, pending);
		return err ? err : add_lost(folded, record);
	}
	form = dkt__style_form(style, record->event);
	if (!form)
		return -ENOMEM;
	if (form->data)
		return add_stack(folded, pending, record, comm, form->data);
	err = pending_end(folded, pending);
	pending->event = record->event;
	pending->pid = record->pid;
	pending->comm = strdup(comm);
	return pending->comm ? err : -ENOMEM;
}

/* Sets form->data to the column of addresses if the event is a stack. */
static int folded_learn(struct dkt_style *style, struct dkt__form *form)
{
	(void)style;
	for (uint32_t i = 0; i < form->n; i++)
		if (form->columns[i].kind == DKT__COLUMN_STACK)
			form->data = &form->columns[i];
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return stack_cmp(*(struct stack *const *)a, *(struct stack *const *)b);
}

static void put_stack(const struct stack *stack, struct dkt_buf *buf)
{
	dkt_buf_str(buf, stack->text);
	dkt__buf_add(buf, " ", 1);
	dkt__buf_u64(buf, stack->count, 0, ' ');
	dkt__buf_add(buf, "\n", 1);
}

static int folded_end(struct dkt_style *style, struct dkt_buf *buf)
{
	struct folded *folded = (struct folded *)style;
	int err = 0;

	for (uint32_t i = 0; i < folded->n_pending && !err; i++)
		err = pending_end(folded, &folded->pending[i]);
	if (folded->n_stacks)
		qsort(folded->list, folded->n_stacks, sizeof(*folded->list), by_text);
	for (size_t i = 0; i < folded->n_stacks; i++)
		put_stack(folded->list[i], buf);
	return err ? err : buf->err;
}

static int folded_open(struct dkt_style *style)
{
	/* Chosen fields must not hide the stacks. */
	style->opts.n_fields = 0;
	return dkt_buf_new(&((struct folded *)style)->text);
}

static void folded_close(struct dkt_style *style)
{
	struct folded *folded = (struct folded *)style;

	for (uint32_t i = 0; i < folded->n_pending; i++)
		pending_clear(&folded->pending[i]);
	free(folded->pending);
	tdestroy(folded->stacks, free);
	free(folded->list);
	dkt_buf_free(folded->text);
}

const struct dkt__style_ops dkt__style_folded_ops = {
	.name = "folded",
	.words = "stacks with their counts, for flame graphs",
	.traits = DKT_STYLE_DATA | DKT_STYLE_ORDER,
	.size = sizeof(struct folded),
	.open = folded_open,
	.learn = folded_learn,
	.record = folded_record,
	.end = folded_end,
	.close = folded_close,
};
