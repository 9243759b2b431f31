/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads that make system calls: the last call of each. */
#include "answers/strace/thread.h"

/* A path has at most 4096 bytes, and no record more than a page. */
#define TEXT_MAX 4096

/* ---- the table ---- */

static uint64_t key_of(int32_t tid)
{
	return (uint32_t)tid;
}

struct call_thread *call_threads_find(const struct call_threads *threads, int32_t tid)
{
	uint64_t key = key_of(tid);
	uint32_t entry = threads->map.n ? dkt__keymap_find(&threads->map, &key) : DKT__KEYMAP_NONE;

	return entry == DKT__KEYMAP_NONE ? NULL : threads->list[entry];
}

struct call_thread *call_threads_at(const struct call_threads *threads, size_t i)
{
	return i < threads->n ? threads->list[i] : NULL;
}

struct call_thread *call_threads_create(struct call_threads *threads, int32_t tid)
{
	uint64_t key = key_of(tid);
	struct call_thread *thread;
	uint32_t entry;
	bool added;

	threads->map.n_words = 1;
	entry = dkt__keymap_add(&threads->map, &key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return NULL;
	if (entry == threads->n) {
		thread = calloc(1, sizeof(*thread));
		if (!thread || dkt__append(threads->list, threads->n, thread)) {
			free(thread);
			dkt__keymap_remove(&threads->map, &key);
			return NULL;
		}
	}
	thread = threads->list[entry];
	thread->call.tid = tid;
	threads->near[(uint32_t)tid % CALL_THREADS_NEAR] = thread;
	return thread;
}

static void clear_thread(struct call_thread *thread)
{
	call_stacks_clear(&thread->stacks);
	for (unsigned int i = 0; i < CALL_ARGS; i++) {
		free(thread->texts[i]);
		free(thread->next[i]);
	}
}

/* Its place stays for another thread. */
static void forget(struct call_threads *threads, struct call_thread *thread, int32_t tid)
{
	uint64_t key = key_of(tid);

	dkt__keymap_remove(&threads->map, &key);
	*thread = (struct call_thread){ 0 };
	threads->near[(uint32_t)tid % CALL_THREADS_NEAR] = NULL;
}

void call_threads_remove(struct call_threads *threads, int32_t tid)
{
	struct call_thread *thread = call_threads_find(threads, tid);

	if (!thread)
		return;
	clear_thread(thread);
	forget(threads, thread, tid);
}

int call_threads_rename(struct call_threads *threads, int32_t tid, int32_t to)
{
	struct call_thread *thread = call_threads_find(threads, tid), *renamed;

	if (!thread)
		return 0;
	renamed = call_threads_create(threads, to);
	if (!renamed)
		return -ENOMEM;
	*renamed = *thread;
	renamed->call.tid = to;
	forget(threads, thread, tid);
	return 0;
}

void call_threads_clear(struct call_threads *threads)
{
	for (size_t i = 0; i < threads->n; i++) {
		clear_thread(threads->list[i]);
		free(threads->list[i]);
	}
	free(threads->list);
	dkt__keymap_clear(&threads->map);
	*threads = (struct call_threads){ 0 };
}

/* ---- a call ---- */

void call_thread_begin(struct call_thread *thread, const struct call_event *event,
		       const struct dkt_record *record)
{
	struct call *call = &thread->call;
	unsigned int n = event ? event->n_args : 0;

	call->cpu = record->cpu;
	call->stream = record->stream;
	call->begin = record->ts;
	call->end = 0;
	call->ret = 0;
	call->lost = false;
	call->selected = false;
	call->refused = false;
	call->n_args = 0;
	for (unsigned int i = 0; i < n && call_int_has(record, &event->args[i]); i++) {
		call->args[i] = call_int(record, &event->args[i]);
		call->n_args++;
	}
	thread->is_open = event;
	thread->is_reported = false;
	thread->is_known = true;
	thread->ended = 0;
}

void call_thread_take_texts(struct call_thread *thread)
{
	struct call *call = &thread->call;

	memset(call->texts, 0, sizeof(call->texts));
	thread->has_texts = thread->before == (int64_t)call->number + 1 ||
			    (thread->before_name && call->kind->name &&
			     !strcmp(thread->before_name, call->kind->name));
	thread->before = 0;
	thread->before_name = NULL;
	for (unsigned int i = 0; thread->has_texts && i < CALL_ARGS; i++) {
		free(thread->texts[i]);
		thread->texts[i] = thread->next[i];
		thread->next[i] = NULL;
		call->texts[i] = thread->texts[i];
	}
}

/* A string without even its end could not be read by the kernel: it stays NULL. */
static int keep(const struct dkt_record *record, const struct dkt_field *field, char **text)
{
	size_t len = 0;
	const char *bytes = field ? dkt_record_bytes(record, field, &len) : NULL;

	free(*text);
	*text = len ? strndup(bytes, DKT__MIN(len, TEXT_MAX)) : NULL;
	return len && !*text ? -ENOMEM : 0;
}

int call_thread_texts(struct call_thread *thread, const struct call_event *event,
		      const struct dkt_record *record)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < CALL_ARGS; i++) {
		if (!event->texts[i])
			continue;
		err = keep(record, event->texts[i], &thread->texts[i]);
		thread->call.texts[i] = thread->texts[i];
		thread->has_texts = true;
	}
	return err;
}

static int keep_paths(const struct call_event *event, const struct dkt_record *record,
		      const struct call_signature *signature, char **texts)
{
	unsigned int n = 0;
	int err = 0;

	/* Those of an earlier call may be there. */
	for (unsigned int i = 0; i < CALL_ARGS; i++) {
		free(texts[i]);
		texts[i] = NULL;
	}
	for (unsigned int i = 0; !err && i < CALL_ARGS && n < CALL_ARGS && event->paths[n]; i++)
		if (signature->args[i] == ARG_PATH)
			err = keep(record, event->paths[n++], &texts[i]);
	return err;
}

static bool is_of(const struct call_event *event, const struct call_kind *kind)
{
	if (!kind->signature)
		return false;
	if (*event->call)
		return !strcmp(kind->name, event->call);
	return kind->signature->returns == RETURN_FD &&
	       (!strncmp(kind->name, "open", 4) || !strcmp(kind->name, "creat"));
}

/* A function of the kernel runs within its call, one of a library before it. */
int call_thread_paths(struct call_thread *thread, const struct call_event *event,
		      const struct dkt_record *record)
{
	const bool within = thread->is_open && is_of(event, thread->call.kind);
	int err;

	if (within && !thread->has_texts) {
		err = keep_paths(event, record, thread->call.kind->signature, thread->texts);
		for (unsigned int i = 0; i < CALL_ARGS; i++)
			thread->call.texts[i] = thread->texts[i];
		thread->has_texts = true;
		return err;
	}
	if (within || thread->is_open || !*event->call)
		return 0;
	thread->before = 0;
	thread->before_name = event->call;
	return keep_paths(event, record, call_signature(event->call), thread->next);
}

int call_thread_next_texts(struct call_thread *thread, const struct call_event *event,
			   const struct dkt_record *record, int number)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < CALL_ARGS; i++)
		err = keep(record, event->texts[i], &thread->next[i]);
	thread->before = (int64_t)number + 1;
	thread->before_name = NULL;
	return err;
}
