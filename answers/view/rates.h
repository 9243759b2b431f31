/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records over time: by event and by class, with losses and a sample of their text. */
#pragma once

#include "answers/view/axis.h"
#include "compat/lustre/style.h"
#include "compat/pipeline/pipeline.h"
#include "lib/base/arena.h"
#include "lib/base/keymap.h"

/* The records of each bin whose text is kept. */
#define RATES_SAMPLES 2

/* The fields of sched_switch. */
struct rates_switch {
	const struct dkt_field *prev_pid, *next_pid, *prev_comm, *next_comm;
};

/* An event of one of the sources. */
struct rates_event {
	struct dkt_event *event;
	uint32_t part; /* of the pipeline */
	struct rates_switch sched; /* all NULL, unless it is sched_switch */
	struct class_bits bits; /* of all its records, unless bits.fields */
	struct series series;
};

struct rates_sample {
	uint64_t ts;
	const struct dkt_event *event;
	uint32_t cpu;
	char *text;
};

/* Losses on all CPUs. The times before a gap back to the last record of its CPU are shadowed. */
struct rates_losses {
	struct series lost; /* the known numbers, at the end of each gap */
	struct series gaps;
	struct series shadow; /* ns of gaps, summed over CPUs */
	uint64_t unknown; /* gaps with an unknown number of records */
};

struct rates {
	struct axis *axis;
	struct pipeline *p;
	struct style **styles; /* for the text and the classes of records, by part */
	struct dkt__keymap known; /* events */
	struct rates_event **events; /* by entry of known */
	uint32_t n_events;
	struct series *classes[MASK_BITS]; /* of messages, which have their class in a field */
	struct rates_losses losses;
	uint64_t *last; /* time of each CPU's last record */
	uint32_t n_last;
	unsigned int samples_shift; /* as in struct series */
	struct rates_sample samples[AXIS_BINS][RATES_SAMPLES];
	struct dkt_buf *text;
};

/* Clear it in either case. The axis and the pipeline outlive it. */
int rates_init(struct rates *rates, struct axis *axis, struct pipeline *p);
void rates_clear(struct rates *rates);

/* *event: that of the record; NULL: it is a gap. */
int rates_add(struct rates *rates, struct dkt_source *source, const struct dkt_record *record,
	      const struct rates_event **event);

/* After the last record: brings everything to the width of the axis's bins. */
void rates_finish(struct rates *rates);

/* Returns the counts of a class over time, which the caller frees. NULL: out of memory. */
struct series *rates_class(const struct rates *rates, unsigned int bit);
