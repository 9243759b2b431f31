/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options that several commands share. */
#pragma once

#include "ctl/app/app.h"

/* The records to read. */
struct select_options {
	const char *classes, *comm, *cpu, *events, *filter, *pid, *rate, *since, *subsystems,
		*until;
};
extern const struct opt_values select_values;

/* The files to read. */
struct input_options {
	const char *offset, *symbols, *vmlinux;
};
extern const struct opt_values input_values;

/* How records are written. */
struct sink_options {
	const char *compression, *fields, *format, *jobs, *style;
	bool clock_error;
};
extern const struct opt_values sink_values;

/* The selection of what the kernel records. */
struct what_options {
	const char *classes, *comm, *cpu, *events, *filter, *pid, *probes, *stacks, *subsystems;
	bool children;
};
extern const struct opt_values what_values;

/* How an answer is printed. */
struct print_options {
	const char *top;
	bool csv, json, raw_text;
};
extern const struct opt_values print_values;

struct live_options {
	const char *duration;
};
extern const struct opt_values live_values;

struct watch_options {
	const char *watch;
};
extern const struct opt_values watch_values;

struct background_options {
	bool foreground;
};
extern const struct opt_values background_values;

extern const char *const print_styles[]; /* the words of --style for hist and latency */

extern const struct opt select_opts[], thread_opts[], time_opts[], thread_select_opts[],
	live_file_opts[], input_opts[], live_input_opts[], vmlinux_opts[], offset_opts[],
	write_opts[], copy_opts[], compression_opts[], what_opts[], program_opts[], process_opts[],
	table_opts[], raw_text_opts[], top_rows_opts[], duration_opts[], background_opts[];
