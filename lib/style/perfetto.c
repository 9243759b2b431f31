/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The perfetto style: a protobuf trace for https://ui.perfetto.dev. Switches and wake-ups are
 * ftrace events, from which Perfetto makes the tracks of CPUs and the states of threads. All others
 * are track events, with their fields as arguments: slices if events come in pairs, otherwise
 * instants.
 */
#include "lib/style/perfetto.h"
#include "lib/base/disks.h"

#define SEQUENCE 1

#define SCHED_FIELDS 7

/* Perfetto's messages for these events: the number, and the event fields for fields 1, 2, ... */
static const struct {
	const char *event;
	uint32_t number;
	const char *fields[SCHED_FIELDS];
} scheds[] = {
	/* clang-format off */
	{ "sched_switch", 4, { "prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio" } },
	{ "sched_wakeup", 17, { "comm", "pid", "prio", "success", "target_cpu" } },
	{ "sched_waking", 20, { "comm", "pid", "prio", "success", "target_cpu" } },
	{ "sched_wakeup_new", 114, { "comm", "pid", "prio", "success", "target_cpu" } },
	/* clang-format on */
};

/* The style's state for an event. */
struct known {
	struct pair pair; /* phase PAIR_NONE: no slice */
	uint32_t sched; /* number of its message in scheds; 0: none */
	const struct dkt_field *fields[SCHED_FIELDS]; /* NULL: this kernel does not have the field */
	const struct dkt_field *state; /* the field with a thread's state, or NULL */
	struct task_states states;
	uint64_t name_iid, category_iid;
	uint64_t first_iid; /* of the first column's name; the others follow */
	bool interned;
};

struct perfetto {
	struct dkt_style base;
	struct tracks tracks;
	uint64_t next_iid;
	bool started;
};

/* ---- packets ---- */

static size_t packet_open(struct dkt_buf *buf, uint64_t ts, uint32_t flags)
{
	size_t packet = dkt__proto_open(buf, TRACE_PACKET);

	dkt__proto_uint(buf, PACKET_TIMESTAMP, ts);
	dkt__proto_uint(buf, PACKET_SEQUENCE_ID, SEQUENCE);
	dkt__proto_uint(buf, PACKET_SEQUENCE_FLAGS, flags);
	return packet;
}

static void put_interned(struct dkt_buf *buf, uint32_t kind, uint64_t iid, const char *name)
{
	size_t entry = dkt__proto_open(buf, kind);

	dkt__proto_uint(buf, INTERNED_IID, iid);
	dkt__proto_utf8(buf, INTERNED_NAME, name, strlen(name));
	dkt__proto_close(buf, entry);
}

static void put_clock(struct dkt_buf *buf, uint32_t id, uint64_t ns)
{
	size_t clock = dkt__proto_open(buf, SNAPSHOT_CLOCKS);

	dkt__proto_uint(buf, CLOCK_ID, id);
	dkt__proto_uint(buf, CLOCK_TIMESTAMP, ns);
	dkt__proto_close(buf, clock);
}

/* From "6.1.0-44-amd64 x86_64" Perfetto knows the states of threads and the system calls. */
static void put_system(const char *kernel, uint64_t ts, struct dkt_buf *buf)
{
	size_t packet = packet_open(buf, ts, SEQUENCE_FLAGS_NEEDS_STATE);
	size_t system = dkt__proto_open(buf, PACKET_SYSTEM_INFO);
	size_t utsname = dkt__proto_open(buf, SYSTEM_UTSNAME), n = strcspn(kernel, " ");

	dkt__proto_str(buf, UTSNAME_SYSNAME, "Linux");
	dkt__proto_bytes(buf, UTSNAME_RELEASE, kernel, n);
	if (kernel[n])
		dkt__proto_str(buf, UTSNAME_MACHINE, kernel + n + 1);
	dkt__proto_close(buf, utsname);
	dkt__proto_close(buf, system);
	dkt__proto_close(buf, packet);
}

/* Puts the first packets. Perfetto gets every clock as the time since boot. */
static void put_start(struct perfetto *perfetto, uint64_t ts, struct dkt_buf *buf)
{
	const struct dkt_source_info *source = &perfetto->base.source;
	size_t packet = packet_open(buf, ts, SEQUENCE_FLAGS_CLEARED), part;

	part = dkt__proto_open(buf, PACKET_CLOCK_SNAPSHOT);
	put_clock(buf, CLOCK_BOOTTIME_ID, ts);
	if (source->has_wall)
		put_clock(buf, CLOCK_REALTIME_ID, ts + (uint64_t)source->wall);
	dkt__proto_uint(buf, SNAPSHOT_PRIMARY, CLOCK_BOOTTIME_ID);
	dkt__proto_close(buf, part);
	part = dkt__proto_open(buf, PACKET_INTERNED_DATA);
	put_interned(buf, INTERNED_ANNOTATION_NAMES, IID_CPU, "cpu");
	put_interned(buf, INTERNED_ANNOTATION_NAMES, IID_TEXT, "text");
	put_interned(buf, INTERNED_ANNOTATION_NAMES, IID_LOST, "lost");
	dkt__proto_close(buf, part);
	dkt__proto_close(buf, packet);
	if (source->kernel)
		put_system(source->kernel, ts, buf);
	perfetto->started = true;
}

/* ---- tracks ---- */

/* Writes "block vda", or "block 254,0" if the name of the disk is unknown. */
static void lane_name(const struct perfetto *perfetto, const struct track *track, char *text,
		      size_t size)
{
	const uint64_t dev = track->id >> 8;
	const char *disk = dkt__source_disk(perfetto->base.opts.disks, track->stream, dev);
	char number[DKT__DISK_NUMBER];

	dkt__disk_number(dev, number);
	snprintf(text, size, "block %s", disk ? disk : number);
}

static void put_track_name(const struct perfetto *perfetto, struct dkt_buf *buf,
			   const struct track *track, const char *comm)
{
	struct dkt_source *streams = perfetto->base.opts.streams;
	const char *name = streams ? dkt_source_stream(streams, track->stream) : NULL;
	char text[64];

	if (track->kind == TRACK_THREAD)
		dkt__add_utf8(buf, comm, strlen(comm));
	else if (track->kind == TRACK_IRQ)
		dkt_buf_str(buf, "interrupts");
	else if (track->kind == TRACK_SOFTIRQ)
		dkt_buf_str(buf, "soft interrupts");
	else if (track->kind == TRACK_LANE)
		lane_name(perfetto, track, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "CPU %u", (uint32_t)track->id);
	if (track->kind == TRACK_LANE || track->kind == TRACK_CPU)
		dkt_buf_str(buf, text);
	if (track->stream) {
		snprintf(text, sizeof(text), " of %u", track->stream);
		dkt_buf_str(buf, name ? " of " : text);
		dkt__add_utf8(buf, name ? name : "", name ? strlen(name) : 0);
	}
}

/* Threads of other streams get no PID, because PIDs of two hosts may be equal. */
static void put_track(const struct perfetto *perfetto, struct dkt_buf *buf,
		      const struct track *track, uint64_t parent, uint64_t ts, const char *comm)
{
	size_t packet = packet_open(buf, ts, SEQUENCE_FLAGS_NEEDS_STATE);
	size_t descriptor = dkt__proto_open(buf, PACKET_TRACK_DESCRIPTOR), part = 0;
	bool thread = track->kind == TRACK_THREAD && !track->stream;
	size_t name;

	dkt__proto_uint(buf, DESCRIPTOR_UUID, track->uuid);
	if (parent)
		dkt__proto_uint(buf, DESCRIPTOR_PARENT, parent);
	if (thread) {
		part = dkt__proto_open(buf, DESCRIPTOR_THREAD);
		/* Records do not have the process, so each thread is its own. */
		dkt__proto_uint(buf, THREAD_PID, track->id);
		dkt__proto_uint(buf, THREAD_TID, track->id);
	}
	name = dkt__proto_open(buf, thread ? THREAD_NAME : DESCRIPTOR_NAME);
	put_track_name(perfetto, buf, track, comm);
	dkt__proto_close(buf, name);
	if (thread)
		dkt__proto_close(buf, part);
	dkt__proto_close(buf, descriptor);
	dkt__proto_close(buf, packet);
}

static struct track *get_track(struct perfetto *perfetto, enum track_kind kind, uint64_t id,
			       const struct dkt_record *record, const char *comm,
			       struct dkt_buf *buf)
{
	struct track *track, *parent = NULL;
	bool is_new;

	if (kind == TRACK_IRQ || kind == TRACK_SOFTIRQ) {
		parent = get_track(perfetto, TRACK_CPU, id, record, comm, buf);
		if (!parent)
			return NULL;
	}
	track = dkt__track_get(&perfetto->tracks, kind, record->stream, id, &is_new);
	if (track && is_new)
		put_track(perfetto, buf, track, parent ? parent->uuid : 0, record->ts, comm);
	return track;
}

/* The track of the thread; for idle threads, which all have PID 0, the track of the CPU. */
static struct track *thread_track(struct perfetto *perfetto, const struct dkt_record *record,
				  const char *comm, struct dkt_buf *buf)
{
	if (record->pid <= 0)
		return get_track(perfetto, TRACK_CPU, record->cpu, record, comm, buf);
	return get_track(perfetto, TRACK_THREAD, (uint64_t)record->pid, record, comm, buf);
}

/* The track of the request. It ends with its last sectors: *part is true if the record is of others. */
static struct track *request_track(struct perfetto *perfetto, const struct pair *pair,
				   const struct dkt_record *record, const char *comm,
				   struct dkt_buf *buf, bool *part)
{
	const bool begins = pair->phase == PAIR_BEGIN;
	uint64_t key[DKT__REQUEST_WORDS];
	const uint64_t sectors = dkt__request_read(&pair->request, record, key);
	struct track *track;
	bool is_new;

	track = dkt__track_lane(&perfetto->tracks, record->stream, key[0], key + 1, begins,
				&is_new);
	if (!track)
		return NULL;
	if (is_new)
		put_track(perfetto, buf, track, 0, record->ts, comm);
	*part = !begins && sectors < track->left;
	if (*part) {
		track->request[0] += sectors;
		track->left -= sectors;
		return track;
	}
	track->busy = begins;
	memcpy(track->request, key + 1, sizeof(track->request));
	track->left = sectors;
	return track;
}

/*
 * The track of the slice that the record begins or ends; NULL: none is free, or memory is out. *part: it does
 * not end its slice.
 */
static struct track *pair_track(struct perfetto *perfetto, const struct pair *pair,
				const struct dkt_record *record, const char *comm,
				struct dkt_buf *buf, bool *part)
{
	switch (pair->kind) {
	case PAIR_IRQ:
	case PAIR_VECTOR:
		return get_track(perfetto, TRACK_IRQ, record->cpu, record, comm, buf);
	case PAIR_SOFTIRQ:
		return get_track(perfetto, TRACK_SOFTIRQ, record->cpu, record, comm, buf);
	case PAIR_REQUEST:
		return request_track(perfetto, pair, record, comm, buf, part);
	default:
		return thread_track(perfetto, record, comm, buf);
	}
}

/* ---- track events ---- */

/* Defines the event's names in the first packet that uses them. */
static void intern(const struct dkt__form *form, struct dkt_buf *buf)
{
	struct known *known = form->data;
	size_t part;

	if (known->interned)
		return;
	known->interned = true;
	part = dkt__proto_open(buf, PACKET_INTERNED_DATA);
	put_interned(buf, INTERNED_EVENT_NAMES, known->name_iid, form->event->name);
	put_interned(buf, INTERNED_CATEGORIES, known->category_iid, form->event->system);
	for (uint32_t i = 0; i < form->n; i++)
		put_interned(buf, INTERNED_ANNOTATION_NAMES, known->first_iid + i,
			     form->columns[i].name);
	dkt__proto_close(buf, part);
}

static int put_event(const struct perfetto *perfetto, const struct dkt__form *form,
		     const struct dkt_record *record, const struct track *track, uint32_t type,
		     struct dkt_buf *buf)
{
	const struct known *known = form->data;
	size_t packet = packet_open(buf, record->ts, SEQUENCE_FLAGS_NEEDS_STATE), event, name;
	int err;

	intern(form, buf);
	event = dkt__proto_open(buf, PACKET_TRACK_EVENT);
	dkt__proto_uint(buf, EVENT_TYPE, type);
	dkt__proto_uint(buf, EVENT_TRACK_UUID, track->uuid);
	if (type != TYPE_SLICE_END)
		dkt__proto_uint(buf, EVENT_CATEGORY_IIDS, known->category_iid);
	if (type == TYPE_INSTANT) {
		dkt__proto_uint(buf, EVENT_NAME_IID, known->name_iid);
	} else if (type == TYPE_SLICE_BEGIN) {
		name = dkt__proto_open(buf, EVENT_NAME);
		dkt__pair_name(&known->pair, record, buf);
		dkt__proto_close(buf, name);
	}
	err = dkt__perfetto_arguments(&perfetto->base, form, known->first_iid, record, buf);
	dkt__proto_close(buf, event);
	dkt__proto_close(buf, packet);
	return err ? err : buf->err;
}

/* Ends the slices below depth: their ends were lost, or never recorded. */
static void close_to(struct track *track, uint32_t depth, uint64_t ts, struct dkt_buf *buf)
{
	for (; track->depth > depth; track->depth--) {
		size_t packet = packet_open(buf, ts, SEQUENCE_FLAGS_NEEDS_STATE);
		size_t event = dkt__proto_open(buf, PACKET_TRACK_EVENT);

		dkt__proto_uint(buf, EVENT_TYPE, TYPE_SLICE_END);
		dkt__proto_uint(buf, EVENT_TRACK_UUID, track->uuid);
		dkt__proto_close(buf, event);
		dkt__proto_close(buf, packet);
	}
	for (unsigned int kind = 0; kind < PAIR_KINDS; kind++)
		if (kind == PAIR_FUNCTION)
			track->opened[kind] = DKT__MIN(track->opened[kind], depth);
		else if (track->opened[kind] > depth)
			track->opened[kind] = 0;
}

/* Functions nest; of every other kind a track has at most one open slice. */
static int begin_slice(const struct perfetto *perfetto, const struct dkt__form *form,
		       const struct dkt_record *record, struct track *track, struct dkt_buf *buf)
{
	enum pair_kind kind = ((const struct known *)form->data)->pair.kind;

	if (kind != PAIR_FUNCTION && track->opened[kind])
		close_to(track, track->opened[kind] - 1, record->ts, buf);
	track->depth++;
	track->opened[kind] = kind == PAIR_FUNCTION ? track->opened[kind] + 1 : track->depth;
	return put_event(perfetto, form, record, track, TYPE_SLICE_BEGIN, buf);
}

static int end_slice(const struct perfetto *perfetto, const struct dkt__form *form,
		     const struct dkt_record *record, struct track *track, struct dkt_buf *buf)
{
	enum pair_kind kind = ((const struct known *)form->data)->pair.kind;

	/* The begin was before the trace, or was lost. */
	if (!track->opened[kind])
		return put_event(perfetto, form, record, track, TYPE_INSTANT, buf);
	if (kind == PAIR_FUNCTION) {
		track->opened[kind]--;
	} else {
		close_to(track, track->opened[kind], record->ts, buf);
		track->opened[kind] = 0;
	}
	track->depth--;
	return put_event(perfetto, form, record, track, TYPE_SLICE_END, buf);
}

/* ---- switches and wake-ups ---- */

static int put_sched(struct perfetto *perfetto, const struct known *known,
		     const struct dkt_record *record, struct dkt_buf *buf)
{
	struct track *cpu = dkt__track_find(&perfetto->tracks, TRACK_CPU, 0, record->cpu);
	size_t packet = dkt__proto_open(buf, TRACE_PACKET);
	size_t bundle = dkt__proto_open(buf, PACKET_FTRACE_EVENTS), event, message, len;
	const char *text;

	dkt__proto_uint(buf, BUNDLE_CPU, record->cpu);
	if (cpu && cpu->busy)
		dkt__proto_uint(buf, BUNDLE_LOST, 1);
	if (cpu)
		cpu->busy = false;
	event = dkt__proto_open(buf, BUNDLE_EVENT);
	dkt__proto_uint(buf, FTRACE_TIMESTAMP, record->ts);
	dkt__proto_uint(buf, FTRACE_PID, (uint32_t)record->pid);
	message = dkt__proto_open(buf, known->sched);
	for (uint32_t i = 0; i < SCHED_FIELDS; i++) {
		const struct dkt_field *field = known->fields[i];

		if (field && field->flags & DKT_FIELD_STRING) {
			text = dkt_record_bytes(record, field, &len);
			dkt__proto_utf8(buf, i + 1, text, strnlen(text, len));
		} else if (field) {
			uint64_t v = (uint64_t)dkt_record_int(record, field);

			if (field == known->state)
				v = dkt__task_state(&known->states, v);
			dkt__proto_uint(buf, i + 1, v);
		}
	}
	dkt__proto_close(buf, message);
	dkt__proto_close(buf, event);
	dkt__proto_close(buf, bundle);
	dkt__proto_close(buf, packet);
	return buf->err;
}

/* ---- records ---- */

/* Puts an instant on the CPU's track, and ends its open slices: their ends may be lost. */
static int put_lost(struct perfetto *perfetto, const struct dkt_record *record, struct dkt_buf *buf)
{
	static const enum track_kind kinds[] = { TRACK_CPU, TRACK_IRQ, TRACK_SOFTIRQ };
	struct track *track = get_track(perfetto, TRACK_CPU, record->cpu, record, "", buf), *open;
	size_t packet, event, part;

	if (!track)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		open = dkt__track_find(&perfetto->tracks, kinds[i], record->stream, record->cpu);
		if (open)
			close_to(open, 0, record->ts, buf);
	}
	track->busy = true; /* put_sched() reports the loss in the CPU's next bundle */
	packet = packet_open(buf, record->ts, SEQUENCE_FLAGS_NEEDS_STATE);
	event = dkt__proto_open(buf, PACKET_TRACK_EVENT);
	dkt__proto_uint(buf, EVENT_TYPE, TYPE_INSTANT);
	dkt__proto_uint(buf, EVENT_TRACK_UUID, track->uuid);
	dkt__proto_str(buf, EVENT_NAME, record->paused ? "nothing recorded" : "records lost");
	part = dkt__proto_open(buf, EVENT_ANNOTATIONS);
	dkt__proto_uint(buf, ANNOTATION_NAME_IID, IID_LOST);
	if (record->lost == DKT_LOST_UNKNOWN)
		dkt__proto_str(buf, ANNOTATION_STRING, "unknown number");
	else
		dkt__proto_uint(buf, ANNOTATION_UINT, record->lost);
	dkt__proto_close(buf, part);
	dkt__proto_close(buf, event);
	dkt__proto_close(buf, packet);
	return buf->err;
}

static int perfetto_record(struct dkt_style *style, const struct dkt_record *record,
			   const char *comm, struct dkt_buf *buf)
{
	struct perfetto *perfetto = (struct perfetto *)style;
	const struct dkt__form *form;
	const struct known *known;
	struct track *track = NULL;
	bool part = false;

	if (!perfetto->started)
		put_start(perfetto, record->ts, buf);
	if (!record->event)
		return put_lost(perfetto, record, buf);
	form = dkt__style_form_of(style, record);
	if (!form)
		return -ENOMEM;
	known = form->data;
	/* Perfetto shows the CPUs of one host only. */
	if (known->sched && !record->stream)
		return put_sched(perfetto, known, record, buf);
	if (known->pair.phase != PAIR_NONE)
		track = pair_track(perfetto, &known->pair, record, comm, buf, &part);
	if (track && known->pair.phase == PAIR_BEGIN)
		return begin_slice(perfetto, form, record, track, buf);
	if (part)
		return put_event(perfetto, form, record, track, TYPE_INSTANT, buf);
	if (track)
		return end_slice(perfetto, form, record, track, buf);
	track = thread_track(perfetto, record, comm, buf);
	return track ? put_event(perfetto, form, record, track, TYPE_INSTANT, buf) : -ENOMEM;
}

/* ---- the style ---- */

/* Perfetto needs all fields of a message, except success, which newer kernels do not have. */
static void find_sched(struct known *known, struct dkt_event *event, const char *kernel)
{
	if (strcmp(event->system, "sched"))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(scheds); i++)
		if (!strcmp(scheds[i].event, event->name))
			known->sched = scheds[i].number;
	for (size_t i = 0; i < ARRAY_SIZE(scheds); i++)
		for (size_t j = 0; scheds[i].number == known->sched && j < SCHED_FIELDS; j++) {
			const char *name = scheds[i].fields[j];

			known->fields[j] = name ? dkt_event_field(event, name) : NULL;
			if (name && !known->fields[j] && strcmp(name, "success"))
				known->sched = 0;
		}
	known->state = known->sched ? dkt_event_field(event, "prev_state") : NULL;
	if (known->state && dkt__event_print_format(event))
		dkt__task_states(&known->states, dkt__event_print_format(event), kernel);
}

static int perfetto_learn(struct dkt_style *style, struct dkt__form *form)
{
	struct perfetto *perfetto = (struct perfetto *)style;
	struct known *known = dkt__style_alloc(style, sizeof(*known));

	if (!known || dkt__style_keys(style, form, "", "", ""))
		return -ENOMEM;
	form->data = known;
	known->name_iid = known->category_iid = perfetto->next_iid;
	known->first_iid = perfetto->next_iid;
	perfetto->next_iid += form->n + 1;
	find_sched(known, form->event, style->source.kernel);
	if (!dkt__pair_of(style, form->event, &known->pair))
		known->pair.phase = PAIR_NONE;
	return 0;
}

static int perfetto_open(struct dkt_style *style)
{
	((struct perfetto *)style)->next_iid = IID_FIRST_FREE;
	return 0;
}

static void perfetto_close(struct dkt_style *style)
{
	dkt__tracks_free(&((struct perfetto *)style)->tracks);
}

const struct dkt__style_ops dkt__style_perfetto_ops = {
	.name = "perfetto",
	.words = "a trace for ui.perfetto.dev: tracks of CPUs, threads, interrupts and requests",
	.traits = DKT_STYLE_DATA | DKT_STYLE_BINARY | DKT_STYLE_ORDER,
	.size = sizeof(struct perfetto),
	.open = perfetto_open,
	.learn = perfetto_learn,
	.record = perfetto_record,
	.close = perfetto_close,
};
