/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The way of each call of a program through Lustre. */
#include "compat/lustre_log/paths.h"

#include "compat/lustre_log/call_text.h"
#include "compat/lustre_log/path_state.h"
#include "lib/base/memory.h"

/* A call without a known end is over if its thread waits for nothing and writes nothing for so long, in ns. */
#define SILENT_NS UINT64_C(1000000000)

static int ended(void *data, const struct rpc *rpc);

int dkl_paths_init(struct paths *paths, struct dkt_ctx *ctx, enum path_by by,
		   const struct path_wants *wants, size_t slowest, size_t singles)
{
	static const enum rpc_by none[RPC_KEYS] = { RPC_BY_NONE, RPC_BY_NONE };
	int err;

	*paths = (struct paths){ .ctx = ctx,
				 .wants = *wants,
				 .by = by,
				 .threads = { .keys.n_words = 2,
					      .size = sizeof(struct path_thread) },
				 .works = { .keys.n_words = 1, .size = sizeof(struct path_work) },
				 .calls = { .keys.n_words = 1, .size = sizeof(struct path_call) },
				 .group_map.n_words = 1,
				 .most_slowest = slowest };
	err = dkl_rpcs_init(&paths->rpcs, ctx, none, singles);
	paths->rpcs.ended = ended;
	paths->rpcs.data = paths;
	if (!err)
		err = dkl_locks_init(&paths->locks, ctx, singles);
	if (!err)
		err = dkl_path_events_new(ctx, &paths->events);
	paths->slowest = calloc(slowest + 1, sizeof(*paths->slowest));
	return err || paths->slowest ? err : dkt__no_memory(ctx);
}

void dkl_path_call_clear(struct path_call *call)
{
	for (size_t i = 0; i < call->n; i++)
		dkl_path_spans_clear(&call->requests[i].spans);
	free(call->requests);
	dkl_path_spans_clear(&call->grants);
	*call = (struct path_call){ 0 };
}

void dkl_paths_clear(struct paths *paths)
{
	for (uint32_t i = 0; i < paths->calls.n_values; i++)
		dkl_path_call_clear(dkt__keyed_at(&paths->calls, i));
	for (uint32_t i = 0; i < paths->works.n_values; i++) {
		struct path_work *work = dkt__keyed_at(&paths->works, i);

		dkl_path_spans_clear(&work->served);
	}
	for (size_t i = 0; i < paths->n_groups; i++) {
		dkt__dist_clear(&paths->groups[i].whole);
		for (size_t j = 0; j < PATH_PARTS; j++)
			dkt__dist_clear(&paths->groups[i].parts[j]);
	}
	for (size_t i = 0; i < paths->n_slowest; i++)
		dkl_path_spans_clear(&paths->slowest[i].spans);
	free(paths->slowest);
	free(paths->groups);
	dkt__keymap_clear(&paths->group_map);
	dkt__keyed_clear(&paths->threads);
	dkt__keyed_clear(&paths->works);
	dkt__keyed_clear(&paths->calls);
	dkl_path_events_free(paths->events);
	dkl_rpcs_clear(&paths->rpcs);
	dkl_locks_clear(&paths->locks);
	*paths = (struct paths){ 0 };
}

/* ---- threads, calls and requests ---- */

struct path_thread *dkl_path_thread(const struct paths *paths, uint32_t host, int32_t pid)
{
	return dkt__keyed_find(&paths->threads, (uint64_t[]){ host, (uint32_t)pid });
}

struct path_thread *dkl_path_thread_add(struct paths *paths, uint32_t host, int32_t pid)
{
	bool added = false;
	struct path_thread *thread =
		dkt__keyed_add(&paths->threads, (uint64_t[]){ host, (uint32_t)pid }, &added);

	if (thread && added)
		*thread = (struct path_thread){ 0 };
	return thread;
}

struct path_work *dkl_path_work(const struct paths *paths, uint64_t serial)
{
	return dkt__keyed_find(&paths->works, &serial);
}

static struct path_work *add_work(struct paths *paths, uint64_t serial)
{
	bool added = false;
	struct path_work *work = dkt__keyed_add(&paths->works, &serial, &added);

	if (work && added)
		*work = (struct path_work){ 0 };
	return work;
}

struct path_call *dkl_path_call(const struct paths *paths, uint64_t number)
{
	return dkt__keyed_find(&paths->calls, &number);
}

/* Ends the call, and makes its path if nothing is missing. */
static int end_call(struct paths *paths, uint64_t number)
{
	struct path_call *call = dkl_path_call(paths, number);

	if (!call)
		return 0;
	call->ended = true;
	return call->pending ? 0 : dkl_path_call_put(paths, number);
}

int dkl_path_call_begin(struct paths *paths, uint32_t host, int32_t pid, uint64_t time,
			struct part name, uint64_t *number)
{
	struct path_thread *thread = dkl_path_thread_add(paths, host, pid);
	struct path_call *call;
	bool added;
	int err;

	if (!thread)
		return dkt__no_memory(paths->ctx);
	*number = ++paths->n_calls;
	err = thread->call ? end_call(paths, thread->call) : 0;
	if (err)
		return err;
	call = dkt__keyed_add(&paths->calls, number, &added);
	if (!call)
		return dkt__no_memory(paths->ctx);
	*call = (struct path_call){
		.host = host,
		.pid = pid,
		.from = time,
		.to = time,
		.name = dkl_name_number(&paths->rpcs.names, name),
		.job = thread->job,
	};
	thread->call = *number;
	return call->name == UINT32_MAX ? dkt__no_memory(paths->ctx) : 0;
}

int dkl_path_call_end(struct paths *paths, uint32_t host, int32_t pid, uint64_t time)
{
	struct path_thread *thread = dkl_path_thread(paths, host, pid);
	struct path_call *call = thread ? dkl_path_call(paths, thread->call) : NULL;
	uint64_t number;

	if (!call)
		return 0;
	call->to = time;
	call->marked = true;
	number = thread->call;
	thread->call = 0;
	return end_call(paths, number);
}

/* ---- messages about calls ---- */

static int learn_file(struct paths *paths, struct path_call *call, const struct call_text *text)
{
	if (!call->file)
		call->file = dkl_name_number(&paths->rpcs.names, text->name);
	if (!call->fid)
		call->fid = dkl_name_number(&paths->rpcs.names, text->fid);
	return call->file == UINT32_MAX || call->fid == UINT32_MAX ? dkt__no_memory(paths->ctx) : 0;
}

/* True if the message is about a part of the call that the thread is in. */
static bool is_within(const struct paths *paths, const struct path_call *call,
		      const struct log_line *line, const struct call_text *text)
{
	const char *outer = path_name(paths, call->name);
	const struct part name = dkl_call_name(line->function);

	if (call->system_call)
		return true;
	/* Without debug=+iotrace Lustre writes the beginnings only. */
	if (call->paired && paths->completes)
		return !text->paired || !part_is(&name, outer);
	return dkl_call_is_inner(line->function, outer);
}

static int take_call(struct paths *paths, const struct log_line *line, const struct call_text *text)
{
	const struct path_thread *thread = dkl_path_thread(paths, line->host, line->pid);
	struct path_call *call = thread ? dkl_path_call(paths, thread->call) : NULL;
	uint64_t number;
	int err;

	paths->clients = true;
	paths->completes |= text->ends;
	if (call && is_within(paths, call, line, text))
		return learn_file(paths, call, text);
	if (text->ends)
		return dkl_path_call_end(paths, line->host, line->pid, line->time);
	err = dkl_path_call_begin(paths, line->host, line->pid, line->time,
				  dkl_call_name(line->function), &number);
	if (err)
		return err;
	call = dkl_path_call(paths, number);
	call->paired = text->paired;
	call->function = dkl_name_number(&paths->rpcs.names, line->function);
	if (call->function == UINT32_MAX)
		return dkt__no_memory(paths->ctx);
	return learn_file(paths, call, text);
}

/* ---- messages about requests ---- */

/* True if the thread is of the job: "dd.0" is of the program dd. */
static bool is_of_job(const struct paths *paths, uint32_t its, const struct part *job)
{
	const char *name = path_name(paths, its);
	const char *dot = memrchr(job->p, '.', job->len);

	return part_is(job, name) ||
	       (dot && strlen(name) == (size_t)(dot - job->p) && part_begins(job, name));
}

/* Finds the only call on the host of which a thread of the job waits; 0: none, or there are several. */
static uint64_t call_of_job(const struct paths *paths, uint32_t host, const struct part *job)
{
	uint64_t found[2] = { 0 };
	bool several[2] = { false };

	for (uint32_t i = 0; i < paths->calls.n_values; i++) {
		const struct path_call *call = dkt__keyed_at(&paths->calls, i);
		const bool known = call->job && job->len;

		if (!call->from || call->ended || call->host != host ||
		    (known && !is_of_job(paths, call->job, job)))
			continue;
		several[known] = found[known];
		found[known] = *dkt__keymap_key(&paths->calls.keys, i);
	}
	if (found[true])
		return several[true] ? 0 : found[true];
	return several[false] ? 0 : found[false];
}

static int send(struct paths *paths, const struct log_line *line, const struct rpc_text *text)
{
	const uint64_t serial = paths->rpcs.serial;
	struct path_thread *thread = dkl_path_thread_add(paths, line->host, line->pid);
	struct path_work *work = add_work(paths, serial);
	const bool daemon = part_begins(&text->thread, RPC_DAEMON);
	struct path_call *call;

	if (!thread || !work)
		return dkt__no_memory(paths->ctx);
	paths->clients = true;
	/* It was sent before. */
	if (work->call)
		return 0;
	if (!daemon && text->job.len) {
		thread->job = dkl_name_number(&paths->rpcs.names, text->job);
		if (thread->job == UINT32_MAX)
			return dkt__no_memory(paths->ctx);
	}
	work->call = daemon ? call_of_job(paths, line->host, &text->job) : thread->call;
	call = dkl_path_call(paths, work->call);
	if (!call)
		return 0;
	call->pending++;
	if (!daemon && thread->job)
		call->job = thread->job;
	return 0;
}

static int serve(struct paths *paths, const struct log_line *line, bool begins)
{
	struct path_thread *thread = dkl_path_thread_add(paths, line->host, line->pid);
	struct path_work *work = begins ? add_work(paths, paths->rpcs.serial) : NULL;

	if (!thread || (begins && !work))
		return dkt__no_memory(paths->ctx);
	paths->servers = true;
	thread->serial = begins ? paths->rpcs.serial : 0;
	thread->off = 0;
	if (work)
		work->cpu = paths->cpu_told;
	return 0;
}

static int take_rpc(struct paths *paths, const struct log_line *line, const struct rpc_text *text)
{
	int err = 0;

	/* The RPC can end with the message that ends the service. */
	if (text->step == RPC_HANDLED)
		err = serve(paths, line, false);
	if (!err)
		err = dkl_rpcs_add(&paths->rpcs, line);
	if (err || !paths->rpcs.serial)
		return err;
	if (text->step == RPC_SENDING)
		err = send(paths, line, text);
	else if (text->step == RPC_HANDLING)
		err = serve(paths, line, true);
	return err;
}

/* The path of an RPC, whose spans the caller frees. */
static int path_of_rpc(struct paths *paths, const struct rpc *rpc, const struct path_work *work,
		       struct path *path)
{
	const bool client = rpc->sent && rpc->completed;

	*path = (struct path){ .host = client ? rpc->sender : rpc->server,
			       .opcode = rpc->opcode,
			       .job = rpc->job,
			       .client = rpc->client,
			       .target = rpc->target ? rpc->target : rpc->receiver,
			       .xid = rpc->xid,
			       .requests = 1 };
	paths->one_sided += !client || !rpc->handled;
	return dkl_path_of_rpc(rpc, work ? &work->served : NULL, work && work->cpu, &path->spans,
			       &path->from, &path->to) ?
		       dkt__no_memory(paths->ctx) :
		       0;
}

/* An RPC has ended: it becomes a part of its call, or a path of its own. */
static int ended(void *data, const struct rpc *rpc)
{
	struct paths *paths = data;
	struct path_work *work = dkl_path_work(paths, rpc->serial);
	const uint64_t number = work ? work->call : 0;
	struct path_call *call = number ? dkl_path_call(paths, number) : NULL;
	struct path path;
	int err = path_of_rpc(paths, rpc, work, &path);

	if (work) {
		dkl_path_spans_clear(&work->served);
		*work = (struct path_work){ 0 };
		dkt__keyed_remove(&paths->works, &rpc->serial);
	}
	if (err || !call) {
		if (!err)
			return dkl_path_put(paths, &path);
		dkl_path_spans_clear(&path.spans);
		return err;
	}
	call->pending--;
	if (dkt__append(call->requests, call->n, path)) {
		dkl_path_spans_clear(&path.spans);
		return dkt__no_memory(paths->ctx);
	}
	return call->ended && !call->pending ? dkl_path_call_put(paths, number) : 0;
}

/* ---- messages about locks ---- */

/* The wait for a lock has ended, of the thread that asked for it. */
static int take_grant(struct paths *paths, const struct lock *lock)
{
	const struct path_thread *thread = dkl_path_thread(paths, lock->host, lock->thread);
	struct path_span span = { .host = lock->host, .from = lock->enqueued, .to = lock->granted };
	struct path_work *work;
	struct path_call *call;
	uint32_t holder;

	if (!thread || (!thread->serial && !thread->call))
		return 0;
	if (dkl_locks_waited_for(&paths->locks, lock, &holder, &span.held)) {
		const char *nid = name_text(&paths->locks.names, holder);

		span.holder =
			dkl_name_number(&paths->rpcs.names, (struct part){ nid, strlen(nid) });
	}
	work = thread->serial ? dkl_path_work(paths, thread->serial) : NULL;
	call = dkl_path_call(paths, thread->call);
	span.part = work ? PATH_LOCK : PATH_GRANT;
	span.rank = work ? PATH_PARTS - PATH_LOCK : 0;
	if (work)
		return dkl_path_spans_add(&work->served, span);
	return call ? dkl_path_spans_add(&call->grants, span) : 0;
}

/* Ends the call of a function that returns. Without such a message, it ends with the last one of its thread. */
static int follow_call(struct paths *paths, const struct log_line *line)
{
	const struct path_thread *thread = dkl_path_thread(paths, line->host, line->pid);
	struct path_call *call = thread ? dkl_path_call(paths, thread->call) : NULL;

	if (!call)
		return 0;
	call->to = line->time;
	if (call->function && dkl_call_text_leaves(line->text.p, line->text.len) &&
	    part_is(&line->function, path_name(paths, call->function)))
		return dkl_path_call_end(paths, line->host, line->pid, line->time);
	return 0;
}

/*
 * Ends the call of a thread that wrote nothing for a long time and waited for nothing: no message told that it had
 * returned, and the program was busy elsewhere.
 */
static int leave_silent(struct paths *paths, const struct log_line *line)
{
	struct path_thread *thread = dkl_path_thread(paths, line->host, line->pid);
	const struct path_call *call = thread ? dkl_path_call(paths, thread->call) : NULL;
	uint64_t number;

	if (!call || (call->paired && paths->completes) || call->system_call || call->pending ||
	    line->time - call->to < SILENT_NS || line->time < call->to ||
	    (call->grants.n && call->grants.list[call->grants.n - 1].to > call->to))
		return 0;
	number = thread->call;
	thread->call = 0;
	return end_call(paths, number);
}

int dkl_paths_add(struct paths *paths, const struct log_line *line)
{
	const struct lock *lock;
	struct rpc_text rpc;
	struct call_text text;
	int err = dkl_locks_add(&paths->locks, line, &lock);

	if (!err && lock) {
		paths->locks_told = true;
		if (lock->granted == line->time && dkl_locks_is_local(&paths->locks, lock))
			err = take_grant(paths, lock);
		if (!err)
			err = leave_silent(paths, line);
	} else if (!err && dkl_rpc_text_read(line->text.p, line->text.len, &rpc)) {
		/* The thread waited for a request that has ended. */
		if (rpc.step != RPC_COMPLETED)
			err = leave_silent(paths, line);
		if (!err)
			err = take_rpc(paths, line, &rpc);
	} else if (!err && dkl_call_text_read(line->text.p, line->text.len, &text)) {
		err = take_call(paths, line, &text);
	}
	return dkt__with_words(paths->ctx, err ? err : follow_call(paths, line));
}

int dkl_paths_record(struct paths *paths, uint32_t host, const struct dkt_record *record,
		     const char *comm)
{
	return dkt__with_words(paths->ctx, dkl_path_events_add(paths, host, record, comm));
}
