/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the contents of a recording. */
#pragma once

#include "ctl/input/inputs.h"

/* The number of gaps that are stored; others are only counted. */
#define INFO_GAPS 1000

struct info_span {
	uint64_t records;
	uint64_t bytes; /* of records */
	uint64_t first, last; /* times */
};

struct info_event {
	struct dkt_event *event; /* NULL: no record has this event */
	struct info_span span;
};

struct info_cpu {
	struct info_span span;
	struct dkt_loss loss;
	uint64_t gaps;
};

/* Records were lost on the CPU between these times. */
struct info_gap {
	uint32_t cpu;
	uint64_t from, to; /* from 0: before the first record */
	uint64_t lost;
};

struct info {
	const struct input *in;
	const struct pipeline *pipeline;
	struct info_span all;
	struct info_event *events; /* that have records, sorted by their number */
	size_t n_events;
	struct info_cpu *cpus;
	uint32_t n_cpus;
	struct info_gap gaps[INFO_GAPS];
	size_t n_gaps; /* stored */
	uint64_t all_gaps;
	uint64_t lost, bad;
};

/* Reads all records of the input. */
int info_count(struct inputs *in, struct info *info);
void info_clear(struct info *info);

/* True if the times are not ns. */
bool info_has_ticks(const struct info *info);

/* Records per second; 0: the times are not ns. */
double info_rate(const struct info *info, uint64_t records);

/* Prints the contents on stdout. Returns 0 or -ENOMEM. */
int info_print(const struct app *app, const struct info *info);

/* Lists the segments of a directory that may have records of the window. Returns the exit status. */
int info_segments(struct app *app, const char *path, const struct selection *selection);
