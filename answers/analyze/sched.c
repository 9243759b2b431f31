/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the records of the scheduler. */
#include "answers/analyze/sched.h"

/* The bits of prev_state, as sched_switch prints them. */
enum {
	STATE_INTERRUPTIBLE = 0x01,
	STATE_UNINTERRUPTIBLE = 0x02,
	STATE_STOPPED = 0x04,
	STATE_TRACED = 0x08,
	STATE_DEAD = 0x10,
	STATE_ZOMBIE = 0x20,
	STATE_PARKED = 0x40,
	STATE_IDLE = 0x80,
};

/*
 * The idle tasks of all CPUs have PID 0. They get numbers below all PIDs, so that each is a process
 * of its own.
 */
static int32_t identity(int32_t pid, uint32_t cpu)
{
	return pid ? pid : -1 - (int32_t)cpu;
}

static uint32_t process_at(struct analyze *a, const struct analysis_record *r, int32_t pid,
			   size_t i)
{
	uint32_t nr = analyze_process(a, r, identity(pid, r->record->cpu), i);

	if (nr != PROCESS_NONE && !pid)
		a->processes.list[nr].pid = 0;
	return nr;
}

int sched_read_switch(struct analyze *a, const struct analysis_record *r, struct sched_switch *s)
{
	*s = (struct sched_switch){ .ts = r->record->ts,
				    .cpu = r->record->cpu,
				    .prev_pid = (int32_t)record_int(r, 1),
				    .next_pid = (int32_t)record_int(r, 4),
				    .next_prio = record_int(r, 5),
				    .state = (uint64_t)record_int(r, 2) };
	s->ended = s->state & (STATE_DEAD | STATE_ZOMBIE);
	s->prev = process_at(a, r, s->prev_pid, 0);
	s->next = process_at(a, r, s->next_pid, 3);
	return s->prev == PROCESS_NONE || s->next == PROCESS_NONE ? -ENOMEM : 0;
}

void sched_switch_done(struct analyze *a, const struct sched_switch *s)
{
	if (s->ended && s->prev_pid)
		process_ended(&a->processes, s->prev_pid);
}

const char *sched_reason(uint64_t state)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} rows[] = {
		{ STATE_DEAD | STATE_ZOMBIE, "exited" },
		{ STATE_UNINTERRUPTIBLE, "uninterruptible" },
		{ STATE_INTERRUPTIBLE, "sleeping" },
		{ STATE_STOPPED | STATE_TRACED, "stopped" },
		{ STATE_PARKED, "parked" },
		{ STATE_IDLE, "idle" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (state & rows[i].bit)
			return rows[i].name;
	return "preempted";
}
