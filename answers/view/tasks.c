/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the records and the running time of processes. */
#include "answers/view/tasks.h"

void tasks_init(struct tasks *tasks, struct axis *axis)
{
	*tasks = (struct tasks){ .axis = axis, .task_map.n_words = 1, .cpu_map.n_words = 1 };
}

void tasks_clear(struct tasks *tasks)
{
	for (uint32_t i = 0; i < tasks->n; i++) {
		free(tasks->list[i].comm);
		free(tasks->list[i].busy);
	}
	for (uint32_t i = 0; i < tasks->n_cpus; i++)
		free(tasks->cpus[i].busy);
	free(tasks->list);
	free(tasks->cpus);
	free(tasks->runs);
	dkt__keymap_clear(&tasks->task_map);
	dkt__keymap_clear(&tasks->cpu_map);
}

static uint64_t key_of(size_t part, uint32_t number)
{
	return (uint64_t)part << 32 | number;
}

/* Returns the index of the process, or DKT__KEYMAP_NONE. */
static uint32_t find_task(struct tasks *tasks, size_t part, int32_t pid)
{
	uint64_t key = key_of(part, (uint32_t)pid);
	uint32_t nr;
	bool added;

	if (dkt__likely(tasks->near && tasks->near_key == key))
		return tasks->near - 1;
	nr = dkt__keymap_add(&tasks->task_map, &key, &added);
	if (nr == DKT__KEYMAP_NONE)
		return nr;
	if (added && dkt__append(tasks->list, tasks->n,
				 (struct task){ .part = (uint32_t)part, .pid = pid })) {
		dkt__keymap_remove(&tasks->task_map, &key);
		return DKT__KEYMAP_NONE;
	}
	tasks->near_key = key;
	tasks->near = nr + 1;
	return nr;
}

static struct task_cpu *find_cpu(struct tasks *tasks, size_t part, uint32_t cpu)
{
	uint64_t key = key_of(part, cpu);
	bool added;
	uint32_t nr = dkt__keymap_add(&tasks->cpu_map, &key, &added);

	if (nr == DKT__KEYMAP_NONE)
		return NULL;
	if (added && dkt__append(tasks->cpus, tasks->n_cpus,
				 (struct task_cpu){ .part = (uint32_t)part, .cpu = cpu })) {
		dkt__keymap_remove(&tasks->cpu_map, &key);
		return NULL;
	}
	return &tasks->cpus[nr];
}

/* The name of a process can come late, or change. */
static int set_comm(struct task *task, const char *comm, size_t len)
{
	char *copy;

	if (task->comm && (strlen(task->comm) == len && !memcmp(task->comm, comm, len)))
		return 0;
	copy = strndup(comm, len);
	if (!copy)
		return -ENOMEM;
	free(task->comm);
	task->comm = copy;
	return 0;
}

static int set_comm_field(struct task *task, const struct dkt_record *record,
			  const struct dkt_field *field)
{
	size_t len;
	const char *comm = dkt_record_bytes(record, field, &len);

	return len ? set_comm(task, comm, strnlen(comm, len)) : 0;
}

static int add_span(struct tasks *tasks, struct series **series, uint64_t from, uint64_t to)
{
	if (!*series)
		*series = calloc(1, sizeof(**series));
	if (!*series)
		return -ENOMEM;
	series_add_span(*series, tasks->axis, from, to);
	return 0;
}

static int end_run(struct tasks *tasks, struct task_cpu *cpu, uint64_t to)
{
	struct task *task = &tasks->list[cpu->task - 1];
	int err = 0;

	task->runs++;
	task->ns += to - cpu->since;
	/* PID 0 is the idle process. */
	if (!task->pid)
		return 0;
	err = add_span(tasks, &cpu->busy, cpu->since, to);
	if (!err && (task->busy || tasks->n_series < TASKS_SERIES_MAX)) {
		tasks->n_series += !task->busy;
		err = add_span(tasks, &task->busy, cpu->since, to);
	}
	tasks->n_all_runs++;
	if (!err && tasks->n_runs < TASKS_RUNS_MAX)
		err = dkt__append(tasks->runs, tasks->n_runs,
				  (struct task_run){ .cpu = (uint32_t)(cpu - tasks->cpus),
						     .task = cpu->task - 1,
						     .from = cpu->since,
						     .to = to });
	return err;
}

static int add_switch(struct tasks *tasks, const struct rates_event *event,
		      const struct dkt_record *record)
{
	struct task_cpu *cpu = find_cpu(tasks, event->part, record->cpu);
	int32_t prev = (int32_t)dkt_record_int(record, event->sched.prev_pid);
	int32_t next = (int32_t)dkt_record_int(record, event->sched.next_pid);
	uint32_t task;
	int err = 0;

	if (!cpu)
		return -ENOMEM;
	/* Another process than the one that was switched to: records are missing. */
	if (cpu->task && tasks->list[cpu->task - 1].pid == prev)
		err = end_run(tasks, cpu, record->ts);
	task = err ? DKT__KEYMAP_NONE : find_task(tasks, event->part, prev);
	if (task == DKT__KEYMAP_NONE)
		return err ? err : -ENOMEM;
	err = set_comm_field(&tasks->list[task], record, event->sched.prev_comm);
	task = err ? DKT__KEYMAP_NONE : find_task(tasks, event->part, next);
	if (task == DKT__KEYMAP_NONE)
		return err ? err : -ENOMEM;
	cpu->task = task + 1;
	cpu->since = record->ts;
	return set_comm_field(&tasks->list[task], record, event->sched.next_comm);
}

int tasks_add(struct tasks *tasks, const struct rates_event *event, size_t part,
	      struct dkt_source *source, const struct dkt_record *record)
{
	struct task_cpu *cpu;
	uint32_t task;
	int err = 0;

	if (!event) {
		cpu = find_cpu(tasks, part, record->cpu);
		if (cpu)
			cpu->task = 0;
		return cpu ? 0 : -ENOMEM;
	}
	task = find_task(tasks, part, record->pid);
	if (task == DKT__KEYMAP_NONE)
		return -ENOMEM;
	if (dkt__unlikely(!tasks->list[task].comm)) {
		const char *comm = dkt_source_comm(source, record);

		err = set_comm(&tasks->list[task], comm, strlen(comm));
	}
	tasks->list[task].records++;
	if (!err && event->sched.prev_pid)
		err = add_switch(tasks, event, record);
	return err;
}

void tasks_finish(struct tasks *tasks)
{
	for (uint32_t i = 0; i < tasks->n; i++)
		if (tasks->list[i].busy)
			series_fold(tasks->list[i].busy, tasks->axis);
	for (uint32_t i = 0; i < tasks->n_cpus; i++)
		if (tasks->cpus[i].busy)
			series_fold(tasks->cpus[i].busy, tasks->axis);
}
