/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Facts from the records of a boot whose kernel is gone: names of processes, which events of the
 * scheduler, of programs that start and of new processes have as fields, and the wall-clock time,
 * which dkt__instance_last_boot_mark() recorded.
 */
#include "lib/source/live.h"

#include "lib/base/parse.h"
#include "lib/event.h"
#include "lib/instance.h"

/* As many as a kernel allows. */
#define PIDS (1 << 22)

/* Fields with the number of a process and its name; a path ends in the name. */
static const struct {
	const char *pid, *name;
	bool path;
} rows[] = {
	{ "pid", "comm", false },
	{ "pid", "newcomm", false },
	{ "prev_pid", "prev_comm", false },
	{ "next_pid", "next_comm", false },
	{ "parent_pid", "parent_comm", false },
	{ "child_pid", "child_comm", false },
	/* sched_process_exec */
	{ "pid", "filename", true },
};

/* The fields of an event. */
struct naming {
	bool known; /* it has been looked for them */
	const struct dkt_field *mark; /* of ftrace:print */
	size_t n;
	struct {
		const struct dkt_field *pid, *name;
		bool path;
	} list[2];
};

struct learning {
	struct dkt__live *live;
	struct naming *events; /* by common_type */
	uint64_t *times; /* by PID: of the record that named it, plus 1 */
	uint64_t marked; /* the time of the last mark, plus 1 */
};

static void find_fields(struct dkt_event *event, struct naming *naming)
{
	naming->known = true;
	if (event && !strcmp(dkt_event_system(event), "ftrace") &&
	    !strcmp(dkt_event_name(event), "print"))
		naming->mark = dkt_event_field(event, "buf");
	for (size_t i = 0; event && i < ARRAY_SIZE(rows) && naming->n < 2; i++) {
		const struct dkt_field *pid = dkt_event_field(event, rows[i].pid);
		const struct dkt_field *name = dkt_event_field(event, rows[i].name);

		if (!pid || !name || !(name->flags & DKT_FIELD_STRING))
			continue;
		naming->list[naming->n].pid = pid;
		naming->list[naming->n].path = rows[i].path;
		naming->list[naming->n++].name = name;
	}
}

static int learn_name(struct learning *l, const struct dkt_record *record,
		      const struct naming *naming, size_t i)
{
	int64_t pid = dkt_record_int(record, naming->list[i].pid);
	size_t size;
	const char *name = dkt_record_bytes(record, naming->list[i].name, &size), *slash;

	if (!name || pid <= 0 || pid >= PIDS || l->times[pid] > record->ts)
		return 0;
	size = strnlen(name, size);
	slash = naming->list[i].path ? memrchr(name, '/', size) : NULL;
	if (slash) {
		size -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	l->times[pid] = record->ts + 1;
	return size ? dkt__comms_set(&l->live->comms, (int32_t)pid, name, size) : 0;
}

static void learn_wall(struct learning *l, const struct dkt_record *record,
		       const struct dkt_field *field)
{
	struct dkt_source_info *info = &l->live->streams.base.info;
	const size_t n = strlen(DKT__LAST_BOOT_MARK);
	uint64_t offset;
	size_t size;
	const char *text = dkt_record_bytes(record, field, &size), *end;

	if (!text || size <= n || memcmp(text, DKT__LAST_BOOT_MARK, n) || l->marked > record->ts)
		return;
	end = text + size;
	text += n;
	if (dkt__take_u64(&text, end, DKT__DEC, &offset) || offset > INT64_MAX)
		return;
	l->marked = record->ts + 1;
	info->wall = (int64_t)offset;
	info->has_wall = true;
}

static int learn_record(struct learning *l, const struct dkt__page_record *found)
{
	struct dkt_record record = { .ts = found->ts, .data = found->data, .size = found->size };
	struct naming *naming;
	uint16_t type;
	int err = 0;

	if (found->size < sizeof(type))
		return 0;
	memcpy(&type, found->data, sizeof(type));
	naming = &l->events[type];
	if (!naming->known)
		find_fields(dkt__event_by_id(l->live->in->ctx, type), naming);
	if (!naming->n && !naming->mark)
		return 0;
	record.event = dkt__event_by_id(l->live->in->ctx, type);
	if (naming->mark)
		learn_wall(l, &record, naming->mark);
	for (size_t i = 0; !err && i < naming->n; i++)
		err = learn_name(l, &record, naming, i);
	return err;
}

static int learn_cpu(struct learning *l, size_t cpu)
{
	struct dkt__streams *streams = &l->live->streams;
	struct dkt__stream *s = &streams->list[cpu];
	uint64_t pages = dkt__spool_pages(&l->live->cpus[cpu].spool);
	struct dkt__page page = { .swap = s->page.swap, .long_size = s->page.long_size };
	struct dkt__page_record record;
	int err = 0;

	for (uint64_t nr = 0; !err && nr < pages; nr++) {
		const uint8_t *bytes = s->from->page(streams, s, nr, &page.size);

		if (!bytes || dkt__page_load(&page, bytes, 0, &record))
			continue;
		do
			err = learn_record(l, &record);
		while (!err && !dkt__page_next(&page, &record));
	}
	return err;
}

int dkt__live_learn(struct dkt__live *live)
{
	struct naming *events __cleanup(free) = calloc(UINT16_MAX + 1, sizeof(*events));
	uint64_t *times __cleanup(free) = calloc(PIDS, sizeof(*times));
	struct learning learning = { .live = live, .events = events, .times = times };
	int err = events && times ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < live->streams.n; i++)
		err = learn_cpu(&learning, i);
	return dkt__with_words(live->in->ctx, err);
}
