/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of the kernel on the way of a call: its system call, the disk, the journal, the CPU. */
#include "compat/lustre_log/path_state.h"
#include "lib/base/memory.h"

/* Requests to disks, and commits, that are remembered. */
#define DISK_MAX   4096
#define COMMIT_MAX 64

enum kind { NONE, ENTER, LEAVE, DISK_BEGIN, DISK_END, SWITCH, COMMIT_BEGIN, COMMIT_END };

/* A service's request to a disk. */
struct disk_request {
	uint32_t host;
	uint64_t serial; /* of the RPC that is served */
	uint64_t dev, sector, from;
};

struct commit {
	uint32_t host;
	uint64_t dev, from, to; /* to 0: it has not ended */
};

struct path_events {
	struct dkt_ctx *ctx;
	const struct dkt_event *event; /* that the following are of */
	enum kind kind;
	const struct dkt_field *fields[3];
	struct disk_request *disk;
	size_t n_disk;
	struct commit commits[COMMIT_MAX]; /* the last ones, in a circle */
	size_t n_commits;
};

static const struct known_event {
	const char *system, *name;
	enum kind kind;
	const char *fields[3];
} known_events[] = {
	{ "block", "block_bio_queue", DISK_BEGIN, { "dev", "sector" } },
	{ "block", "block_rq_issue", DISK_BEGIN, { "dev", "sector" } },
	{ "block", "block_rq_complete", DISK_END, { "dev", "sector", "nr_sector" } },
	{ "sched", "sched_switch", SWITCH, { "prev_pid", "next_pid" } },
	{ "jbd2", "jbd2_start_commit", COMMIT_BEGIN, { "dev" } },
	{ "jbd2", "jbd2_end_commit", COMMIT_END, { "dev" } },
};

int dkl_path_events_new(struct dkt_ctx *ctx, struct path_events **out)
{
	struct path_events *events = calloc(1, sizeof(*events));

	*out = events;
	if (!events)
		return dkt__no_memory(ctx);
	events->ctx = ctx;
	return 0;
}

void dkl_path_events_free(struct path_events *events)
{
	if (events)
		free(events->disk);
	free(events);
}

void dkl_path_events_cut(struct path_events *events, uint32_t host)
{
	size_t n = 0;

	for (size_t i = 0; i < events->n_disk; i++)
		if (events->disk[i].host != host)
			events->disk[n++] = events->disk[i];
	events->n_disk = n;
	for (size_t i = 0; i < COMMIT_MAX; i++)
		if (events->commits[i].host == host)
			events->commits[i] = (struct commit){ 0 };
}

/* Sets what the record's event is, and its fields. */
static void look_up(struct path_events *events, struct dkt_event *event)
{
	const char *system = dkt_event_system(event), *name = dkt_event_name(event);

	events->event = event;
	events->kind = NONE;
	if (!strcmp(system, "syscalls")) {
		events->kind = !strncmp(name, "sys_enter_", 10) ? ENTER : LEAVE;
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(known_events); i++) {
		const struct known_event *known = &known_events[i];

		if (strcmp(system, known->system) != 0 || strcmp(name, known->name) != 0)
			continue;
		events->kind = known->kind;
		for (size_t j = 0; j < ARRAY_SIZE(known->fields); j++) {
			events->fields[j] =
				known->fields[j] ? dkt_event_field(event, known->fields[j]) : NULL;
			if (known->fields[j] && !events->fields[j])
				events->kind = NONE;
		}
	}
}

static uint64_t value(const struct path_events *events, size_t field,
		      const struct dkt_record *record)
{
	return (uint64_t)dkt_record_int(record, events->fields[field]);
}

/* ---- system calls ---- */

static int enter(struct paths *paths, uint32_t host, const struct dkt_record *record,
		 const char *comm)
{
	const char *name = dkt_event_name(record->event) + strlen("sys_enter_");
	struct path_call *call;
	uint64_t number;
	int err = dkl_path_call_begin(paths, host, record->pid, record->ts,
				      (struct part){ name, strlen(name) }, &number);

	if (err)
		return err;
	call = dkl_path_call(paths, number);
	call->system_call = true;
	if (!call->job && comm)
		call->job =
			dkl_name_number(&paths->rpcs.names, (struct part){ comm, strlen(comm) });
	return call->job == UINT32_MAX ? -ENOMEM : 0;
}

/* ---- disks ---- */

static int begin_disk(struct paths *paths, uint32_t host, const struct dkt_record *record)
{
	struct path_events *events = paths->events;
	const struct path_thread *thread = dkl_path_thread(paths, host, record->pid);
	struct disk_request request = { .host = host,
					.dev = value(events, 0, record),
					.sector = value(events, 1, record),
					.from = record->ts };

	paths->disks_told = true;
	if (!thread || !thread->serial)
		return 0;
	request.serial = thread->serial;
	/* A part of a disk has another number, and the request is issued after it was queued. */
	for (size_t i = 0; i < events->n_disk; i++)
		if (events->disk[i].host == host && events->disk[i].sector == request.sector &&
		    events->disk[i].serial == request.serial)
			return 0;
	if (events->n_disk == DISK_MAX)
		events->n_disk = 0;
	return dkt__append(events->disk, events->n_disk, request);
}

/* The major numbers of a disk and of its parts are the same. */
static bool same_disk(uint64_t a, uint64_t b)
{
	return a >> 20 == b >> 20;
}

static int end_disk(struct paths *paths, uint32_t host, const struct dkt_record *record)
{
	struct path_events *events = paths->events;
	const uint64_t dev = value(events, 0, record), sector = value(events, 1, record);
	const uint64_t n = value(events, 2, record);
	int err = 0;

	for (size_t i = events->n_disk; !err && i-- > 0;) {
		const struct disk_request request = events->disk[i];
		struct path_work *work;

		if (request.host != host || !same_disk(request.dev, dev) ||
		    request.sector - sector >= n)
			continue;
		events->disk[i] = events->disk[--events->n_disk];
		work = dkl_path_work(paths, request.serial);
		if (work)
			err = dkl_path_spans_add(&work->served,
						 (struct path_span){ .part = PATH_DISK,
								     .rank = PATH_PARTS - PATH_DISK,
								     .host = host,
								     .from = request.from,
								     .to = record->ts });
	}
	return err;
}

/* ---- journals and CPUs ---- */

static void begin_commit(struct path_events *events, uint32_t host, const struct dkt_record *record)
{
	events->commits[events->n_commits++ % COMMIT_MAX] = (struct commit){
		.host = host, .dev = value(events, 0, record), .from = record->ts
	};
}

static void end_commit(struct path_events *events, uint32_t host, const struct dkt_record *record)
{
	const uint64_t dev = value(events, 0, record);

	for (size_t i = 0; i < COMMIT_MAX; i++) {
		struct commit *commit = &events->commits[i];

		if (commit->from && commit->host == host && commit->dev == dev && !commit->to)
			commit->to = record->ts;
	}
}

/* The thread has slept. A commit that ended meanwhile may have been waited for; the rest is unknown. */
static int slept(struct paths *paths, uint32_t host, struct path_work *work, uint64_t from,
		 uint64_t to)
{
	const struct path_events *events = paths->events;
	struct path_span span = { .part = PATH_UNKNOWN, .host = host, .from = from, .to = to };
	int err = dkl_path_spans_add(&work->served, span);

	span.part = PATH_JOURNAL;
	span.rank = PATH_PARTS - PATH_JOURNAL;
	for (size_t i = 0; !err && i < COMMIT_MAX; i++) {
		const struct commit *commit = &events->commits[i];

		if (!commit->to || commit->host != host || commit->to <= from || commit->to > to)
			continue;
		span.from = DKT__MAX(commit->from, from);
		span.to = commit->to;
		err = dkl_path_spans_add(&work->served, span);
	}
	return err;
}

static int switch_threads(struct paths *paths, uint32_t host, const struct dkt_record *record)
{
	struct path_thread *before =
		dkl_path_thread(paths, host, (int32_t)value(paths->events, 0, record));
	struct path_thread *after =
		dkl_path_thread(paths, host, (int32_t)value(paths->events, 1, record));
	struct path_work *work;
	uint64_t from;

	paths->cpu_told = true;
	if (before && before->serial)
		before->off = record->ts;
	if (!after || !after->serial || !after->off)
		return 0;
	from = after->off;
	after->off = 0;
	work = dkl_path_work(paths, after->serial);
	return work ? slept(paths, host, work, from, record->ts) : 0;
}

int dkl_path_events_add(struct paths *paths, uint32_t host, const struct dkt_record *record,
			const char *comm)
{
	struct path_events *events = paths->events;

	if (record->event != events->event)
		look_up(events, record->event);
	switch (events->kind) {
	case ENTER:
		return enter(paths, host, record, comm);
	case LEAVE:
		return dkl_path_call_end(paths, host, record->pid, record->ts);
	case DISK_BEGIN:
		return begin_disk(paths, host, record);
	case DISK_END:
		return end_disk(paths, host, record);
	case SWITCH:
		return switch_threads(paths, host, record);
	case COMMIT_BEGIN:
		begin_commit(events, host, record);
		return 0;
	case COMMIT_END:
		end_commit(events, host, record);
		return 0;
	case NONE:
		break;
	}
	return 0;
}
