/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of the perfetto style: tracks, and the field numbers of Perfetto's messages.
 */
#pragma once

#include "lib/base/proto.h"
#include "lib/intervals.h"
#include "lib/request.h"
#include "lib/style.h"

/*
 * Field numbers of protos/perfetto/trace in https://github.com/google/perfetto: trace_packet.proto,
 * track_event/track_event.proto and track_descriptor.proto, ftrace/ftrace_event.proto,
 * profiling/profile_packet.proto and profile_common.proto, and others.
 */
enum {
	TRACE_PACKET = 1,

	PACKET_FTRACE_EVENTS = 1,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_SYSTEM_INFO = 45,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_PERF_SAMPLE = 66,

	SEQUENCE_FLAGS_CLEARED = 1,
	SEQUENCE_FLAGS_NEEDS_STATE = 2,

	SNAPSHOT_CLOCKS = 1,
	SNAPSHOT_PRIMARY = 2,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
	CLOCK_REALTIME_ID = 1,
	CLOCK_BOOTTIME_ID = 6,

	SYSTEM_UTSNAME = 1,
	UTSNAME_SYSNAME = 1,
	UTSNAME_RELEASE = 3,
	UTSNAME_MACHINE = 4,

	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT = 5,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,

	EVENT_CATEGORY_IIDS = 3,
	EVENT_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK_UUID = 11,
	EVENT_NAME = 23,
	TYPE_SLICE_BEGIN = 1,
	TYPE_SLICE_END = 2,
	TYPE_INSTANT = 3,

	ANNOTATION_NAME_IID = 1,
	ANNOTATION_UINT = 3,
	ANNOTATION_INT = 4,
	ANNOTATION_STRING = 6,
	ANNOTATION_POINTER = 7,
	ANNOTATION_NAME = 10,
	ANNOTATION_ARRAY = 12,

	INTERNED_CATEGORIES = 1,
	INTERNED_EVENT_NAMES = 2,
	INTERNED_ANNOTATION_NAMES = 3,
	INTERNED_FUNCTIONS = 5,
	INTERNED_FRAMES = 6,
	INTERNED_CALLSTACKS = 7,
	INTERNED_PATHS = 17,
	INTERNED_MAPPINGS = 19,
	INTERNED_IID = 1,
	INTERNED_NAME = 2,

	FRAME_IID = 1,
	FRAME_FUNCTION_IID = 2,
	FRAME_MAPPING_IID = 3,
	FRAME_REL_PC = 4,
	MAPPING_IID = 1,
	MAPPING_PATH_IID = 7,
	CALLSTACK_IID = 1,
	CALLSTACK_FRAME_IIDS = 2,

	SAMPLE_CPU = 1,
	SAMPLE_PID = 2,
	SAMPLE_TID = 3,
	SAMPLE_CALLSTACK_IID = 4,
	SAMPLE_CPU_MODE = 5,
	CPU_MODE_KERNEL = 1,
	CPU_MODE_USER = 2,

	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_LOST = 3,
	FTRACE_TIMESTAMP = 1,
	FTRACE_PID = 2,
};

/* ---- packets (style/perfetto_start.c) ---- */

/* Begins a packet; dkt__proto_close() ends it. */
size_t dkt__perfetto_packet(struct dkt_buf *buf, uint64_t ts, uint32_t flags);

/* Within PACKET_INTERNED_DATA: gives a name its ID. */
void dkt__perfetto_intern(struct dkt_buf *buf, uint32_t kind, uint64_t iid, const char *name);

/* Puts the first packets. */
void dkt__perfetto_start(const struct dkt_style *style, uint64_t ts, struct dkt_buf *buf);

/* ---- samples of perf (style/perfetto_sample.c) ---- */

/* Written so far: texts, and the bytes of what refers to them. */
struct perfetto_samples {
	struct dkt__intern functions, files, frames, stacks;
	struct dkt_buf stack; /* of the sample: the IDs of its frames */
};

/* True for a sample of perf with a stack, which is drawn as one. */
bool dkt__perfetto_is_sample(const struct dkt_record *record);

/* Puts it. -ENOMEM. */
int dkt__perfetto_sample(struct perfetto_samples *samples, struct dkt_ctx *ctx,
			 const struct dkt_record *record, struct dkt_buf *buf);
void dkt__perfetto_samples_clear(struct perfetto_samples *samples);

/* ---- arguments (style/perfetto_args.c) ---- */

/* IDs of the interned names that every trace has. */
enum {
	IID_CPU = 1,
	IID_TEXT,
	IID_LOST,
	IID_FIRST_FREE,
};

/* Appends the event's arguments. The columns' names are interned from first_iid on. */
int dkt__perfetto_arguments(const struct dkt_style *style, const struct dkt__form *form,
			    uint64_t first_iid, const struct dkt_record *record,
			    struct dkt_buf *buf);

/* ---- states of threads (style/perfetto_state.c) ---- */

/* The bits of prev_state in the records, and those that Perfetto expects (to_). */
struct task_states {
	bool is_new, to_new; /* the bits of Linux 4.14 and newer */
	bool is_swapped; /* the bits of "X" and "Z" are swapped */
	uint32_t plus, to_plus; /* the bit of "R+" */
};

/*
 * Reads the states from the print format of sched_switch. kernel: the kernel's release, as written
 * for Perfetto; NULL: none is written.
 */
void dkt__task_states(struct task_states *states, const char *print, const char *kernel);
uint64_t dkt__task_state(const struct task_states *states, uint64_t v);

/* Returns the number of Perfetto's message for a switch or a wake-up; 0: the event is none. */
uint32_t dkt__sched_number(const struct dkt_event *event);

/* ---- pairs: the events that begin and end slices (style/slice.c) ---- */

enum pair_phase {
	PAIR_NONE,
	PAIR_BEGIN,
	PAIR_END,
};

/* The kind of slice, which decides on which track it is shown. */
enum pair_kind {
	PAIR_RAW_SYSCALL, /* of a thread */
	PAIR_SYSCALL,
	PAIR_WORK,
	PAIR_FUNCTION,
	PAIR_IRQ, /* of a CPU */
	PAIR_VECTOR,
	PAIR_SOFTIRQ,
	PAIR_REQUEST, /* of a block device */
	PAIR_INTERVAL, /* of a thread: the ready-made intervals, by their numbers */
	PAIR_KINDS = PAIR_INTERVAL + 8,
};

/* The source of a slice's name. */
enum pair_name {
	PAIR_NAME_EVENT, /* words: the event's name, without "sys_enter_", "_entry", ..., or the interval's */
	PAIR_NAME_SYSCALL, /* the number in the field */
	PAIR_NAME_TEXT, /* the text in the field */
	PAIR_NAME_FUNCTION, /* the address in the field */
	PAIR_NAME_SOFTIRQ, /* the number in the field */
};

struct pair {
	enum pair_phase phase;
	enum pair_kind kind;
	enum pair_name name;
	const struct dkt_field *field; /* of the name; NULL: PAIR_NAME_EVENT */
	struct dkt__request_fields request; /* PAIR_REQUEST */
	const char *words; /* PAIR_NAME_EVENT */
};

/* True if the event's records begin or end slices that need no definition. */
bool dkt__pair_is_known(const struct dkt_event *event);

/* Finds the slice that the event's records begin or end; false: none. The style owns pair->words. */
bool dkt__pair_of(struct dkt_style *style, struct dkt_event *event, struct pair *pair);

/* Appends the name of the slice that the record begins. */
void dkt__pair_name(const struct pair *pair, const struct dkt_record *record, struct dkt_buf *buf);

/* ---- tracks (style/perfetto_track.c) ---- */

enum track_kind {
	TRACK_CPU,
	TRACK_IRQ, /* child of a CPU's track */
	TRACK_SOFTIRQ,
	TRACK_THREAD,
	TRACK_LANE, /* of a block device: requests overlap, a track's slices may not */
	TRACK_INTERVAL, /* the same of a ready-made interval */
};

#define LANE_WORDS PAIRS_KEYS

struct track {
	uint64_t id; /* CPU, thread, or device or interval and lane */
	uint32_t stream;
	enum track_kind kind;
	uint64_t uuid;
	uint32_t depth; /* open slices */
	uint32_t opened[PAIR_KINDS]; /* depth of each kind's open slice, 0: none; of functions: count */
	bool busy; /* lane: its slice is open; CPU: the next bundle reports a loss */
	uint64_t key[LANE_WORDS]; /* of the slice: sector and operation, or fields of an interval */
	uint64_t left; /* sectors of a request that have not been completed */
};

struct tracks {
	struct track **slots; /* by a hash */
	size_t size, n;
};

/* Finds or creates the track; *is_new: created. NULL: out of memory. */
struct track *dkt__track_get(struct tracks *tracks, enum track_kind kind, uint32_t stream,
			     uint64_t id, bool *is_new);

/* Finds the track, or returns NULL. */
struct track *dkt__track_find(const struct tracks *tracks, enum track_kind kind, uint32_t stream,
			      uint64_t id);
void dkt__tracks_free(struct tracks *tracks);

/*
 * Puts the packet that names a new track. comm: the name of a thread or an interval. Threads of other streams get no
 * PID, because PIDs of two hosts may be equal.
 */
void dkt__track_put(const struct dkt_style *style, struct dkt_buf *buf, const struct track *track,
		    uint64_t parent, uint64_t ts, const char *comm);

/*
 * Finds the lane of the device or interval whose open slice has the key. If no lane has, returns with
 * want_free the first free one, otherwise NULL.
 */
struct track *dkt__track_lane(struct tracks *tracks, enum track_kind kind, uint32_t stream,
			      uint64_t id, const uint64_t key[LANE_WORDS], bool want_free,
			      bool *is_new);

/* ---- ready-made intervals that no thread has (style/perfetto_interval.c) ---- */

/* The part that records of an event have in an interval. */
/* An interval that counts only within another one, of the kernel of that context. */
struct nested_lane {
	struct dkt_ctx *ctx;
	uint32_t nr;
	struct dkt_intervals *pairs; /* tells which records begin it; NULL: it has no events */
};

struct nested_lanes {
	struct nested_lane *list;
	size_t n;
};

/* Takes a record that was lost. -ENOMEM. */
int dkt__nested_lost(struct nested_lanes *nested, const struct dkt_record *record);
void dkt__nested_clear(struct nested_lanes *nested);

struct interval_role {
	uint32_t nr; /* of the interval */
	struct dkt_intervals *nested; /* takes the records, and tells which begin; NULL: all do */
	const char *name;
	uint32_t n_keys;
	bool requests; /* in place of keys */
	struct pair_event side;
};

struct interval_roles {
	struct interval_role *list;
	size_t n;
};

/*
 * Finds the intervals that the event begins or ends: of each name the first one of which the kernel has the events,
 * unless a record that begins one is drawn already; and those that count only within what the event begins or ends.
 * The style owns the list. -ENOMEM.
 */
int dkt__lane_roles(struct dkt_style *style, struct dkt_event *event, struct nested_lanes *nested,
		    struct interval_roles *roles);

/*
 * Returns the lane whose slice the record ends; NULL: none. *part: it is of a request that goes on after it. strings:
 * of keys.
 */
struct track *dkt__interval_end(struct tracks *tracks, const struct interval_role *role,
				const struct dkt_record *record, struct dkt__intern *strings,
				bool *part);

/* Returns the lane for the slice that the record begins; NULL: it begins none, none is free, or memory is out. */
struct track *dkt__interval_begin(struct tracks *tracks, const struct interval_role *role,
				  const struct dkt_record *record, struct dkt__intern *strings,
				  bool *is_new);
