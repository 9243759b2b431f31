/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds in the records when each thread runs, waits for a CPU, or waits for something else. */
#include "answers/wall/walls.h"

/* A thread that is woken by an interrupt is not woken by the thread that was interrupted. */
#define INTERRUPT_FLAGS (DKT_REC_HARDIRQ | DKT_REC_SOFTIRQ | DKT_REC_NMI)

/* Two records of a wakeup are not further apart. */
#define SAME_NS 50000u

/* ---- threads and CPUs ---- */

static struct wall_cpu *cpu_at(struct wall *wall, uint32_t part, uint32_t cpu)
{
	const uint64_t key = (uint64_t)part << 32 | cpu;
	bool added;
	const uint32_t entry = dkt__keymap_add(&wall->cpu_map, &key, &added);

	return entry == DKT__KEYMAP_NONE ? NULL : dkt__reach(wall->cpus, wall->n_cpus, entry);
}

static struct wall_thread *find_thread(const struct wall *wall, uint32_t part, int32_t tid)
{
	const uint64_t key = (uint64_t)part << 32 | (uint32_t)tid;
	const uint32_t entry = dkt__keymap_find(&wall->thread_map, &key);

	return entry == DKT__KEYMAP_NONE ? NULL : &wall->threads[wall->numbers[entry]];
}

static uint32_t number_of(const struct wall *wall, const struct wall_thread *thread)
{
	return (uint32_t)(thread - wall->threads);
}

static int add_thread(struct wall *wall, uint32_t part, int32_t tid, struct wall_thread **thread)
{
	const uint64_t key = (uint64_t)part << 32 | (uint32_t)tid;
	bool added;
	uint32_t entry, *number;

	if (wall->n_threads >= WALL_THREADS_MAX) {
		wall->facts[wall->side].cut++;
		return 0;
	}
	entry = dkt__keymap_add(&wall->thread_map, &key, &added);
	number = entry == DKT__KEYMAP_NONE ? NULL :
					     dkt__reach(wall->numbers, wall->n_numbers, entry);
	if (!number)
		return -ENOMEM;
	*number = wall->n_threads;
	if (dkt__append(wall->threads, wall->n_threads,
			(struct wall_thread){ .tid = tid, .part = part, .comm = UINT32_MAX }))
		return -ENOMEM;
	*thread = &wall->threads[*number];
	return 0;
}

/* Gets the thread, which is created if necessary, and renews its name. NULL: there is no room for it. */
static int get_thread(struct wall *wall, uint32_t part, int32_t tid, const char *comm, size_t len,
		      struct wall_thread **thread)
{
	uint32_t name;
	int err = 0;

	*thread = find_thread(wall, part, tid);
	if (!*thread)
		err = add_thread(wall, part, tid, thread);
	if (err || !*thread)
		return err;
	name = profile_names_add(&wall->profile.names, PROFILE_GROUP, comm, len, "");
	if (name == UINT32_MAX)
		return -ENOMEM;
	(*thread)->comm = name;
	return 0;
}

/* ---- states ---- */

static int count(struct wall *wall, const struct wall_thread *thread, enum wall_state state,
		 uint32_t chain, uint64_t from, uint64_t to)
{
	const struct wall_window time = { from, to };
	const uint32_t node = state == WALL_RUNNING ? 0 : thread->node;

	return wall_count(wall, number_of(wall, thread), state, node, chain, &time);
}

/* Counts what the thread did up to now. A wait is divided at the wakeup. */
static int end_mode(struct wall *wall, struct wall_thread *thread, uint64_t ts)
{
	uint64_t woken = DKT__MIN(ts, DKT__MAX(thread->woken, thread->since));
	enum wall_state state;
	int err;

	if (thread->mode == WALL_UNKNOWN)
		return 0;
	if (thread->mode == WALL_RUNS)
		return count(wall, thread, WALL_RUNNING, 0, thread->since, ts);
	err = wall_state_find(&wall->states, &wall->profile, thread->node, thread->sched, &state);
	if (err)
		return err;
	if (state == WALL_RUNNABLE || !thread->woken)
		return count(wall, thread, state, 0, thread->since, ts);
	err = count(wall, thread, state, thread->chain, thread->since, woken);
	return err ?: count(wall, thread, WALL_RUNNABLE, 0, woken, ts);
}

/* The stacks of its last switch and of its wakeup may still be expected on other CPUs. */
static int settle(struct wall *wall, const struct wall_thread *thread)
{
	int err = 0;

	if (thread->mode != WALL_WAITS)
		return 0;
	if (!thread->node)
		err = profile_settle(&wall->profile, thread->part, thread->cpu);
	return err || !thread->woken ?
		       err :
		       profile_settle(&wall->profile, thread->part, thread->waker_cpu);
}

/* Nobody knows what it did since. */
static void forget(struct wall *wall, struct wall_thread *thread)
{
	wall->facts[wall->side].missed += thread->mode != WALL_UNKNOWN;
	thread->mode = WALL_UNKNOWN;
}

/* The thread has the CPU, and so another one that should be there has left it, which was not recorded. */
static void occupy(struct wall *wall, struct wall_cpu *cpu, const struct wall_thread *thread)
{
	const uint32_t nr = thread ? number_of(wall, thread) + 1 : 0;

	if (cpu->runs && cpu->runs != nr) {
		wall->threads[cpu->runs - 1].breaks++;
		wall->breaks++;
		forget(wall, &wall->threads[cpu->runs - 1]);
	}
	cpu->runs = nr;
}

static int start_running(struct wall *wall, struct wall_cpu *cpu, struct wall_thread *thread,
			 uint64_t ts)
{
	int err = settle(wall, thread);

	if (thread->mode == WALL_RUNS)
		forget(wall, thread);
	if (!err)
		err = end_mode(wall, thread, ts);
	thread->mode = WALL_RUNS;
	thread->since = ts;
	thread->began++;
	occupy(wall, cpu, thread);
	return err;
}

/*
 * A record of a thread whose switch to the CPU was not recorded, as kernels leave out some that end their idle time:
 * the wait has ended by the wakeup. The time from there to the record does not count.
 */
static int resume(struct wall *wall, struct wall_cpu *cpu, struct wall_thread *thread, uint64_t ts)
{
	int err = settle(wall, thread);

	if (!err && thread->woken)
		err = end_mode(wall, thread, thread->woken);
	else
		forget(wall, thread);
	thread->mode = WALL_RUNS;
	thread->since = ts;
	thread->began++;
	occupy(wall, cpu, thread);
	return err;
}

/* A thread that leaves the CPU on which nothing was recorded before has been there all the time. */
static void begin_unseen(const struct wall *wall, const struct wall_cpu *cpu,
			 struct wall_thread *thread)
{
	if (thread->mode != WALL_UNKNOWN || cpu->switched)
		return;
	thread->mode = WALL_RUNS;
	thread->since = wall->facts[wall->side].first;
}

static int stop_running(struct wall *wall, struct wall_cpu *cpu, struct wall_thread *thread,
			const struct dkt_record *record, uint64_t sched)
{
	int err;

	begin_unseen(wall, cpu, thread);
	err = thread->mode == WALL_WAITS ? resume(wall, cpu, thread, record->ts) :
					   end_mode(wall, thread, record->ts);
	cpu->runs = 0;
	thread->mode = WALL_WAITS;
	thread->since = record->ts;
	thread->ended++;
	thread->sched = sched;
	thread->node = thread->chain = 0;
	thread->woken = 0;
	thread->cpu = record->cpu;
	thread->serial = ++wall->serial;
	if (!(sched & WALL_SCHED_ENDED))
		return err;
	thread->mode = WALL_UNKNOWN;
	dkt__keymap_remove(&wall->thread_map,
			   &(uint64_t){ (uint64_t)thread->part << 32 | (uint32_t)thread->tid });
	return err;
}

/* ---- records ---- */

static void expect(struct wall *wall, struct wall_cpu *cpu, const struct wall_thread *subject,
		   int kind)
{
	cpu->kind = kind;
	cpu->subject = number_of(wall, subject) + 1;
	cpu->serial = subject->serial;
}

static const char *comm_in(const struct dkt_record *record, const struct dkt_field *field,
			   size_t *len)
{
	const char *text = field ? dkt_record_bytes(record, field, len) : NULL;

	*len = text ? strnlen(text, *len) : 0;
	return text ?: "";
}

static int take_switch(struct wall *wall, uint32_t part, const struct wall_event *event,
		       const struct dkt_record *record, struct wall_cpu *cpu)
{
	const int32_t prev = (int32_t)dkt_record_int(record, event->prev_pid),
		      next = (int32_t)dkt_record_int(record, event->next_pid);
	const uint64_t sched = (uint64_t)dkt_record_int(record, event->prev_state);
	struct wall_thread *thread = NULL;
	const char *comm;
	size_t len;
	int err = 0;

	wall->facts[wall->side].switches++;
	if (prev) {
		comm = comm_in(record, event->prev_comm, &len);
		err = get_thread(wall, part, prev, comm, len, &thread);
	}
	occupy(wall, cpu, thread);
	if (!err && thread) {
		err = stop_running(wall, cpu, thread, record, sched);
		expect(wall, cpu, thread, WALL_OF_SWITCH);
	}
	thread = NULL;
	/* Switches of chosen threads tell nothing of others, and turns tell when those come back. */
	if (!err && next && !wall->turns) {
		comm = comm_in(record, event->next_comm, &len);
		err = get_thread(wall, part, next, comm, len, &thread);
	}
	if (!err && thread)
		err = start_running(wall, cpu, thread, record->ts);
	cpu->switched = true;
	return err;
}

/* The record of a turn follows that of a switch, if there is one. */
static int take_turn(struct wall *wall, uint32_t part, const struct wall_event *event,
		     const struct dkt_record *record, struct wall_cpu *cpu, const char *comm)
{
	const bool out = dkt_record_int(record, event->out);
	struct wall_thread *thread;
	int err;

	if (!record->pid)
		return 0;
	/* It has ended: this is the last that is heard of it. */
	if (out && !find_thread(wall, part, record->pid))
		return 0;
	err = get_thread(wall, part, record->pid, comm, strlen(comm), &thread);
	if (err || !thread)
		return err;
	if (!out)
		err = start_running(wall, cpu, thread, record->ts);
	else if (thread->mode != WALL_WAITS)
		err = stop_running(wall, cpu, thread, record,
				   dkt_record_int(record, event->preempt) ? WALL_SCHED_RUNS :
									    WALL_SCHED_BLOCKS);
	cpu->switched = true;
	return err;
}

/* Who wakes, and who woke that thread. */
static int find_chain(struct wall *wall, uint32_t part, const struct dkt_record *record,
		      const char *comm, struct wall_thread *woken)
{
	const bool interrupt = record->flags & INTERRUPT_FLAGS || !record->pid;
	const struct wall_thread *thread = interrupt ? NULL : find_thread(wall, part, record->pid);
	const bool known = thread && thread->comm != UINT32_MAX;
	struct wall_waker waker = { 0 };
	char name[64];

	/* A copy, as a name that is added moves the others. */
	snprintf(name, sizeof(name), "%s",
		 interrupt ? "[interrupt]" :
		 known     ? profile_names_text(&wall->profile.names, thread->comm) :
			     comm);
	waker.name = profile_names_add(&wall->profile.names, PROFILE_WAKER, name, strlen(name), "");
	if (waker.name == UINT32_MAX)
		return -ENOMEM;
	woken->chain = wall_chain(wall, &waker, thread ? thread->chain : 0);
	return woken->chain ? 0 : -ENOMEM;
}

/* Chosen threads that wake others are recorded twice: as all threads are, and with their callers. */
static bool is_same_wakeup(const struct wall *wall, const struct wall_thread *thread,
			   const struct dkt_record *record)
{
	return thread->mode == WALL_WAITS && thread->woken && thread->waker_cpu == record->cpu &&
	       record->ts - thread->woken < SAME_NS && thread->chain &&
	       !wall->links[thread->chain].waker.node;
}

static int take_wakeup(struct wall *wall, uint32_t part, const struct wall_event *event,
		       const struct dkt_record *record, struct wall_cpu *cpu, const char *comm)
{
	struct wall_thread *thread =
		find_thread(wall, part, (int32_t)dkt_record_int(record, event->pid));
	int err;

	if (thread && is_same_wakeup(wall, thread, record)) {
		expect(wall, cpu, thread, WALL_OF_WAKEUP);
		return 0;
	}
	wall->facts[wall->side].wakeups++;
	if (!thread || thread->mode != WALL_WAITS || thread->woken ||
	    (thread->sched & WALL_SCHED_MASK) == WALL_SCHED_RUNS)
		return 0;
	err = settle(wall, thread);
	thread->woken = record->ts;
	thread->waker_cpu = record->cpu;
	if (!err && wall->opts.hops)
		err = find_chain(wall, part, record, comm, thread);
	expect(wall, cpu, thread, WALL_OF_WAKEUP);
	return err;
}

static int take_sample(struct wall *wall, uint32_t part, const struct dkt_record *record,
		       struct wall_cpu *cpu, const char *comm)
{
	struct wall_thread *thread;
	int err;

	if (!record->pid)
		return 0;
	wall->facts[wall->side].samples++;
	err = get_thread(wall, part, record->pid, comm, strlen(comm), &thread);
	if (err || !thread)
		return err;
	begin_unseen(wall, cpu, thread);
	if (thread->mode == WALL_RUNS)
		occupy(wall, cpu, thread);
	else
		err = resume(wall, cpu, thread, record->ts);
	expect(wall, cpu, thread, WALL_OF_SAMPLE);
	return err;
}

/* Between a switch and its end the kernel may record more of a thread, but then nobody has woken it. */
static int take_presence(struct wall *wall, uint32_t part, const struct dkt_record *record,
			 struct wall_cpu *cpu)
{
	struct wall_thread *thread = record->pid ? find_thread(wall, part, record->pid) : NULL;

	if (!thread || thread->mode != WALL_WAITS || !thread->woken)
		return 0;
	return resume(wall, cpu, thread, record->ts);
}

int wall_take(struct wall *wall, uint32_t part, const struct wall_event *event,
	      const struct dkt_record *record, const char *comm)
{
	struct wall_cpu *cpu = cpu_at(wall, part, record->cpu);

	if (!cpu)
		return -ENOMEM;
	cpu->last = record->ts;
	cpu->subject = 0;
	switch (event->kind) {
	case WALL_SWITCH:
		return take_switch(wall, part, event, record, cpu);
	case WALL_WAKEUP:
		return take_presence(wall, part, record, cpu) ?:
			       take_wakeup(wall, part, event, record, cpu, comm);
	case WALL_SAMPLE:
		return take_sample(wall, part, record, cpu, comm);
	case WALL_TURN:
		return take_turn(wall, part, event, record, cpu, comm);
	default:
		return take_presence(wall, part, record, cpu);
	}
}

/* A thread that ran there may have stopped since. */
int wall_gap(struct wall *wall, uint32_t part, const struct dkt_record *record)
{
	struct wall_cpu *cpu = cpu_at(wall, part, record->cpu);
	struct wall_thread *thread;
	int err = 0;

	if (!cpu)
		return -ENOMEM;
	wall->gaps++;
	thread = cpu->runs ? &wall->threads[cpu->runs - 1] : NULL;
	if (thread && thread->mode == WALL_RUNS && cpu->last) {
		err = end_mode(wall, thread, DKT__MAX(cpu->last, thread->since));
		thread->mode = WALL_UNKNOWN;
	}
	cpu->runs = cpu->subject = 0;
	cpu->switched = true;
	return err;
}

/* ---- stacks ---- */

/* Now it is known where the waker was. */
static int place_waker(struct wall *wall, struct wall_thread *thread, uint32_t node)
{
	const struct wall_link *link;
	struct wall_waker waker;

	if (!thread->chain)
		return 0;
	link = &wall->links[thread->chain];
	waker = (struct wall_waker){ link->waker.name, node };
	thread->chain = wall_chain(wall, &waker, link->rest);
	return thread->chain ? 0 : -ENOMEM;
}

void wall_counted(void *data, const struct profile_counted *counted)
{
	struct wall *wall = data;
	struct wall_cpu *cpu = cpu_at(wall, counted->part, counted->cpu);
	struct wall_thread *thread;

	if (!cpu || !cpu->subject)
		return;
	thread = &wall->threads[cpu->subject - 1];
	if (cpu->kind == WALL_OF_SAMPLE)
		wall->err = wall_sample(wall, cpu->subject - 1, counted->node, counted->ts) ?:
				    wall->err;
	else if (cpu->serial != thread->serial || thread->mode != WALL_WAITS)
		return;
	else if (cpu->kind == WALL_OF_SWITCH)
		thread->node = counted->node;
	else
		wall->err = place_waker(wall, thread, counted->node) ?: wall->err;
	cpu->subject = 0;
}

int wall_close(struct wall *wall)
{
	const uint64_t end = wall->facts[wall->side].last;
	int err = 0;

	for (uint32_t i = 0; !err && i < wall->n_threads; i++)
		if (wall->threads[i].mode != WALL_UNKNOWN)
			err = end_mode(wall, &wall->threads[i],
				       DKT__MAX(end, wall->threads[i].since));
	return err;
}
