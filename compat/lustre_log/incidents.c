/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collects evictions, lost connections and timeouts, with what is known of the time before them. */
#include "compat/lustre_log/incidents.h"

#include "compat/lustre_log/rpc_text.h"
#include "compat/lustre_log/trace_text.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"

struct incident_heard {
	uint64_t time, xid; /* of the last request; time 0: none */
	uint32_t opcode;
};

const char *dkl_incident_name(int step)
{
	if (step >= INCIDENT_SERVICE)
		return dkl_service_step_name((enum service_step)(step - INCIDENT_SERVICE));
	switch (step) {
	case INCIDENT_TIMEOUT:
		return "timeout";
	case INCIDENT_DROPPED:
		return dkl_rpc_step_name(RPC_DROPPED);
	case INCIDENT_BULK:
		return dkl_rpc_step_name(RPC_BULK);
	case INCIDENT_STARTED:
		return "started";
	default:
		return dkl_client_step_name((enum client_step)step);
	}
}

int dkl_incidents_init(struct incidents *incidents, struct dkt_ctx *ctx)
{
	*incidents = (struct incidents){
		.ctx = ctx,
		.heard = { .keys.n_words = 2, .size = sizeof(struct incident_heard) },
		.sent.n_words = 2,
		.connections = { .keys.n_words = 3, .size = sizeof(struct incident_connection) },
		.threads = { .keys.n_words = 2, .size = sizeof(struct incident_thread) }
	};
	return dkl_locks_init(&incidents->locks, ctx, 0);
}

void dkl_incidents_clear(struct incidents *incidents)
{
	dkl_locks_clear(&incidents->locks);
	dkt__keyed_clear(&incidents->heard);
	free(incidents->list);
	dkt__keymap_clear(&incidents->sent);
	dkt__keyed_clear(&incidents->connections);
	dkt__keyed_clear(&incidents->threads);
	*incidents = (struct incidents){ 0 };
}

/* ---- NIDs ---- */

/* Returns what is remembered of the NID; NULL: memory is out. */
static struct incident_heard *find_heard(struct incidents *incidents, uint32_t host, uint32_t nid)
{
	bool added;

	return dkt__keyed_add(&incidents->heard, (uint64_t[]){ host, nid }, &added);
}

static uint32_t name(struct incidents *incidents, struct part part)
{
	return dkl_name_number(&incidents->locks.names, part);
}

static int hear(struct incidents *incidents, const struct log_line *line,
		const struct rpc_text *rpc)
{
	struct incident_heard *heard = find_heard(incidents, line->host, name(incidents, rpc->nid));

	if (!heard)
		return -ENOMEM;
	heard->time = line->time;
	heard->xid = rpc->xid;
	heard->opcode = rpc->opcode;
	return 0;
}

/* Remembers a request that is on its way. */
static int send(struct incidents *incidents, uint32_t host, uint64_t xid)
{
	bool added;

	return dkt__keymap_add(&incidents->sent, (uint64_t[]){ host, xid }, &added) ==
			       DKT__KEYMAP_NONE ?
		       -ENOMEM :
		       0;
}

/* A client completes a request also if it was never sent, or got no reply. Returns true if it was on its way. */
static bool complete(struct incidents *incidents, uint32_t host, uint64_t xid)
{
	return dkt__keymap_remove(&incidents->sent, (uint64_t[]){ host, xid }) != DKT__KEYMAP_NONE;
}

/* ---- threads ---- */

static struct incident_thread *find_thread(const struct incidents *incidents, uint32_t host,
					   int32_t thread)
{
	return dkt__keyed_find(&incidents->threads, (uint64_t[]){ host, (uint32_t)thread });
}

/* Returns NULL if memory is out. */
static struct incident_thread *add_thread(struct incidents *incidents, uint32_t host,
					  int32_t thread)
{
	bool added;

	return dkt__keyed_add(&incidents->threads, (uint64_t[]){ host, (uint32_t)thread }, &added);
}

/* Remembers the request that the thread begins to work on, or that it sends and waits for. */
static int begin_request(struct incidents *incidents, const struct log_line *line,
			 const struct rpc_text *rpc)
{
	struct incident_thread *thread = add_thread(incidents, line->host, line->pid);
	struct incident_request request = { .xid = rpc->xid,
					    .began = line->time,
					    .opcode = rpc->opcode,
					    .is_delayed = rpc->step == RPC_DELAYED,
					    .nid = name(incidents, rpc->nid) };

	if (!thread || request.nid == UINT32_MAX)
		return -ENOMEM;
	thread->told = 0;
	if (rpc->thread.len)
		thread->name = name(incidents, rpc->thread);
	if (thread->name == UINT32_MAX)
		return -ENOMEM;
	if (rpc->step == RPC_HANDLING)
		thread->served = request;
	else if (strncmp(name_text(&incidents->locks.names, thread->name), RPC_DAEMON,
			 strlen(RPC_DAEMON)) != 0)
		thread->sent = request;
	return 0;
}

/* The thread has finished what it worked on, or has the reply that it waited for. */
static void end_request(const struct incidents *incidents, const struct log_line *line,
			const struct rpc_text *rpc)
{
	struct incident_thread *thread = find_thread(incidents, line->host, line->pid);

	if (!thread)
		return;
	thread->told = 0;
	if (rpc->step == RPC_HANDLED)
		thread->served.began = 0;
	else if (thread->sent.xid == rpc->xid)
		thread->sent.began = 0;
}

/* ---- incidents ---- */

/* Remembers since when a connection is lost, and tells it when that is back. */
static int follow_connection(struct incidents *incidents, struct incident *incident)
{
	const uint64_t key[] = { incident->host, incident->nid, incident->target };
	const bool lost = incident->step == CLIENT_EVICTED || incident->step == CLIENT_LOST;
	const bool back = incident->step == CLIENT_RESTORED || incident->step == CLIENT_RECONNECTS;
	struct incident_connection *connection;
	bool added;

	if (!lost && !back)
		return 0;
	connection = dkt__keyed_add(&incidents->connections, key, &added);
	if (!connection)
		return -ENOMEM;
	incident->before = back ? connection->lost : 0;
	connection->lost = lost ? incident->time : 0;
	connection->of_client = incident->step == CLIENT_LOST;
	return 0;
}

static int append(struct incidents *incidents, struct incident *incident)
{
	struct incident_heard *heard = find_heard(incidents, incident->host, incident->nid);

	if (!heard || incident->nid == UINT32_MAX || incident->why == UINT32_MAX ||
	    incident->target == UINT32_MAX)
		return -ENOMEM;
	incident->heard = heard->time;
	incident->heard_xid = heard->xid;
	incident->heard_opcode = heard->opcode;
	if (follow_connection(incidents, incident))
		return -ENOMEM;
	return dkt__append(incidents->list, incidents->n, *incident);
}

static void add_lock(const struct locks *locks, const struct lock *lock, struct incident *incident)
{
	incident->lock = lock->handle;
	incident->mode = lock->mode;
	incident->res = lock->res;
	incident->called = lock->blocked;
	incident->held = dkl_locks_held(locks, lock);
	for (size_t i = 0; i < locks->n_list; i++) {
		const struct lock *other = &locks->list[i];

		if (!other->open || other->host != lock->host || other->res != lock->res ||
		    other == lock || !lock_waits(other))
			continue;
		if (!incident->waiter_since || other->enqueued < incident->waiter_since) {
			incident->waiter = other->nid;
			incident->waiter_since = other->enqueued;
		}
	}
}

static int add_client(struct incidents *incidents, const struct log_line *line,
		      const struct client_text *client, const struct lock *lock)
{
	struct incident incident = { .step = (int)client->step,
				     .time = line->time,
				     .host = line->host,
				     .target = name(incidents, client->target),
				     .nid = name(incidents, client->nid),
				     .why = name(incidents, client->why) };

	if (lock) {
		add_lock(&incidents->locks, lock, &incident);
		incident.target = lock->ns;
	}
	return append(incidents, &incident);
}

static int add_rpc(struct incidents *incidents, const struct log_line *line, int step,
		   const struct rpc_text *rpc)
{
	struct incident incident = { .step = step,
				     .time = line->time,
				     .host = line->host,
				     .target = name(incidents, rpc->target),
				     .nid = name(incidents, rpc->nid),
				     .why = name(incidents, rpc->words),
				     .xid = rpc->xid,
				     .opcode = rpc->opcode };

	return append(incidents, &incident);
}

bool dkl_incidents_thread_waits(const struct incidents *incidents, const struct lock *lock)
{
	const struct incident_thread *thread;

	if (!lock->open || !lock_waits(lock))
		return false;
	if (dkl_locks_is_local(&incidents->locks, lock))
		return true;
	thread = find_thread(incidents, lock->host, lock->thread);
	return thread && thread->served.began && lock->enqueued >= thread->served.began;
}

/* Finds the lock that a thread waits for; NULL: it waits for none. */
static const struct lock *lock_of(const struct incidents *incidents, uint32_t host, int32_t thread)
{
	const struct locks *locks = &incidents->locks;

	for (size_t i = 0; i < locks->n_list; i++) {
		const struct lock *lock = &locks->list[i];

		if (lock->host == host && lock->thread == thread &&
		    dkl_incidents_thread_waits(incidents, lock))
			return lock;
	}
	return NULL;
}

/*
 * Adds who holds the lock that a thread waits for: the one that was called back and has not given it back. The server
 * calls nobody back for a lock of flock(2). Then the holder is known only if it is the only one.
 */
static void add_holder(const struct locks *locks, const struct lock *lock,
		       struct incident *incident)
{
	const struct lock *side = dkl_locks_server_side(locks, lock), *only;
	const struct lock_res *res = dkl_locks_res(locks, side);

	if (res && res->blocked && !res->released) {
		incident->holder = res->holder;
		incident->called = res->blocked;
		incident->held = dkl_locks_holder(locks, res);
		return;
	}
	only = dkl_locks_only_granted(locks, side);
	if (!only)
		return;
	incident->holder = only->nid;
	incident->held = dkl_locks_held(locks, only);
}

void dkl_incident_add_waiting(const struct locks *locks, const struct lock *lock,
			      struct incident *incident)
{
	incident->lock = lock->handle;
	incident->mode = lock->mode;
	incident->res = lock->res;
	incident->waits = true;
	incident->waiter_since = lock->enqueued;
	add_holder(locks, lock, incident);
}

/* Adds the functions in which the kernel says that the thread is. */
static int learn_trace(struct incidents *incidents, const struct log_line *line,
		       struct incident_thread *thread)
{
	struct dkt_buf text = { 0 };
	struct trace_text trace;
	int err;

	thread->trace = 0;
	thread->waits_for = NULL;
	if (!dkl_trace_text_read(line->text.p, line->text.len, &trace))
		return 0;
	for (size_t i = 0; i < trace.n; i++) {
		dkt__buf_add(&text, " < ", i ? 3 : 0);
		dkt__buf_add(&text, trace.functions[i].p, trace.functions[i].len);
	}
	thread->waits_for = trace.waits_for;
	thread->trace = name(incidents, (struct part){ text.data, text.len });
	err = text.err;
	free(text.data);
	return err || thread->trace == UINT32_MAX ? -ENOMEM : 0;
}

/* Remembers that the thread is inactive or blocked, until it goes on. */
static int learn_service(struct incidents *incidents, const struct log_line *line,
			 const struct service_text *service, struct incident_thread **out)
{
	struct incident_thread *thread = add_thread(incidents, line->host, (int32_t)service->pid);

	*out = thread;
	if (!thread)
		return -ENOMEM;
	if (service->name.len)
		thread->name = name(incidents, service->name);
	thread->told = service->step == SERVICE_COMPLETED ? 0 : line->time;
	thread->since =
		line->time - DKT__MIN(service->seconds * (uint64_t)DKT__NSEC_PER_SEC, line->time);
	thread->why = name(incidents, service->why);
	if (thread->name == UINT32_MAX || thread->why == UINT32_MAX)
		return -ENOMEM;
	return learn_trace(incidents, line, thread);
}

/* Adds what the thread was working on. */
static int add_service(struct incidents *incidents, const struct log_line *line,
		       const struct service_text *service)
{
	struct incident incident = { .step = INCIDENT_SERVICE + (int)service->step,
				     .time = line->time,
				     .host = line->host,
				     .target = name(incidents, service->name),
				     .why = name(incidents, service->why) };
	struct incident_thread *thread;
	const struct lock *lock;

	if (!service->pid)
		return append(incidents, &incident);
	if (learn_service(incidents, line, service, &thread))
		return -ENOMEM;
	incident.trace = thread->trace;
	if (thread->served.began) {
		incident.xid = thread->served.xid;
		incident.opcode = thread->served.opcode;
		incident.nid = thread->served.nid;
		incident.began = thread->served.began;
	}
	lock = lock_of(incidents, line->host, (int32_t)service->pid);
	if (lock)
		dkl_incident_add_waiting(&incidents->locks, lock, &incident);
	return append(incidents, &incident);
}

static int add_start(struct incidents *incidents, const struct log_line *line)
{
	struct incident incident = { .step = INCIDENT_STARTED,
				     .time = line->time,
				     .host = line->host,
				     .why = name(incidents, line->text) };

	return append(incidents, &incident);
}

/* Reads "Skipped 24 previous similar messages". */
static void count_skipped(struct incidents *incidents, const struct log_line *line)
{
	struct rest rest = { line->text.p, line->text.p + line->text.len };
	uint64_t n;

	if (take_word(&rest, "Skipped ") && take_number(&rest, &n) &&
	    take_word(&rest, " previous similar message"))
		incidents->skipped += n;
}

void dkl_incidents_restart(struct incidents *incidents, uint32_t host)
{
	dkl_locks_restart(&incidents->locks, host);
	dkt__keyed_zero(&incidents->heard, host);
	dkt__keyed_zero(&incidents->connections, host);
	dkt__keyed_zero(&incidents->threads, host);
}

static int take_rpc(struct incidents *incidents, const struct log_line *line,
		    const struct rpc_text *rpc)
{
	int err = 0;

	switch (rpc->step) {
	case RPC_SENDING:
		err = begin_request(incidents, line, rpc);
		return err ?: send(incidents, line->host, rpc->xid);
	case RPC_DELAYED:
		return begin_request(incidents, line, rpc);
	case RPC_RESENDING:
		return send(incidents, line->host, rpc->xid);
	case RPC_TIMED_OUT:
	case RPC_NETWORK_ERROR:
		complete(incidents, line->host, rpc->xid);
		return add_rpc(incidents, line, INCIDENT_TIMEOUT, rpc);
	case RPC_ABORTED:
		/* It completes without a reply. */
		complete(incidents, line->host, rpc->xid);
		return 0;
	case RPC_DROPPED:
		return add_rpc(incidents, line, INCIDENT_DROPPED, rpc);
	case RPC_BULK:
		return add_rpc(incidents, line, INCIDENT_BULK, rpc);
	case RPC_HANDLING:
		err = begin_request(incidents, line, rpc);
		break;
	case RPC_HANDLED:
		end_request(incidents, line, rpc);
		break;
	case RPC_COMPLETED:
		end_request(incidents, line, rpc);
		if (!complete(incidents, line->host, rpc->xid))
			return 0;
		break;
	case RPC_REPLY:
		break;
	default:
		return 0;
	}
	return !err && rpc->nid.len ? hear(incidents, line, rpc) : err;
}

int dkl_incidents_add(struct incidents *incidents, const struct log_line *line)
{
	const struct lock *lock = NULL;
	struct client_text client;
	struct service_text service;
	struct rpc_text rpc;
	int err = dkl_locks_add(&incidents->locks, line, &lock);

	if (err)
		return err;
	count_skipped(incidents, line);
	if (dkl_line_is_start(line)) {
		err = add_start(incidents, line);
	} else if (dkl_client_text_read(line->text.p, line->text.len, &client)) {
		err = add_client(incidents, line, &client, lock);
	} else if (!lock && dkl_rpc_text_read(line->text.p, line->text.len, &rpc)) {
		err = take_rpc(incidents, line, &rpc);
	} else if (!lock && dkl_service_text_read(line->text.p, line->text.len, &service)) {
		err = add_service(incidents, line, &service);
	}
	return err ? dkt__no_memory(incidents->ctx) : 0;
}
