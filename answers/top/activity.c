/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts what threads, system calls and disks do: the events, and the intervals. */
#include "answers/top/state.h"
#include "lib/inside.h"

/* An event that is counted, and the fields that its function reads. */
struct known_event {
	const char *system, *name;
	counted_fn *fn;
	unsigned int have; /* enum activity_have */
	const char *fields[N_FIELDS]; /* in the order in which the function has them */
};

static const struct known_event known_events[] = {
	/* clang-format off */
	{ "sched", "sched_switch", sched_switch, ACTIVITY_CPU,
	  { "prev_pid", "prev_state", "next_pid", "prev_comm", "next_comm" } },
	{ "sched", "sched_wakeup", sched_wakeup, ACTIVITY_WAIT, { "pid" } },
	{ "sched", "sched_wakeup_new", sched_wakeup, 0, { "pid" } },
	{ "task", "task_newtask", sched_newtask, 0, { "pid", "clone_flags", "comm" } },
	{ "task", "task_rename", sched_rename, 0, { "newcomm" } },
	{ "raw_syscalls", "sys_enter", call_enter, ACTIVITY_CALLS, { "id", "args" } },
	{ "raw_syscalls", "sys_exit", call_exit, 0, { "id", "ret" } },
	{ "block", "block_rq_issue", request_issue, ACTIVITY_REQUESTS, { "dev", "sector", "rwbs", "nr_sector" } },
	{ "block", "block_rq_complete", request_complete, 0, { "dev", "sector", "rwbs", "nr_sector" } },
	/* clang-format on */
};

/* ---- events ---- */

static int add_event(struct activity *activity, struct dkt_event *event,
		     const struct counted *counted)
{
	uint32_t *nr =
		dkt__reach(activity->event_of, activity->n_event_of, dkt__event_index(event));
	size_t n_counted = activity->n_events;
	int err = nr ? dkt__append(activity->counted, n_counted, *counted) : -ENOMEM;

	if (!err)
		err = dkt__append(activity->events, activity->n_events,
				  (struct activity_event){ .event = event });
	if (!err)
		*nr = (uint32_t)activity->n_events;
	return err;
}

static int add_known(struct activity *activity, const struct known_event *known)
{
	struct dkt_event *event = dkt_event_find(activity->ctx, known->system, known->name);
	struct counted counted = { .fn = known->fn };
	int err;

	if (!event)
		return 0;
	for (size_t i = 0; i < N_FIELDS && known->fields[i]; i++) {
		counted.fields[i] = dkt_event_field(event, known->fields[i]);
		if (!counted.fields[i])
			return 0;
	}
	err = add_event(activity, event, &counted);
	if (!err)
		activity->have |= known->have;
	return err;
}

int activity_record_event(struct activity *activity, struct dkt_event *event)
{
	const struct counted counted = { 0 };

	for (size_t i = 0; i < activity->n_events; i++)
		if (activity->events[i].event == event)
			return 0;
	return add_event(activity, event, &counted);
}

const struct activity_event *activity_events(const struct activity *activity, size_t *n)
{
	*n = activity->n_events;
	return activity->events;
}

int activity_new(struct dkt_ctx *ctx, const struct activity_opts *opts, struct activity **made)
{
	struct activity *activity = calloc(1, sizeof(*activity));
	int err = 0;

	*made = activity;
	if (!activity)
		return -ENOMEM;
	activity->ctx = ctx;
	activity->proc = strdup(opts && opts->proc ? opts->proc : "/proc");
	activity->sys = strdup(opts && opts->sys ? opts->sys : "/sys");
	activity->by_pid.n_words = 1;
	activity->by_device.n_words = 1;
	activity->requests.all.size = sizeof(struct dkt__begun);
	activity->requests.all.keys.n_words = DKT__REQUEST_WORDS;
	if (!activity->proc || !activity->sys)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < ARRAY_SIZE(known_events); i++)
		err = add_known(activity, &known_events[i]);
	calls_init(activity);
	if (!err && !activity->have)
		err = dkt_fail(ctx, -ENOENT,
			       "this kernel has no events of threads, system calls or disks");
	if (!err && opts && opts->n_intervals)
		err = intervals_open(activity, opts->intervals, opts->n_intervals);
	if (err) {
		activity_free(activity);
		*made = NULL;
	}
	return err;
}

void activity_free(struct activity *activity)
{
	if (!activity)
		return;
	dkt__keymap_clear(&activity->by_pid);
	dkt__keymap_clear(&activity->by_device);
	dkt__open_clear(&activity->requests);
	intervals_clear(activity);
	free(activity->proc);
	free(activity->sys);
	free(activity->events);
	free(activity->counted);
	free(activity->event_of);
	free(activity->threads);
	free(activity->ended);
	free(activity->cpus);
	free(activity->disks);
	free(activity);
}

/* ---- records ---- */

/* The first interval begins with the first record, or at that time if there is none yet. */
static void begin(struct activity *activity, uint64_t now)
{
	if (!activity->first)
		activity->first = activity->from = activity->swept = now;
}

int activity_start(struct activity *activity, uint64_t now)
{
	int err = disks_start(activity);

	begin(activity, now);
	return err ? err : proc_scan(activity);
}

/*
 * Records of that CPU from before the gap are lost. What runs there now is unknown, and calls, waits and
 * requests may have ended.
 */
static void add_gap(struct activity *activity, struct cpu *cpu, const struct dkt_record *gap)
{
	sched_forget(activity, cpu);
	cpu->since = gap->ts;
	activity->gap = DKT__MAX(activity->gap, gap->ts);
	dkt__open_drop(&activity->requests);
}

int activity_add(struct activity *activity, const struct dkt_record *record)
{
	struct cpu *cpu = dkt__reach(activity->cpus, activity->n_cpus, record->cpu);
	const struct counted *counted;
	size_t index;
	uint32_t nr;
	int err;

	if (!cpu)
		return -ENOMEM;
	begin(activity, record->ts);
	err = activity->n_measured ? intervals_add(activity, record) : 0;
	if (err)
		return err;
	if (!record->event) {
		add_gap(activity, cpu, record);
		return 0;
	}
	if (dkt__unlikely(!cpu->known))
		sched_identify(activity, record);
	activity->records++;
	index = dkt__event_index(record->event);
	nr = index < activity->n_event_of ? activity->event_of[index] : 0;
	if (!nr)
		return 0;
	activity->events[nr - 1].records++;
	counted = &activity->counted[nr - 1];
	return counted->fn ? counted->fn(activity, counted, record) : 0;
}

/* ---- intervals ---- */

static int take_events(struct activity *activity, struct activity_frame *frame)
{
	const size_t size = activity->n_events * sizeof(*frame->events);

	frame->events = malloc(size + 1);
	if (!frame->events)
		return -ENOMEM;
	memcpy(frame->events, activity->events, size);
	frame->n_events = activity->n_events;
	for (size_t i = 0; i < activity->n_events; i++)
		activity->events[i].records = 0;
	return 0;
}

int activity_take(struct activity *activity, uint64_t now, struct activity_frame *frame)
{
	int err;

	sched_charge(activity, now);
	*frame = (struct activity_frame){
		.from = activity->from,
		.to = now,
		.have = activity->have,
		.records = activity->records,
		.busy = activity->busy,
		.unfollowed = activity->unfollowed,
	};
	err = calls_take(activity, frame);
	if (!err)
		err = threads_take(activity, frame);
	if (!err)
		err = take_events(activity, frame);
	if (!err)
		err = disks_take(activity, frame);
	if (!err)
		err = intervals_take(activity, frame);
	if (!err)
		err = threads_sweep(activity, now);
	activity->from = now;
	activity->records = activity->unfollowed = 0;
	activity->busy = 0;
	return err;
}

void activity_frame_clear(struct activity_frame *frame)
{
	free(frame->threads);
	free(frame->processes);
	free(frame->calls);
	free(frame->disks);
	free(frame->events);
	free(frame->intervals);
	*frame = (struct activity_frame){ 0 };
}
