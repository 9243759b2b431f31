/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out once for each event what it tells about system calls, and where in the record. */
#pragma once

#include <dktrace/dktrace.h>

#include "answers/strace/signature.h"
#include "lib/base/keymap.h"

enum call_role {
	CALL_OTHER, /* tells nothing */
	CALL_BEGINS,
	CALL_ENDS,
	CALL_TEXT, /* of an event probe: strings of the call that begins just before or after */
	CALL_PROBE, /* of a probe of a function that makes the call, or is called by it: its paths */
	TASK_BEGINS,
	TASK_ENDS,
	TASK_EXECS, /* a thread takes the ID of its process */
	SIGNAL_SENT,
	SIGNAL_DELIVERED,
	CALL_SWITCH, /* one thread stops running, another runs */
	CALL_KERNEL_STACK,
	CALL_USER_STACK,
};

/* An integer in a record; size 0: the event lacks it. */
struct call_int {
	uint32_t at;
	uint32_t size;
	bool is_signed;
};

struct call_event {
	const struct dkt_event *event;
	enum call_role role;
	bool raw; /* of raw_syscalls */
	struct call_int number; /* of the call, or the signal */
	struct call_int ret; /* of a signal that is sent: 0 if it is queued */
	unsigned int n_args;
	struct call_int args[CALL_ARGS];
	const struct dkt_field *texts[CALL_ARGS]; /* strings; NULL: the event has only the address */
	const char *call; /* CALL_PROBE: the call's name; "": all that open files */
	const struct dkt_field *paths[CALL_ARGS]; /* CALL_PROBE: its strings, in order */
	struct call_int tid, flags; /* of a task; tid: the thread that a signal is sent to */
	struct call_int handler; /* of a signal; 0: none */
	struct call_int old_tid; /* of a task that executes a program */
	struct call_int prev_state, next_pid; /* of a switch */
	struct call_int frames; /* of a stack: the first address */
};

/* The most recent events, for one look without a search. */
#define CALL_EVENTS_NEAR 64

struct call_events {
	struct dkt__keymap map; /* by address of the event */
	struct call_event **list;
	size_t n;
	struct call_event *near[CALL_EVENTS_NEAR];
};

void call_events_clear(struct call_events *events);

/* Returns NULL if memory is out. */
const struct call_event *call_events_add(struct call_events *events, struct dkt_event *event);

static inline const struct call_event *call_events_find(struct call_events *events,
							struct dkt_event *event)
{
	const struct call_event *near = events->near[(uintptr_t)event / 64 % CALL_EVENTS_NEAR];

	return dkt__likely(near && near->event == event) ? near : call_events_add(events, event);
}

/* Returns 0 if the record is too short. */
static inline uint64_t call_int(const struct dkt_record *record, const struct call_int *number)
{
	const uint8_t *p = (const uint8_t *)record->data + number->at;
	uint64_t wide;
	uint32_t word;
	uint16_t half;

	if (dkt__unlikely(number->at > record->size || number->size > record->size - number->at))
		return 0;
	switch (number->size) {
	case 8:
		memcpy(&wide, p, 8);
		return wide;
	case 4:
		memcpy(&word, p, 4);
		return number->is_signed ? (uint64_t)(int64_t)(int32_t)word : word;
	case 2:
		memcpy(&half, p, 2);
		return number->is_signed ? (uint64_t)(int64_t)(int16_t)half : half;
	case 1:
		return number->is_signed ? (uint64_t)(int64_t)(int8_t)*p : *p;
	default:
		return 0;
	}
}

/* True if the record is long enough. */
static inline bool call_int_has(const struct dkt_record *record, const struct call_int *number)
{
	return number->size && number->at <= record->size &&
	       number->size <= record->size - number->at;
}
