/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads on CPUs and in run queues. */
#include "answers/top/state.h"
#include "lib/base/when.h"

/* Bits of prev_state: none of them, the thread can run on; a thread in an exit state has ended. */
#define STATE_MASK 0xff
#define STATE_EXIT 0x30

/* The kernel's CLONE_THREAD. */
#define CLONE_THREAD_FLAG 0x10000

static uint64_t since_of(const struct activity *activity, const struct cpu *cpu)
{
	return cpu->since ? cpu->since : activity->first;
}

void sched_identify(struct activity *activity, const struct dkt_record *record)
{
	uint32_t entry = thread_get(activity, record->pid);
	struct cpu *cpu = &activity->cpus[record->cpu];
	struct thread *thread = thread_at(activity, entry);

	cpu->known = true;
	cpu->thread = entry;
	cpu->pid = record->pid;
	/* Any switch since then would have a record. */
	cpu->since = since_of(activity, cpu);
	if (thread) {
		thread->on_cpu = true;
		thread->runnable = 0;
	}
}

void sched_forget(struct activity *activity, struct cpu *cpu)
{
	struct thread *thread = cpu->known ? thread_at(activity, cpu->thread) : NULL;

	if (thread)
		thread->on_cpu = false;
	cpu->known = false;
}

/*
 * The time may be before since: an interval ends at a time from which records may come late. The sum of
 * both intervals is exact.
 */
static void charge(struct activity *activity, struct cpu *cpu, uint64_t ts)
{
	struct thread *thread = cpu->known ? thread_at(activity, cpu->thread) : NULL;
	const int64_t ns = (int64_t)(ts - since_of(activity, cpu));

	if (!cpu->known)
		return;
	cpu->since = ts;
	if (thread)
		dkt__add_ns(&thread->task.cpu, ns);
	if (cpu->pid)
		dkt__add_ns(&activity->busy, ns);
}

/* A wait that began before records were lost may have been interrupted: it does not count. */
static void charge_wait(const struct activity *activity, struct thread *thread, uint64_t ts)
{
	if (thread->runnable > activity->gap)
		dkt__add_ns(&thread->task.wait, (int64_t)(ts - thread->runnable));
}

static void set_comm(struct thread *thread, const struct dkt_record *record,
		     const struct dkt_field *field)
{
	size_t len;
	const void *comm = dkt_record_bytes(record, field, &len);

	memcpy(thread->task.comm, comm, DKT__MIN(len, sizeof(thread->task.comm)));
	thread->task.comm[ACTIVITY_COMM - 1] = '\0';
}

static int switch_out(struct activity *activity, const struct counted *counted,
		      const struct dkt_record *record, uint32_t entry)
{
	struct thread *thread = thread_at(activity, entry);
	const uint64_t state = (uint64_t)dkt_record_int(record, counted->fields[1]);

	if (!thread)
		return 0;
	set_comm(thread, record, counted->fields[3]);
	thread->seen = record->ts;
	thread->on_cpu = false;
	thread->runnable = state & STATE_MASK ? 0 : record->ts;
	return state & STATE_EXIT ? thread_end(activity, entry) : 0;
}

static void switch_in(struct activity *activity, const struct counted *counted,
		      const struct dkt_record *record)
{
	const int32_t pid = (int32_t)dkt_record_int(record, counted->fields[2]);
	const uint32_t entry = thread_get(activity, pid);
	struct thread *thread = thread_at(activity, entry);
	struct cpu *cpu = &activity->cpus[record->cpu];

	cpu->known = true;
	cpu->thread = entry;
	cpu->pid = pid;
	cpu->since = record->ts;
	if (!thread)
		return;
	set_comm(thread, record, counted->fields[4]);
	if (thread->runnable)
		charge_wait(activity, thread, record->ts);
	thread->seen = record->ts;
	thread->runnable = 0;
	thread->on_cpu = true;
}

int sched_switch(struct activity *activity, const struct counted *counted,
		 const struct dkt_record *record)
{
	struct cpu *cpu = &activity->cpus[record->cpu];
	const int32_t pid = (int32_t)dkt_record_int(record, counted->fields[0]);
	int err;

	if (cpu->pid == pid)
		charge(activity, cpu, record->ts);
	/* If another thread was thought to run there, a switch had no record. */
	sched_forget(activity, cpu);
	err = switch_out(activity, counted, record, thread_get(activity, pid));
	switch_in(activity, counted, record);
	return err;
}

int sched_wakeup(struct activity *activity, const struct counted *counted,
		 const struct dkt_record *record)
{
	const int32_t pid = (int32_t)dkt_record_int(record, counted->fields[0]);
	struct thread *thread = thread_at(activity, thread_get(activity, pid));

	if (!thread)
		return 0;
	thread->seen = record->ts;
	/* A thread that is woken before it has left its CPU stays there. */
	if (!thread->on_cpu && !thread->runnable)
		thread->runnable = record->ts;
	return 0;
}

int sched_newtask(struct activity *activity, const struct counted *counted,
		  const struct dkt_record *record)
{
	const int32_t pid = (int32_t)dkt_record_int(record, counted->fields[0]);
	const bool same = dkt_record_int(record, counted->fields[1]) & CLONE_THREAD_FLAG;
	uint32_t entry = thread_get(activity, pid);
	struct thread *thread = thread_at(activity, entry), *parent;
	int err = 0;

	/* A thread with that number is still followed: its end had no record. */
	if (thread && thread->seen)
		err = thread_end(activity, entry);
	entry = err ? DKT__KEYMAP_NONE : thread_get(activity, pid);
	parent = thread_of(activity, record);
	thread = thread_at(activity, entry);
	if (!thread)
		return err;
	set_comm(thread, record, counted->fields[2]);
	thread->seen = record->ts;
	if (!same) {
		thread->task.process = pid;
		thread->task.serial = ++activity->serial;
	} else if (parent) {
		thread->task.process = parent->task.process;
		thread->task.serial = parent->task.serial;
	}
	return 0;
}

/* By an exec or by itself. A thread that another one renames has its name from the next switch on. */
int sched_rename(struct activity *activity, const struct counted *counted,
		 const struct dkt_record *record)
{
	struct thread *thread = thread_of(activity, record);

	if (thread)
		set_comm(thread, record, counted->fields[0]);
	return 0;
}

void sched_charge(struct activity *activity, uint64_t now)
{
	for (size_t i = 0; i < activity->n_cpus; i++)
		charge(activity, &activity->cpus[i], now);
	for (size_t i = 0; i < activity->n_threads; i++) {
		struct thread *thread = &activity->threads[i];

		if (thread->runnable && thread->runnable < now) {
			charge_wait(activity, thread, now);
			thread->runnable = now;
		}
	}
}
