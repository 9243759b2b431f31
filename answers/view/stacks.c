/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts distinct call stacks by their bytes; names are looked up once for each of them. */
#include "answers/view/stacks.h"

#include <inttypes.h>

void stacks_init(struct stacks *stacks)
{
	*stacks = (struct stacks){ .frames_map.n_words = 2,
				   .counts_map.n_words = 3,
				   .pending_map.n_words = 1,
				   .off_map.n_words = 1 };
}

void stacks_clear(struct stacks *stacks)
{
	for (uint32_t i = 0; i < stacks->n_counts; i++)
		free(stacks->counts[i].text);
	free(stacks->frames);
	free(stacks->counts);
	free(stacks->pending);
	free(stacks->off);
	dkt__keymap_clear(&stacks->frames_map);
	dkt__keymap_clear(&stacks->counts_map);
	dkt__keymap_clear(&stacks->pending_map);
	dkt__keymap_clear(&stacks->off_map);
	dkt__arena_free(&stacks->bytes);
}

/* ---- distinct stacks ---- */

static uint64_t hash(const struct dkt_record *record)
{
	const uint8_t *p = record->data;
	uint64_t h = record->size, word;
	uint32_t i = 0;

	for (; record->size - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, p + i, sizeof(word));
		h = dkt__mix(h, word);
	}
	for (; i < record->size; i++)
		h = dkt__mix(h, p[i]);
	return h;
}

/* The header of a record differs in each; the frames follow it. */
#define HEADER 8

/* Sets *nr to the number of the frames, plus 1; 0: there are too many different ones. */
static int find_frames(struct stacks *stacks, const struct dkt_record *stack, uint32_t *nr)
{
	struct dkt_record body = *stack;
	uint64_t key[2];
	bool added = true;

	*nr = 0;
	if (stack->size <= HEADER)
		return 0;
	body.data = (const uint8_t *)stack->data + HEADER;
	body.size -= HEADER;
	key[0] = hash(&body) ^ (uintptr_t)stack->event;
	for (key[1] = 0;; key[1]++) {
		const struct stack_frames *had;
		uint32_t entry = dkt__keymap_find(&stacks->frames_map, key);

		if (entry == DKT__KEYMAP_NONE)
			break;
		had = &stacks->frames[entry];
		*nr = entry + 1;
		if (had->size == stack->size && had->event == stack->event &&
		    !memcmp((const uint8_t *)had->data + HEADER, body.data, body.size))
			return 0;
	}
	*nr = 0;
	if (stacks->n_frames >= STACKS_MAX)
		return 0;
	*nr = dkt__keymap_add(&stacks->frames_map, key, &added) + 1;
	if (!*nr)
		return -ENOMEM;
	return dkt__append(stacks->frames, stacks->n_frames, (struct stack_frames){ stack->event, dkt__arena_strndup(&stacks->bytes, stack->data, stack->size), stack->size }) ?:
		       (stacks->frames[*nr - 1].data ? 0 : -ENOMEM);
}

static int count(struct stacks *stacks, const struct stack_pending *pending, uint32_t *nr)
{
	const uint64_t key[] = { (uintptr_t)pending->event, (uintptr_t)pending->comm,
				 (uint64_t)pending->kernel << 32 | pending->user };
	bool added;
	int err = 0;

	*nr = dkt__keymap_add(&stacks->counts_map, key, &added);
	if (*nr == DKT__KEYMAP_NONE)
		return -ENOMEM;
	if (added)
		err = dkt__append(stacks->counts, stacks->n_counts,
				  (struct stack_count){ .event = pending->event,
							.part = pending->part,
							.comm = pending->comm,
							.kernel = pending->kernel,
							.user = pending->user });
	if (!err)
		stacks->counts[*nr].count++;
	return err;
}

/* ---- processes that do not run ---- */

static struct stack_off *find_off(struct stacks *stacks, size_t part, int32_t pid, bool create)
{
	uint64_t key = (uint64_t)part << 32 | (uint32_t)pid;
	bool added = false;
	uint32_t nr = create ? dkt__keymap_add(&stacks->off_map, &key, &added) :
			       dkt__keymap_find(&stacks->off_map, &key);

	if (nr == DKT__KEYMAP_NONE)
		return NULL;
	return dkt__reach(stacks->off, stacks->n_off, nr);
}

static int add_switch(struct stacks *stacks, const struct rates_event *event,
		      const struct dkt_record *record)
{
	int32_t prev = (int32_t)dkt_record_int(record, event->sched.prev_pid);
	int32_t next = (int32_t)dkt_record_int(record, event->sched.next_pid);
	struct stack_off *off = next ? find_off(stacks, event->part, next, false) : NULL;

	if (off && off->since) {
		if (off->count)
			stacks->counts[off->count - 1].off += record->ts - off->since;
		else
			off->slept = record->ts - off->since;
		off->since = off->slept ? off->since : 0;
	}
	if (!prev)
		return 0;
	off = find_off(stacks, event->part, prev, true);
	if (!off)
		return -ENOMEM;
	*off = (struct stack_off){ .since = record->ts };
	return 0;
}

/* The stack of a sched_switch is complete: the process sleeps in it. */
static void set_off(struct stacks *stacks, const struct stack_pending *pending, uint32_t nr)
{
	struct stack_off *off = find_off(stacks, pending->event->part, pending->prev_pid, false);

	if (!off || off->since != pending->ts)
		return;
	stacks->counts[nr].off += off->slept;
	*off = (struct stack_off){ .since = off->slept ? 0 : off->since, .count = nr + 1 };
}

/* ---- records ---- */

static int end_pending(struct stacks *stacks, struct stack_pending *pending)
{
	uint32_t nr;
	int err = 0;

	if (pending->kernel || pending->user)
		err = count(stacks, pending, &nr);
	if (!err && (pending->kernel || pending->user) && pending->event &&
	    pending->event->sched.prev_pid)
		set_off(stacks, pending, nr);
	*pending = (struct stack_pending){ 0 };
	return err;
}

static struct stack_pending *find_pending(struct stacks *stacks, size_t part, uint32_t cpu)
{
	uint64_t key = (uint64_t)part << 32 | cpu;
	bool added;
	uint32_t nr = dkt__keymap_add(&stacks->pending_map, &key, &added);

	return nr == DKT__KEYMAP_NONE ? NULL : dkt__reach(stacks->pending, stacks->n_pending, nr);
}

/* comm: of the stack's process, if the event before it is missing. */
static int add_stack(struct stacks *stacks, struct stack_pending *pending, const char *comm,
		     uint32_t part, const struct dkt_record *stack, bool user)
{
	uint32_t *place = user ? &pending->user : &pending->kernel;
	int err = 0;

	if (*place || (pending->comm && pending->pid != stack->pid))
		err = end_pending(stacks, pending);
	if (!pending->comm) {
		pending->comm = comm;
		pending->pid = stack->pid;
		pending->part = part;
	}
	stacks->any = true;
	if (!err)
		err = find_frames(stacks, stack, place);
	stacks->dropped += !err && !*place;
	return err;
}

/* The stacks that a record of perf carries. */
static int add_carried(struct stacks *stacks, struct stack_pending *pending,
		       const struct dkt_record *record)
{
	struct dkt_record stack;
	int err = 0;

	for (size_t i = 0; !err && !dkt_record_stack(record, i, &stack); i++)
		err = add_stack(stacks, pending, pending->comm, pending->part, &stack,
				!strcmp(dkt_event_name(stack.event), "user_stack"));
	return err;
}

int stacks_add(struct stacks *stacks, const struct rates_event *event, size_t part,
	       struct dkt_source *source, const struct dkt_record *record)
{
	struct stack_pending *pending = find_pending(stacks, part, record->cpu);
	int err;

	if (!pending)
		return -ENOMEM;
	if (event && event->is_stack)
		return add_stack(stacks, pending, dkt_source_comm(source, record), (uint32_t)part,
				 record, event->is_user_stack);
	err = end_pending(stacks, pending);
	if (err)
		return err;
	if (!event) {
		/* A switch may be lost: nobody is known to sleep. */
		dkt__keymap_empty(&stacks->off_map);
		if (stacks->n_off)
			memset(stacks->off, 0, stacks->n_off * sizeof(*stacks->off));
		return 0;
	}
	*pending = (struct stack_pending){ .event = event,
					   .comm = dkt_source_comm(source, record),
					   .pid = record->pid,
					   .part = (uint32_t)part,
					   .ts = record->ts };
	if (event->sched.prev_pid) {
		pending->prev_pid = (int32_t)dkt_record_int(record, event->sched.prev_pid);
		err = add_switch(stacks, event, record);
	}
	return err || !record->stacks ? err : add_carried(stacks, pending, record);
}

/* ---- names ---- */

static int fold_frames(struct stacks *stacks, uint32_t nr, const char *comm,
		       struct dkt_style *style, struct dkt_buf *buf)
{
	const struct stack_frames *frames = &stacks->frames[nr - 1];
	struct dkt_record record = { .event = frames->event,
				     .data = frames->data,
				     .size = frames->size };

	return nr ? dkt_style_record(style, &record, comm, buf) : 0;
}

#define NUMBER_SIZE 12

/* Feeds one stack into the style. The name of its process is its number, to find its line again. */
static int fold(struct stacks *stacks, uint32_t i, struct dkt_style *style, char *number,
		struct dkt_buf *buf)
{
	const struct stack_count *stack = &stacks->counts[i];
	struct dkt_record record = { .event = stack->event ? stack->event->event : NULL };
	int err = 0;

	snprintf(number, NUMBER_SIZE, "%" PRIu32, i);
	if (record.event)
		err = dkt_style_record(style, &record, number, buf);
	if (!err && stack->user)
		err = fold_frames(stacks, stack->user, number, style, buf);
	if (!err && stack->kernel)
		err = fold_frames(stacks, stack->kernel, number, style, buf);
	return err;
}

/* Takes "EVENT;NUMBER;FRAMES COUNT" apart. */
static int take_line(struct stacks *stacks, const char *line, size_t len)
{
	const char *number = memchr(line, ';', len), *frames, *space = memrchr(line, ' ', len);
	struct stack_count *stack;
	char *end;
	unsigned long nr;
	FILE *f;
	size_t size;

	if (!number || !space)
		return 0;
	nr = strtoul(number + 1, &end, 10);
	frames = end;
	if (nr >= stacks->n_counts || frames > space)
		return 0;
	stack = &stacks->counts[nr];
	free(stack->text);
	f = open_memstream(&stack->text, &size);
	if (!f)
		return -ENOMEM;
	fprintf(f, "%.*s;", (int)(number - line), line);
	for (const char *p = stack->comm ? stack->comm : "<...>"; *p; p++)
		fputc(*p == ';' ? '_' : *p, f);
	fwrite(frames, 1, (size_t)(space - frames), f);
	return fclose(f) ? -ENOMEM : 0;
}

static int take_lines(struct stacks *stacks, const struct dkt_buf *buf)
{
	size_t len;
	const char *p = dkt_buf_data(buf, &len), *end = p + len, *newline;
	int err = 0;

	for (; !err && p < end && (newline = memchr(p, '\n', (size_t)(end - p))); p = newline + 1)
		err = take_line(stacks, p, (size_t)(newline - p));
	return err;
}

/* The style knows the symbols of one kernel. */
static int name_part(struct stacks *stacks, struct pipeline *p, size_t part)
{
	struct dkt_style *style = NULL;
	struct dkt_buf *buf = NULL;
	/* The style needs a different address for each name. */
	char(*numbers)[NUMBER_SIZE] __cleanup(free) =
		calloc(stacks->n_counts + 1, sizeof(*numbers));
	int err = numbers ? dkt_buf_new(&buf) : -ENOMEM;

	if (!err)
		err = dkt_style_new(p->parts[part].ctx, "folded", NULL, &style);
	for (uint32_t i = 0; !err && i < stacks->n_counts; i++)
		if (stacks->counts[i].part == part)
			err = fold(stacks, i, style, numbers[i], buf);
	if (!err)
		err = dkt_style_end(style, buf);
	if (!err)
		err = take_lines(stacks, buf);
	dkt_style_free(style);
	dkt_buf_free(buf);
	return err;
}

int stacks_finish(struct stacks *stacks, struct pipeline *p)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < stacks->n_pending; i++)
		err = end_pending(stacks, &stacks->pending[i]);
	for (size_t i = 0; !err && stacks->any && i < p->n; i++)
		err = name_part(stacks, p, i);
	return dkl_pipeline_fail(p, err);
}
