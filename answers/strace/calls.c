/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joins the records at the begin and the end of system calls. */
#include "answers/strace/calls.h"

#include "answers/strace/events.h"
#include "answers/strace/exits.h"
#include "answers/strace/thread.h"
#include "lib/base/keymap.h"

/* Numbers of calls above this have no name on any machine, and share one kind. */
#define KINDS 1024

struct calls {
	struct dkt_ctx *ctx;
	struct calls_opts opts;
	struct call_events events;
	struct call_threads threads;
	struct call_exits exits;
	struct call_kind *by_number[KINDS + 1];
	struct call_kind **kinds;
	unsigned int n_kinds;
	uint64_t gaps; /* met so far */
	uint64_t now; /* time of the last record; for stacks */
	struct calls_info info;
};

/* ---- kinds ---- */

static struct call_kind *new_kind(struct calls *calls, int number)
{
	struct call_kind *kind = calloc(1, sizeof(*kind));

	if (!kind || dkt__append(calls->kinds, calls->n_kinds, kind)) {
		free(kind);
		return NULL;
	}
	kind->number = number;
	kind->index = calls->n_kinds - 1;
	kind->name = dkt_syscall_name(calls->ctx, number);
	kind->signature = kind->name ? call_signature(kind->name) : NULL;
	return kind;
}

static inline struct call_kind *find_kind(struct calls *calls, int number)
{
	unsigned int i = number < 0 || number >= KINDS ? KINDS : (unsigned int)number;

	if (dkt__unlikely(!calls->by_number[i]))
		calls->by_number[i] = new_kind(calls, i < KINDS ? number : -1);
	return calls->by_number[i];
}

/* ---- reports ---- */

static int report(struct calls *calls, struct call_thread *thread, enum call_state state)
{
	struct call *call = &thread->call;
	int err;

	call->state = state;
	thread->is_open = false;
	if (thread->is_reported)
		return 0;
	thread->is_reported = true;
	switch (state) {
	case CALL_ENDED:
		calls->info.ended++;
		break;
	case CALL_LOST:
		calls->info.lost++;
		break;
	case CALL_UNFINISHED:
		calls->info.unfinished++;
		break;
	case CALL_NO_BEGIN:
		calls->info.no_begin++;
		break;
	case CALL_NO_END:
		calls->info.no_end++;
		break;
	}
	if (!calls->opts.stacks)
		return calls->opts.call(calls->opts.data, call);
	call_stacks_run(&thread->stacks, calls->now);
	call->stacks = &thread->stacks;
	err = calls->opts.call(calls->opts.data, call);
	call_stacks_reset(&thread->stacks);
	return err;
}

static void select_by(const struct calls *calls, const struct dkt_record *record, struct call *call)
{
	enum call_verdict verdict =
		calls->opts.selects ? calls->opts.selects(calls->opts.data, record) : CALL_UNTOLD;

	call->selected |= verdict == CALL_SELECTED;
	call->refused |= verdict == CALL_REFUSED;
}

/* ---- begins ---- */

/* A bit for each of the families and streams that can have a record of the same call. */
static uint64_t source_bit(const struct call_event *event, const struct dkt_record *record)
{
	return UINT64_C(1) << (record->stream * 2 + event->raw) % 64;
}

static bool never_returns(const struct call_kind *kind)
{
	return kind->signature && kind->signature->returns == RETURN_NEVER;
}

static int begin(struct calls *calls, const struct call_event *event,
		 const struct dkt_record *record)
{
	struct call_thread *thread = call_threads_add(&calls->threads, record->pid);
	int number = (int)call_int(record, &event->number);
	uint64_t bit = source_bit(event, record);
	int err = 0;

	if (!thread || !find_kind(calls, number))
		return -ENOMEM;
	if (!call_int_has(record, &event->number))
		return 0;
	if (thread->is_open && thread->call.number == number && !(thread->sources & bit)) {
		thread->sources |= bit;
		return calls->opts.texts ? call_thread_texts(thread, event, record) : 0;
	}
	/* A perf.data file may have a record twice. */
	if (thread->is_open && thread->call.number == number && thread->call.begin == record->ts)
		return 0;
	calls->info.begins++;
	if (thread->is_open) {
		thread->call.lost = thread->gaps != calls->gaps;
		err = report(calls, thread, CALL_NO_END);
	}
	call_thread_begin(thread, event, record);
	call_stacks_reset(&thread->stacks);
	thread->call.number = number;
	thread->call.kind = find_kind(calls, number);
	select_by(calls, record, &thread->call);
	thread->sources = bit;
	thread->gaps = calls->gaps;
	if (calls->opts.texts)
		call_thread_take_texts(thread);
	if (!err && calls->opts.texts)
		err = call_thread_texts(thread, event, record);
	/* It stays open, so that its other record is not another call. */
	if (!err && never_returns(thread->call.kind)) {
		err = report(calls, thread, CALL_NO_END);
		thread->is_open = true;
		err = err ?: call_exits_call(&calls->exits, &thread->call);
	}
	return err;
}

/* ---- ends ---- */

/* The new thread returns from the call of its parent that created it. */
static bool is_child(const struct call_kind *kind, int64_t ret)
{
	return !ret && kind->name &&
	       (!strcmp(kind->name, "clone") || !strcmp(kind->name, "clone3") ||
		!strcmp(kind->name, "fork") || !strcmp(kind->name, "vfork"));
}

static int end_without_begin(struct calls *calls, struct call_thread *thread,
			     const struct dkt_record *record, int number, int64_t ret)
{
	bool lost = thread->gaps != calls->gaps || (!thread->is_known && calls->gaps);
	int err = 0;

	if (thread->is_open) {
		thread->call.lost = thread->gaps != calls->gaps;
		err = report(calls, thread, CALL_NO_END);
	}
	call_thread_begin(thread, NULL, record);
	memset(thread->call.texts, 0, sizeof(thread->call.texts));
	thread->call.number = number;
	thread->call.kind = find_kind(calls, number);
	select_by(calls, record, &thread->call);
	thread->call.begin = 0;
	thread->call.end = record->ts;
	thread->call.ret = ret;
	thread->call.lost = lost;
	thread->gaps = calls->gaps;
	if (!thread->call.kind)
		return -ENOMEM;
	if (is_child(thread->call.kind, ret))
		thread->is_reported = true;
	return err ? err : report(calls, thread, CALL_NO_BEGIN);
}

static int end(struct calls *calls, const struct call_event *event, const struct dkt_record *record)
{
	struct call_thread *thread = call_threads_add(&calls->threads, record->pid);
	int number = (int)call_int(record, &event->number);
	int64_t ret = (int64_t)call_int(record, &event->ret);
	uint64_t bit = source_bit(event, record);
	struct call *call;
	int err;

	if (!thread)
		return -ENOMEM;
	if (!call_int_has(record, &event->number) || !call_int_has(record, &event->ret))
		return 0;
	call = &thread->call;
	/* The end of the call before, from the other family, or the same record again. */
	if (!thread->is_open && thread->ended && call->number == number && call->ret == ret &&
	    (!(thread->ended & bit) || call->end == record->ts)) {
		thread->ended |= bit;
		return 0;
	}
	calls->info.ends++;
	/* A return from a signal handler has the number -1: it has restored the registers. */
	if (!thread->is_open || (number != call->number && number != -1)) {
		err = end_without_begin(calls, thread, record, number, ret);
	} else {
		call->end = record->ts;
		call->cpu = record->cpu;
		call->ret = ret;
		select_by(calls, record, call);
		call->lost = thread->gaps != calls->gaps;
		err = report(calls, thread, call->lost ? CALL_LOST : CALL_ENDED);
	}
	thread->ended = bit;
	thread->is_known = true;
	thread->gaps = calls->gaps;
	return err;
}

/* ---- threads ---- */

/* The thread of that ID can end no call any more. */
static int forget_thread(struct calls *calls, int32_t tid)
{
	struct call_thread *thread = call_threads_find(&calls->threads, tid);
	int err = 0;

	if (thread && thread->is_open) {
		thread->call.lost = thread->gaps != calls->gaps;
		err = report(calls, thread, CALL_NO_END);
	}
	if (thread)
		call_threads_remove(&calls->threads, tid);
	return err;
}

/* The execve that one thread began ends as a call of the process, whose other threads are gone. */
static int add_exec(struct calls *calls, const struct call_event *event,
		    const struct dkt_record *record)
{
	const int32_t tid = (int32_t)call_int(record, &event->tid);
	const int32_t old = (int32_t)call_int(record, &event->old_tid);
	int err;

	if (!call_int_has(record, &event->tid) || !call_int_has(record, &event->old_tid) ||
	    tid == old)
		return 0;
	call_exits_exec(&calls->exits, tid, old);
	err = forget_thread(calls, tid);
	return err ? err : call_threads_rename(&calls->threads, old, tid);
}

static int add_task(struct calls *calls, const struct call_event *event,
		    const struct dkt_record *record)
{
	struct call_task task = { .tid = (int32_t)call_int(record, &event->tid),
				  .parent = record->pid,
				  .flags = call_int(record, &event->flags),
				  .began = event->role == TASK_BEGINS,
				  .ts = record->ts,
				  .cpu = record->cpu,
				  .stream = record->stream };
	int err;

	if (!call_int_has(record, &event->tid))
		return 0;
	err = forget_thread(calls, task.tid);
	if (!err && task.began)
		err = call_exits_began(&calls->exits, &task);
	else if (!err)
		call_exits_ended(&calls->exits, &task);
	return err || !calls->opts.task ? err : calls->opts.task(calls->opts.data, &task);
}

static int add_texts(struct calls *calls, const struct call_event *event,
		     const struct dkt_record *record)
{
	struct call_thread *thread = call_threads_add(&calls->threads, record->pid);
	int number = (int)call_int(record, &event->number);

	if (!thread)
		return -ENOMEM;
	/* The probe is at the begin of the call: it comes just before or just after that record. */
	if (thread->is_open && thread->call.number == number && !thread->has_texts)
		return call_thread_texts(thread, event, record);
	return call_thread_next_texts(thread, event, record, number);
}

static int add_paths(struct calls *calls, const struct call_event *event,
		     const struct dkt_record *record)
{
	struct call_thread *thread = call_threads_add(&calls->threads, record->pid);

	return thread ? call_thread_paths(thread, event, record) : -ENOMEM;
}

/* ---- stacks ---- */

static int add_switch(struct calls *calls, const struct call_event *event,
		      const struct dkt_record *record)
{
	struct call_thread *next =
		call_threads_find(&calls->threads, (int32_t)call_int(record, &event->next_pid));
	struct call_thread *prev = record->pid ? call_threads_add(&calls->threads, record->pid) :
						 NULL;

	if (next)
		call_stacks_run(&next->stacks, record->ts);
	if (!record->pid)
		return 0;
	if (!prev)
		return -ENOMEM;
	/* The higher bits say that it would go on if it had a CPU. */
	if (call_int(record, &event->prev_state) & 0xff)
		call_stacks_sleep(&prev->stacks, record->ts);
	return 0;
}

static int add_stack(struct calls *calls, const struct call_event *event,
		     const struct dkt_record *record, bool late)
{
	struct call_thread *thread = call_threads_add(&calls->threads, record->pid);

	const struct call_stack *user;
	int err;

	if (!thread)
		return -ENOMEM;
	calls->info.stacks++;
	err = call_stacks_add(&thread->stacks, event, record, late);
	user = &thread->stacks.user;
	if (err || event->role != CALL_USER_STACK || !user->n || !calls->opts.user_stack)
		return err;
	return calls->opts.user_stack(calls->opts.data, record->pid, user->frames[0]);
}

/* The stacks that the record itself has, as a sample of perf does. */
static int add_carried(struct calls *calls, const struct dkt_record *record, bool late)
{
	struct dkt_record stack;
	int err = 0;

	for (size_t i = 0; !err && !dkt_record_stack(record, i, &stack); i++) {
		const struct call_event *event = call_events_find(&calls->events, stack.event);

		if (!event)
			return -ENOMEM;
		if (event->role == CALL_KERNEL_STACK || event->role == CALL_USER_STACK)
			err = add_stack(calls, event, &stack, late);
	}
	return err;
}

/* The event is neither a stack nor a switch: its thread runs. */
static void run(struct calls *calls, const struct dkt_record *record)
{
	struct call_thread *thread = call_threads_find(&calls->threads, record->pid);

	if (thread)
		call_stacks_run(&thread->stacks, record->ts);
}

/* ---- all ---- */

static int add(struct calls *calls, const struct call_event *event, const struct dkt_record *record)
{
	switch (event->role) {
	case CALL_BEGINS:
		return begin(calls, event, record);
	case CALL_ENDS:
		return end(calls, event, record);
	case CALL_TEXT:
		return calls->opts.texts ? add_texts(calls, event, record) : 0;
	case CALL_PROBE:
		return calls->opts.texts ? add_paths(calls, event, record) : 0;
	case TASK_BEGINS:
	case TASK_ENDS:
		return add_task(calls, event, record);
	case TASK_EXECS:
		return add_exec(calls, event, record);
	case SIGNAL_SENT:
	case SIGNAL_DELIVERED:
		return call_exits_signal(&calls->exits, event, record);
	case CALL_SWITCH:
		return calls->opts.stacks ? add_switch(calls, event, record) : 0;
	case CALL_KERNEL_STACK:
	case CALL_USER_STACK:
		return calls->opts.stacks ? add_stack(calls, event, record, false) : 0;
	case CALL_OTHER:
		break;
	}
	return 0;
}

static int add_with_stacks(struct calls *calls, const struct call_event *event,
			   const struct dkt_record *record)
{
	bool ends = event->role == CALL_ENDS;
	int err = 0;

	calls->now = record->ts;
	if (event->role < CALL_SWITCH)
		run(calls, record);
	if (ends && record->stacks)
		err = add_carried(calls, record, true);
	if (!err)
		err = add(calls, event, record);
	return err || ends || !record->stacks ? err : add_carried(calls, record, false);
}

int calls_add(struct calls *calls, const struct dkt_record *record)
{
	const struct call_event *event;

	if (dkt__unlikely(!record->event)) {
		calls->gaps++;
		call_exits_forget(&calls->exits);
		return 0;
	}
	event = call_events_find(&calls->events, record->event);
	if (!event)
		return -ENOMEM;
	return dkt__unlikely(calls->opts.stacks) ? add_with_stacks(calls, event, record) :
						   add(calls, event, record);
}

static int by_begin(const void *a, const void *b)
{
	const struct call_thread *x = *(struct call_thread *const *)a;
	const struct call_thread *y = *(struct call_thread *const *)b;

	return x->call.begin < y->call.begin ? -1 : x->call.begin > y->call.begin;
}

int calls_finish(struct calls *calls)
{
	struct call_thread **open __cleanup(free) = NULL, *thread;
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; !err && (thread = call_threads_at(&calls->threads, i)); i++)
		if (thread->is_open)
			err = dkt__append(open, n, thread);
	if (n)
		qsort(open, n, sizeof(*open), by_begin);
	for (size_t i = 0; !err && i < n; i++) {
		open[i]->call.lost = open[i]->gaps != calls->gaps;
		err = report(calls, open[i], CALL_UNFINISHED);
	}
	return err;
}

void calls_info(const struct calls *calls, struct calls_info *info)
{
	*info = calls->info;
}

int calls_new(struct dkt_ctx *ctx, const struct calls_opts *opts, struct calls **calls)
{
	*calls = calloc(1, sizeof(**calls));
	if (!*calls)
		return -ENOMEM;
	(*calls)->ctx = ctx;
	(*calls)->opts = *opts;
	return 0;
}

void calls_free(struct calls *calls)
{
	if (!calls)
		return;
	for (unsigned int i = 0; i < calls->n_kinds; i++)
		free(calls->kinds[i]);
	free(calls->kinds);
	call_threads_clear(&calls->threads);
	call_events_clear(&calls->events);
	call_exits_clear(&calls->exits);
	free(calls);
}
