/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collects evictions, lost connections and timeouts, with what is known of the time before them. */
#include "compat/lustre_log/incidents.h"

#include "compat/lustre_log/rpc_text.h"
#include "lib/base/memory.h"

struct incident_heard {
	uint64_t time, xid; /* of the last request; time 0: none */
	uint32_t opcode;
	uint64_t lost; /* when it was evicted, or the connection was lost; 0: it is connected */
};

/* The request that a service thread works on. */
struct incident_work {
	uint64_t xid, began; /* began 0: none */
	uint32_t opcode, nid;
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
		.ctx = ctx, .heard_map.n_words = 2, .sent.n_words = 2, .work_map.n_words = 2
	};
	return dkl_locks_init(&incidents->locks, ctx, 0);
}

void dkl_incidents_clear(struct incidents *incidents)
{
	dkl_locks_clear(&incidents->locks);
	dkt__keymap_clear(&incidents->heard_map);
	free(incidents->list);
	dkt__keymap_clear(&incidents->sent);
	dkt__keymap_clear(&incidents->work_map);
	free(incidents->heard);
	free(incidents->work);
	*incidents = (struct incidents){ 0 };
}

/* ---- NIDs ---- */

/* Returns what is remembered of the NID; NULL: memory is out. */
static struct incident_heard *find_heard(struct incidents *incidents, uint32_t host, uint32_t nid)
{
	bool added;
	uint32_t entry = dkt__keymap_add(&incidents->heard_map, (uint64_t[]){ host, nid }, &added);

	if (entry == DKT__KEYMAP_NONE || (added && dkt__append(incidents->heard, incidents->n_heard,
							       (struct incident_heard){ 0 })))
		return NULL;
	return &incidents->heard[entry];
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

/* Remembers the request that the thread begins to work on. */
static int begin_work(struct incidents *incidents, const struct log_line *line,
		      const struct rpc_text *rpc)
{
	bool added;
	uint32_t entry = dkt__keymap_add(&incidents->work_map,
					 (uint64_t[]){ line->host, (uint64_t)line->pid }, &added);

	if (entry == DKT__KEYMAP_NONE ||
	    (added && dkt__append(incidents->work, incidents->n_work, (struct incident_work){ 0 })))
		return -ENOMEM;
	incidents->work[entry] = (struct incident_work){ .xid = rpc->xid,
							 .began = line->time,
							 .opcode = rpc->opcode,
							 .nid = name(incidents, rpc->nid) };
	return 0;
}

static struct incident_work *find_work(const struct incidents *incidents, uint32_t host,
				       int32_t thread)
{
	uint32_t entry =
		dkt__keymap_find(&incidents->work_map, (uint64_t[]){ host, (uint64_t)thread });

	return entry == DKT__KEYMAP_NONE ? NULL : &incidents->work[entry];
}

static void end_work(struct incidents *incidents, const struct log_line *line)
{
	struct incident_work *work = find_work(incidents, line->host, line->pid);

	if (work)
		work->began = 0;
}

/* ---- incidents ---- */

static int append(struct incidents *incidents, struct incident *incident)
{
	struct incident_heard *heard = find_heard(incidents, incident->host, incident->nid);

	if (!heard || incident->nid == UINT32_MAX || incident->why == UINT32_MAX ||
	    incident->target == UINT32_MAX)
		return -ENOMEM;
	incident->heard = heard->time;
	incident->heard_xid = heard->xid;
	incident->heard_opcode = heard->opcode;
	if (incident->step == CLIENT_EVICTED || incident->step == CLIENT_LOST)
		heard->lost = incident->time;
	if (incident->step == CLIENT_RESTORED || incident->step == CLIENT_RECONNECTS) {
		incident->before = heard->lost;
		heard->lost = 0;
	}
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

/* Finds the lock that the thread waits for; NULL: it waits for none. */
static const struct lock *lock_of_thread(const struct locks *locks, uint32_t host, int32_t thread)
{
	for (size_t i = 0; i < locks->n_list; i++) {
		const struct lock *lock = &locks->list[i];

		if (lock->open && lock->host == host && lock->thread == thread && lock_waits(lock))
			return lock;
	}
	return NULL;
}

/* Adds the lock that a thread waits for, and who has not given back the one before. */
static void add_waiting(const struct locks *locks, const struct lock *lock,
			struct incident *incident)
{
	const struct lock_res *res = dkl_locks_res(locks, lock);

	incident->lock = lock->handle;
	incident->mode = lock->mode;
	incident->res = lock->res;
	incident->waits = true;
	incident->waiter_since = lock->enqueued;
	if (!res || !res->blocked || res->released)
		return;
	incident->holder = res->holder;
	incident->called = res->blocked;
	incident->held = dkl_locks_holder(locks, res);
}

/* Adds what the thread was working on. */
static int add_service(struct incidents *incidents, const struct log_line *line,
		       const struct service_text *service)
{
	const struct incident_work *work = find_work(incidents, line->host, (int32_t)service->pid);
	const struct lock *lock = service->pid ? lock_of_thread(&incidents->locks, line->host,
								(int32_t)service->pid) :
						 NULL;
	struct incident incident = { .step = INCIDENT_SERVICE + (int)service->step,
				     .time = line->time,
				     .host = line->host,
				     .target = name(incidents, service->name),
				     .why = name(incidents, service->why) };

	if (work && work->began) {
		incident.xid = work->xid;
		incident.opcode = work->opcode;
		incident.nid = work->nid;
		incident.began = work->began;
	}
	if (lock)
		add_waiting(&incidents->locks, lock, &incident);
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
	for (uint32_t i = 0; i < incidents->n_heard; i++)
		if (dkt__keymap_key(&incidents->heard_map, i)[0] == host)
			incidents->heard[i] = (struct incident_heard){ 0 };
	for (uint32_t i = 0; i < incidents->n_work; i++)
		if (dkt__keymap_key(&incidents->work_map, i)[0] == host)
			incidents->work[i].began = 0;
}

static int take_rpc(struct incidents *incidents, const struct log_line *line,
		    const struct rpc_text *rpc)
{
	int err = 0;

	switch (rpc->step) {
	case RPC_SENDING:
	case RPC_RESENDING:
		return send(incidents, line->host, rpc->xid);
	case RPC_TIMED_OUT:
	case RPC_NETWORK_ERROR:
		complete(incidents, line->host, rpc->xid);
		return add_rpc(incidents, line, INCIDENT_TIMEOUT, rpc);
	case RPC_DROPPED:
		return add_rpc(incidents, line, INCIDENT_DROPPED, rpc);
	case RPC_BULK:
		return add_rpc(incidents, line, INCIDENT_BULK, rpc);
	case RPC_HANDLING:
		err = begin_work(incidents, line, rpc);
		break;
	case RPC_HANDLED:
		end_work(incidents, line);
		break;
	case RPC_COMPLETED:
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
