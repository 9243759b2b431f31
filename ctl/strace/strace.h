/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* strace: shared by its files. */
#pragma once

#include "answers/strace/followed.h"
#include "answers/strace/maps.h"
#include "answers/strace/paths.h"
#include "answers/strace/stack.h"
#include "answers/strace/text.h"
#include "compat/log/threads.h"
#include "ctl/app/app.h"
#include "ctl/app/live.h"
#include "ctl/input/inputs.h"
#include "lib/base/dist.h"
#include "lib/base/keyed.h"

struct strace_options {
	const char *calls, *took;
	bool errors, stack, summary;
};
extern const struct opt_values strace_values;

/* Numbers of calls beyond this have no names. */
#define STRACE_CALLS 1024

/* The calls that the user wants. */
struct strace_choice {
	bool any; /* --calls chose: by_number is valid */
	bool others; /* also those with unknown names */
	bool by_number[STRACE_CALLS];
	uint64_t least, most; /* ns */
	bool by_duration;
	bool errors; /* only those that failed */
	bool by_filter; /* only those that --filter selected */
	bool *cpus; /* that the call ended on; NULL: all */
	int n_cpus;
};

/* Reads --took, --errors and --cpu. Returns 0 or EXIT_USAGE. */
int strace_choice_read(struct strace_choice *choice, const struct app *app);

/* Reads --calls, for the machine of the context. */
int strace_choice_calls(struct strace_choice *choice, struct dkt_ctx *ctx, const char *words);

/* True if ends of threads are printed: what chooses single calls by their properties chooses no ends. */
bool strace_choice_exits(const struct strace_choice *choice);

/* now: the time up to which an unfinished call has taken. */
bool strace_choice_has(const struct strace_choice *choice, const struct call *call, uint64_t now);
void strace_choice_clear(struct strace_choice *choice);

/*
 * Returns the condition on the number of the call with which the kernel records what is chosen, and with
 * names also what changes descriptors. NULL: all calls, or out of memory. The caller frees it.
 */
char *strace_choice_filter(const struct strace_choice *choice, struct dkt_ctx *ctx, bool names);

/* The name of a process has 15 characters. */
#define STRACE_COMM 16

/* The programs that threads executed during the trace. */
struct strace_programs {
	struct dkt__keyed names; /* from the ID of a thread to char[STRACE_COMM] */
};

int strace_programs_learn(struct strace_programs *programs, const struct call *call);
void strace_programs_forget(struct strace_programs *programs, int32_t tid);

/* Returns NULL if the thread has executed none, or its path is unknown. */
const char *strace_programs_name(const struct strace_programs *programs, int32_t tid);
void strace_programs_clear(struct strace_programs *programs);

/* The kernel that calls come from: this one, or that of a file. */
struct strace_origin {
	struct strace *strace;
	struct dkt_ctx *ctx;
	const char *name; /* printed with its calls; NULL: there is no other */
	uint32_t index;
	struct strace_choice choice; /* its CPUs are those of struct strace */
	struct dkt_expr *filter; /* of --filter; NULL: none */
	struct dkt_event *known; /* the last event, and whether the filter fits it */
	bool fits;
	struct calls *calls;
	struct descriptors *descriptors; /* NULL: names are not needed */
	struct call_text text;
	struct strace_programs programs;
	struct followed *followed; /* NULL: all threads */
	struct maps *maps; /* NULL: addresses of programs are not needed, or not of this machine */
	uint32_t executed; /* programs, since the beginning */
	bool any; /* a record has come */
	int32_t starting; /* the command's thread until it executes the command; 0: it has */
	uint64_t now; /* time of the last record */
};

/* Prints calls as lines, or with --json and --csv as objects and rows. */
struct strace_lines {
	const struct app *app;
	struct dkt_buf *buf;
	struct dkt_buf *cell;
	struct dkt_source *source;
	time_t second; /* whose text is in clock */
	char clock[16];
	bool any;
};

int strace_lines_begin(struct strace_lines *lines, const struct app *app);
int strace_lines_put(struct strace_lines *lines, const struct strace_origin *origin,
		     const struct call *call);

/* Prints how a thread ended. */
int strace_lines_exit(struct strace_lines *lines, const struct strace_origin *origin,
		      const struct call_task *task);

/* Prints a gap where it is in the order of calls. */
int strace_lines_gap(struct strace_lines *lines, const struct strace_origin *origin,
		     const struct dkt_record *gap);

/* Writes what is in the buffer. */
int strace_lines_flush(struct strace_lines *lines);
void strace_lines_clear(struct strace_lines *lines);

/* The longest name of a call. */
#define STRACE_CALL 64

/* Returns the name of the call, which may be in room: "syscall_0x1f7". */
const char *strace_call_name(const struct call_kind *kind, int number, char room[STRACE_CALL]);

/* Measures the stacks of programs from which calls are made. */
struct strace_callers;
struct out;

int strace_callers_new(struct strace_callers **callers);
int strace_callers_add(struct strace_callers *callers, const struct strace_origin *origin,
		       const struct call *call);

struct profile_round;
struct strace_summary;

/* Returns where samples of calls are to be added, whose groups are the numbers of the calls. */
struct profile_round *strace_callers_round(struct strace_callers *callers);

/* Adds the table of stacks; top: the maximum of rows, 0: as usual. -ENOMEM. */
int strace_callers_print(const struct strace_callers *callers, const struct strace_summary *summary,
			 struct out *out, size_t top);
void strace_callers_free(struct strace_callers *callers);

/* Measures calls by thread and call. */
/* stacks: also measures the stacks from which they are made. */
int strace_summary_new(bool stacks, struct strace_summary **summary);
int strace_summary_add(struct strace_summary *summary, const struct strace_origin *origin,
		       const struct call *call);

/* Returns where stacks are measured; NULL: they are not. */
struct strace_callers *strace_summary_callers(struct strace_summary *summary);

/* The sums of a call over all threads. */
struct strace_measured {
	const char *call;
	uint64_t count, total; /* ns */
};

/* False: there was no such call. */
bool strace_summary_find(const struct strace_summary *summary, int number,
			 struct strace_measured *measured);

/* The lines beside the table. */
struct strace_totals {
	struct dkt_source *source; /* knows the names of threads */
	size_t top; /* the maximum of rows; 0: all */
	struct losses_sum all;
};

int strace_summary_print(struct strace_summary *summary, const struct app *app,
			 const struct strace_totals *totals);
void strace_summary_free(struct strace_summary *summary);

/* Appends a call's stacks as lines below the call. */
void strace_stacks_text(const struct strace_origin *origin, const struct call *call,
			struct dkt_buf *buf);

/* Returns the function names of a stack, the innermost first; NULL: it is not recorded. */
struct json_object *strace_stack_json(const struct strace_origin *origin, const struct call *call,
				      bool user);

/* Appends them with ';' between, the innermost last. */
void strace_stack_folded(const struct strace_origin *origin, const struct call *call, bool user,
			 struct dkt_buf *buf);

/* The command. */
struct strace {
	struct app *app;
	struct strace_choice choice; /* without the calls, whose numbers are those of a machine */
	struct strace_origin *origins;
	uint32_t n;
	struct strace_lines lines;
	struct strace_summary *summary; /* NULL: lines */
	struct profile_live
		*sampled; /* calls of the summary, with their stacks; NULL: they are not sampled */
	struct dkt_source *source; /* of the records; NULL: no record yet */
	const size_t *part_of; /* origins by stream of the source; NULL: there is one */
	char **files; /* to read */
	size_t n_files;
	char **command;
	struct threads threads; /* whose calls are sampled */
	const char *cpus; /* --cpu; NULL: all */
	double seconds;
	int top;
};

/* Prepares the origin for its records. */
int strace_origin_begin(struct strace *strace, struct strace_origin *origin);

/* Adds a record or gap of the origin. */
int strace_origin_add(struct strace_origin *origin, const struct dkt_record *record);
void strace_origin_clear(struct strace_origin *origin);

/* The event probes that read paths. */
struct strace_texts {
	char *group;
	const char **calls; /* the names of the probes */
	size_t n;
	enum call_paths paths; /* where they come from */
};

/* Creates none on a kernel that does not need them or does not have them. */
int strace_texts_create(struct strace_texts *made, const struct app *app, struct dkt_ctx *ctx,
			const struct strace_choice *choice);
void strace_texts_remove(struct strace_texts *made, struct dkt_ctx *ctx);

/* ---- sampled.c ---- */

/*
 * Begins to sample the calls for the summary, and what they are called from: of the command, of the chosen threads,
 * or of the machine. Without the privileges or the events, says so. False: the tracer has to record stacks.
 */
bool strace_sampled_begin(struct strace *strace, pid_t command);

/* Takes what came. To be called often. */
int strace_sampled_step(struct strace *strace);

/* Takes the rest. */
int strace_sampled_end(struct strace *strace);

/* Finds the events to record, with their filters. */
struct strace_events {
	struct live_event *list;
	size_t n;
	struct dkt_expr *filter; /* of programs; NULL: none */
	struct dkt_expr *numbers; /* the same with the numbers of calls */
	struct dkt_expr *waits; /* the same for switches to other threads */
};

int strace_events_find(struct strace_events *events, const struct app *app, struct dkt_ctx *ctx,
		       const struct strace_choice *choice, const struct strace_texts *texts);
void strace_events_clear(struct strace_events *events);
