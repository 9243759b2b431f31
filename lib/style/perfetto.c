/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The perfetto style: a protobuf trace for https://ui.perfetto.dev. Switches and wake-ups are
 * ftrace events, from which Perfetto makes the tracks of CPUs and the states of threads. All others
 * are track events, with their fields as arguments: slices if events come in pairs, otherwise
 * instants. Samples of perf with stacks are Perfetto's own samples.
 */
#include "lib/style/perfetto.h"

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
	struct interval_roles roles;
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
	struct dkt__intern strings; /* of the keys of intervals */
	struct nested_lanes nested;
	struct perfetto_samples samples;
	uint64_t next_iid;
	bool started;
};

/* ---- tracks ---- */

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
		dkt__track_put(&perfetto->base, buf, track, parent ? parent->uuid : 0, record->ts,
			       comm);
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
	uint64_t words[DKT__REQUEST_WORDS];
	const uint64_t sectors = dkt__request_read(&pair->request, record, words);
	const uint64_t key[LANE_WORDS] = { words[1], words[2] };
	struct track *track;
	bool is_new;

	track = dkt__track_lane(&perfetto->tracks, TRACK_LANE, record->stream, words[0], key,
				begins, &is_new);
	if (!track)
		return NULL;
	if (is_new)
		dkt__track_put(&perfetto->base, buf, track, 0, record->ts, comm);
	*part = !begins && sectors < track->left;
	if (*part) {
		track->key[0] += sectors;
		track->left -= sectors;
		return track;
	}
	track->busy = begins;
	memcpy(track->key, key, sizeof(track->key));
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
	dkt__perfetto_intern(buf, INTERNED_EVENT_NAMES, known->name_iid, form->event->name);
	dkt__perfetto_intern(buf, INTERNED_CATEGORIES, known->category_iid, form->event->system);
	for (uint32_t i = 0; i < form->n; i++)
		dkt__perfetto_intern(buf, INTERNED_ANNOTATION_NAMES, known->first_iid + i,
				     form->columns[i].name);
	dkt__proto_close(buf, part);
}

/* interval: the name of a slice; NULL: the event has it. */
static int put_event(const struct perfetto *perfetto, const struct dkt__form *form,
		     const struct dkt_record *record, const struct track *track, uint32_t type,
		     const char *interval, struct dkt_buf *buf)
{
	const struct known *known = form->data;
	size_t packet = dkt__perfetto_packet(buf, record->ts, SEQUENCE_FLAGS_NEEDS_STATE), event,
	       name;
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
		if (interval)
			dkt_buf_str(buf, interval);
		else
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
		size_t packet = dkt__perfetto_packet(buf, ts, SEQUENCE_FLAGS_NEEDS_STATE);
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
	return put_event(perfetto, form, record, track, TYPE_SLICE_BEGIN, NULL, buf);
}

static int end_slice(const struct perfetto *perfetto, const struct dkt__form *form,
		     const struct dkt_record *record, struct track *track, struct dkt_buf *buf)
{
	enum pair_kind kind = ((const struct known *)form->data)->pair.kind;

	/* The begin was before the trace, or was lost. */
	if (!track->opened[kind])
		return put_event(perfetto, form, record, track, TYPE_INSTANT, NULL, buf);
	if (kind == PAIR_FUNCTION) {
		track->opened[kind]--;
	} else {
		close_to(track, track->opened[kind], record->ts, buf);
		track->opened[kind] = 0;
	}
	track->depth--;
	return put_event(perfetto, form, record, track, TYPE_SLICE_END, NULL, buf);
}

/*
 * Ends the slices of intervals that the record ends, then begins those that it begins. *drawn: the record is in one of
 * them.
 */
static int put_intervals(struct perfetto *perfetto, const struct dkt__form *form,
			 const struct dkt_record *record, struct dkt_buf *buf, bool *drawn)
{
	const struct interval_roles *roles = &((const struct known *)form->data)->roles;
	bool part, is_new = false;
	int err = 0;

	for (size_t i = 0; !err && i < roles->n; i++) {
		struct track *track = dkt__interval_end(&perfetto->tracks, &roles->list[i], record,
							&perfetto->strings, &part);

		if (!track)
			continue;
		*drawn = true;
		track->depth = part;
		err = put_event(perfetto, form, record, track, part ? TYPE_INSTANT : TYPE_SLICE_END,
				NULL, buf);
	}
	for (size_t i = 0; !err && i < roles->n; i++) {
		const struct interval_role *role = &roles->list[i];
		struct track *track = dkt__interval_begin(&perfetto->tracks, role, record,
							  &perfetto->strings, &is_new);

		if (!track)
			continue;
		*drawn = true;
		if (is_new)
			dkt__track_put(&perfetto->base, buf, track, 0, record->ts, role->name);
		/* The end of one with the same key is missing. */
		close_to(track, 0, record->ts, buf);
		track->depth = 1;
		err = put_event(perfetto, form, record, track, TYPE_SLICE_BEGIN, role->name, buf);
	}
	return err;
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
	packet = dkt__perfetto_packet(buf, record->ts, SEQUENCE_FLAGS_NEEDS_STATE);
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
	bool part = false, drawn = false;
	int err;

	if (!perfetto->started)
		dkt__perfetto_start(style, record->ts, buf);
	perfetto->started = true;
	if (!record->event) {
		err = dkt__nested_lost(&perfetto->nested, record);
		return err ? err : put_lost(perfetto, record, buf);
	}
	if (dkt__perfetto_is_sample(record))
		return dkt__perfetto_sample(&perfetto->samples, style->ctx, record, buf);
	form = dkt__style_form_of(style, record);
	if (!form)
		return -ENOMEM;
	known = form->data;
	err = known->roles.n ? put_intervals(perfetto, form, record, buf, &drawn) : 0;
	if (err)
		return err;
	/* Perfetto shows the CPUs of one host only. */
	if (known->sched && !record->stream)
		return put_sched(perfetto, known, record, buf);
	if (drawn && known->pair.phase == PAIR_NONE)
		return 0;
	if (known->pair.phase != PAIR_NONE)
		track = pair_track(perfetto, &known->pair, record, comm, buf, &part);
	if (track && known->pair.phase == PAIR_BEGIN)
		return begin_slice(perfetto, form, record, track, buf);
	if (part)
		return put_event(perfetto, form, record, track, TYPE_INSTANT, NULL, buf);
	if (track)
		return end_slice(perfetto, form, record, track, buf);
	track = thread_track(perfetto, record, comm, buf);
	return track ? put_event(perfetto, form, record, track, TYPE_INSTANT, NULL, buf) : -ENOMEM;
}

/* A sample has put its stacks already. */
static int perfetto_stacks(struct dkt_style *style, const struct dkt_record *record,
			   const char *comm, struct dkt_buf *buf)
{
	return dkt__perfetto_is_sample(record) ? 0 :
						 dkt__style_stack_records(style, record, comm, buf);
}

/* ---- the style ---- */

uint32_t dkt__sched_number(const struct dkt_event *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(scheds); i++)
		if (!strcmp(event->system, "sched") && !strcmp(scheds[i].event, event->name))
			return scheds[i].number;
	return 0;
}

/* Perfetto needs all fields of a message, except success, which newer kernels do not have. */
static void find_sched(struct known *known, struct dkt_event *event, const char *kernel)
{
	known->sched = dkt__sched_number(event);
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
	return dkt__lane_roles(style, form->event, &perfetto->nested, &known->roles);
}

static int perfetto_open(struct dkt_style *style)
{
	((struct perfetto *)style)->next_iid = IID_FIRST_FREE;
	return 0;
}

static void perfetto_close(struct dkt_style *style)
{
	dkt__tracks_free(&((struct perfetto *)style)->tracks);
	dkt__intern_clear(&((struct perfetto *)style)->strings);
	dkt__nested_clear(&((struct perfetto *)style)->nested);
	dkt__perfetto_samples_clear(&((struct perfetto *)style)->samples);
}

const struct dkt__style_ops dkt__style_perfetto_ops = {
	.name = "perfetto",
	.words = "a trace for ui.perfetto.dev: tracks of CPUs, threads, interrupts and requests",
	.traits = DKT_STYLE_DATA | DKT_STYLE_BINARY | DKT_STYLE_ORDER,
	.size = sizeof(struct perfetto),
	.open = perfetto_open,
	.learn = perfetto_learn,
	.record = perfetto_record,
	.stacks = perfetto_stacks,
	.close = perfetto_close,
};
