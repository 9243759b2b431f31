/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads that work on a request, or wait, when the files end. */
#include "compat/lustre_log/waits.h"

#include "lib/base/memory.h"

/* Bits of prev_state in sched_switch: none of STATE_MASK, the thread can run on. */
#define STATE_MASK            0xff
#define STATE_UNINTERRUPTIBLE 0x02

enum { PREV_PID, PREV_STATE, PREV_COMM, NEXT_PID };

/* A thread that does not have a CPU. */
struct thread_off {
	uint64_t since; /* 0: it has one, or that is unknown */
	uint64_t state;
	uint32_t name;
};

int dkl_waits_init(struct waits *waits, struct dkt_ctx *ctx)
{
	*waits = (struct waits){
		.off = { .keys.n_words = 2, .size = sizeof(struct thread_off) },
	};
	return dkl_incidents_init(&waits->incidents, ctx);
}

void dkl_waits_clear(struct waits *waits)
{
	dkl_incidents_clear(&waits->incidents);
	dkt__keyed_clear(&waits->off);
	free(waits->last);
	*waits = (struct waits){ 0 };
}

/* ---- records ---- */

/* The log of the host goes on until this time. */
static int learn_end(struct waits *waits, uint32_t host, uint64_t time)
{
	if (!dkt__reach(waits->last, waits->n_last, host))
		return dkt__no_memory(waits->incidents.ctx);
	waits->last[host] = time;
	return 0;
}

int dkl_waits_add(struct waits *waits, const struct log_line *line)
{
	return learn_end(waits, line->host, line->time) ?:
							  dkl_incidents_add(&waits->incidents, line);
}

/* Finds the fields of the record's event, if it is a switch. */
static void look_up(struct waits *waits, struct dkt_event *event)
{
	static const char *const names[] = {
		[PREV_PID] = "prev_pid",
		[PREV_STATE] = "prev_state",
		[PREV_COMM] = "prev_comm",
		[NEXT_PID] = "next_pid",
	};

	waits->event = event;
	memset(waits->fields, 0, sizeof(waits->fields));
	if (strcmp(dkt_event_system(event), "sched") != 0 ||
	    strcmp(dkt_event_name(event), "sched_switch") != 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		waits->fields[i] = dkt_event_field(event, names[i]);
		if (!waits->fields[i]) {
			memset(waits->fields, 0, sizeof(waits->fields));
			return;
		}
	}
}

static struct thread_off *off_of(struct waits *waits, uint32_t host, int64_t pid)
{
	bool added;

	return dkt__keyed_add(&waits->off, (uint64_t[]){ host, (uint32_t)pid }, &added);
}

/* The name in a field of characters. */
static struct part comm_of(const struct dkt_record *record, const struct dkt_field *field)
{
	size_t len;
	const char *at = dkt_record_bytes(record, field, &len);

	return (struct part){ at, strnlen(at, len) };
}

int dkl_waits_record(struct waits *waits, uint32_t host, const struct dkt_record *record)
{
	const struct dkt_field *const *fields = waits->fields;
	struct dkt_ctx *ctx = waits->incidents.ctx;
	struct thread_off *off;
	int64_t pid;

	if (learn_end(waits, host, record->ts))
		return -ENOMEM;
	if (record->event != waits->event)
		look_up(waits, record->event);
	if (!fields[PREV_PID])
		return 0;
	waits->states_told = true;
	pid = dkt_record_int(record, fields[PREV_PID]);
	/* Each CPU has a thread 0. */
	off = pid ? off_of(waits, host, pid) : NULL;
	if (pid && !off)
		return dkt__no_memory(ctx);
	if (off) {
		off->since = record->ts;
		off->state = (uint64_t)dkt_record_int(record, fields[PREV_STATE]) & STATE_MASK;
		off->name = dkl_name_number(&waits->incidents.locks.names,
					    comm_of(record, fields[PREV_COMM]));
		if (off->name == UINT32_MAX)
			return dkt__no_memory(ctx);
	}
	off = dkt__keyed_find(&waits->off, (uint64_t[]){ host, (uint32_t)dkt_record_int(
								       record, fields[NEXT_PID]) });
	if (off)
		off->since = 0;
	return 0;
}

void dkl_waits_gap(struct waits *waits, uint32_t host)
{
	const struct dkt__keyed *all = &waits->incidents.threads;

	dkl_locks_gap(&waits->incidents.locks, host);
	for (uint32_t i = 0; i < all->n_values; i++) {
		struct incident_thread *thread = dkt__keyed_at(all, i);

		if (dkt__keymap_key(&all->keys, i)[0] == host)
			thread->served.began = thread->sent.began = thread->told = 0;
	}
	dkt__keyed_zero(&waits->off, host);
}

void dkl_waits_restart(struct waits *waits, uint32_t host)
{
	dkl_incidents_restart(&waits->incidents, host);
	dkt__keyed_zero(&waits->off, host);
}

/* ---- the list ---- */

struct listing {
	struct waits *waits;
	struct dkt__keymap map; /* host, PID */
	struct thread_wait *list; /* by entry of map */
	size_t n;
};

/* Returns the entry of a thread, added if necessary; NULL: memory is out. */
static struct thread_wait *add(struct listing *listing, uint32_t host, int32_t pid)
{
	bool added = false;
	const uint32_t entry =
		dkt__keymap_add(&listing->map, (uint64_t[]){ host, (uint32_t)pid }, &added);
	const uint64_t now = host < listing->waits->n_last ? listing->waits->last[host] : 0;
	const struct incident_thread *known;

	if (entry == DKT__KEYMAP_NONE)
		return NULL;
	known = dkt__keyed_find(&listing->waits->incidents.threads,
				(uint64_t[]){ host, (uint32_t)pid });
	if (added && dkt__append(listing->list, listing->n,
				 ((struct thread_wait){ .host = host,
							.name = known ? known->name : 0,
							.pid = pid,
							.now = now,
							.since = now,
							.story = { .host = host, .time = now } })))
		return NULL;
	return &listing->list[entry];
}

static void add_request(struct thread_wait *wait, const struct incident_request *request,
			bool is_sent)
{
	wait->story.xid = request->xid;
	wait->story.opcode = request->opcode;
	wait->story.nid = request->nid;
	wait->story.began = request->began;
	wait->story.is_sent = is_sent;
	wait->story.is_delayed = request->is_delayed;
	wait->since = request->began;
}

/* Adds what the messages tell of the thread. A request that it works on goes before one that it has sent. */
static int add_thread(struct listing *listing, uint32_t host, int32_t pid,
		      const struct incident_thread *thread)
{
	struct thread_wait *wait;

	if (!thread->served.began && !thread->sent.began && !thread->told)
		return 0;
	wait = add(listing, host, pid);
	if (!wait)
		return -ENOMEM;
	if (thread->told) {
		wait->story.why = thread->why;
		wait->story.trace = thread->trace;
		wait->waits_for = thread->waits_for;
		wait->since = thread->since;
	}
	if (thread->served.began)
		add_request(wait, &thread->served, false);
	if (thread->sent.began) {
		if (!thread->served.began)
			add_request(wait, &thread->sent, true);
		wait->since = thread->sent.began;
		wait->waits_for = thread->sent.is_delayed ? "connection" : "reply";
	}
	return 0;
}

static int add_locks(struct listing *listing)
{
	const struct incidents *incidents = &listing->waits->incidents;
	const struct locks *locks = &incidents->locks;

	for (size_t i = 0; i < locks->n_list; i++) {
		const struct lock *lock = &locks->list[i];
		struct thread_wait *wait;

		if (!dkl_incidents_thread_waits(incidents, lock))
			continue;
		wait = add(listing, lock->host, lock->thread);
		if (!wait)
			return -ENOMEM;
		dkl_incident_add_waiting(locks, lock, &wait->story);
		wait->waits_for = "lock";
		wait->since = lock->enqueued;
	}
	return 0;
}

/* Returns the number of the name; UINT32_MAX: memory is out. */
static uint32_t state_words(struct waits *waits, uint64_t state)
{
	const char *words = !state                        ? "could run, and has no CPU" :
			    state & STATE_UNINTERRUPTIBLE ? "sleeps and cannot be interrupted" :
							    "sleeps";

	return dkl_name_number(&waits->incidents.locks.names,
			       (struct part){ words, strlen(words) });
}

/* Adds the threads that cannot be interrupted, and the states of those that are there already. */
static int add_off(struct listing *listing)
{
	const struct dkt__keyed *all = &listing->waits->off;

	for (uint32_t i = 0; i < all->n_values; i++) {
		const struct thread_off *off = dkt__keyed_at(all, i);
		const uint64_t *key = dkt__keymap_key(&all->keys, i);
		const bool fixed = off->state & STATE_UNINTERRUPTIBLE;
		struct thread_wait *wait;

		if (!off->since ||
		    (!fixed && dkt__keymap_find(&listing->map, key) == DKT__KEYMAP_NONE))
			continue;
		wait = add(listing, (uint32_t)key[0], (int32_t)key[1]);
		if (!wait)
			return -ENOMEM;
		if (!wait->name)
			wait->name = off->name;
		if (wait->waits_for)
			continue;
		wait->since = off->since;
		wait->waits_for = !off->state ? "CPU" : fixed ? "I/O or mutex" : NULL;
		if (!wait->story.why)
			wait->story.why = state_words(listing->waits, off->state);
		if (wait->story.why == UINT32_MAX)
			return -ENOMEM;
	}
	return 0;
}

/* Finds the thread of another host that works on the request. */
static void find_server(const struct listing *listing, struct thread_wait *wait)
{
	for (size_t i = 0; wait->story.is_sent && i < listing->n; i++) {
		const struct thread_wait *other = &listing->list[i];

		if (other->story.is_sent || other->host == wait->host ||
		    other->story.xid != wait->story.xid ||
		    other->story.opcode != wait->story.opcode)
			continue;
		wait->has_server = true;
		wait->server_host = other->host;
		wait->server_name = other->name;
		wait->server_pid = other->pid;
	}
}

static int fill(struct listing *listing)
{
	const struct dkt__keyed *all = &listing->waits->incidents.threads;
	int err = 0;

	for (uint32_t i = 0; !err && i < all->n_values; i++) {
		const uint64_t *key = dkt__keymap_key(&all->keys, i);

		err = add_thread(listing, (uint32_t)key[0], (int32_t)key[1], dkt__keyed_at(all, i));
	}
	if (!err)
		err = add_locks(listing);
	if (!err)
		err = add_off(listing);
	for (size_t i = 0; !err && i < listing->n; i++)
		find_server(listing, &listing->list[i]);
	return err;
}

int dkl_waits_list(struct waits *waits, struct thread_wait **list, size_t *n)
{
	struct listing listing = { .waits = waits, .map.n_words = 2 };
	int err = fill(&listing);

	dkt__keymap_clear(&listing.map);
	if (err) {
		free(listing.list);
		return dkt__no_memory(waits->incidents.ctx);
	}
	*list = listing.list;
	*n = listing.n;
	return 0;
}
