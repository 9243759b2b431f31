/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The part of libdktrace with which a program makes its own events and measures: probes, histograms,
 * tables and pairs. <dktrace/dktrace.h> includes it and has the conventions.
 */
#include <dktrace/records.h> /* before the guard: <dktrace/dktrace.h> includes both */

#ifndef DKTRACE_MEASURE_H
#define DKTRACE_MEASURE_H

#ifdef __cplusplus
extern "C" {
#endif

struct dkt_table;

/* ---- dkt_probe(3): probes, events that are created at run time ------------------------------- */

enum dkt_probe_kind {
	DKT_PROBE_ANY, /* dkt_probe_define() chooses: a program if one is given, or the kernel */
	DKT_PROBE_KPROBE, /* an instruction or a return in the kernel */
	DKT_PROBE_UPROBE, /* an instruction or a return in a program or library */
	DKT_PROBE_FPROBE, /* entry or exit of a kernel function, by ftrace */
	DKT_PROBE_TRACEPOINT, /* a tracepoint, with or without an event of its own */
	DKT_PROBE_EVENT, /* another event, with data that its fields point to */
	DKT_PROBE_SYNTHETIC, /* an event that the action of a histogram records */
};

#define DKT_PROBE_UNKNOWN UINT64_MAX

/*
 * The definition of a probe. The kernel's kprobetrace.rst and uprobetracer.rst describe the texts.
 * The strings of a probe in a list live as long as the list. A caller that passes such a struct
 * declares it with DKT_OPTS.
 */
struct dkt_probe {
	size_t sz;
	enum dkt_probe_kind kind;
	bool on_return;
	const char *group;
	const char *name;
	const char *place; /* "vfs_read", "/bin/sh:0x1234", "sched.sched_switch"; "": none */
	const char *fields; /* "count=$arg3:u64 pos=+0($arg4):s64"; "" if it has none */
	uint64_t hits; /* from the kernel; DKT_PROBE_UNKNOWN: the kernel does not count them */
	uint64_t missed; /* it fired, but the kernel recorded nothing; as hits */
};

/* A list of probes. */
struct dkt_probes;

struct dkt_probe_opts {
	size_t sz;
	enum dkt_probe_kind kind;
	const char *group; /* NULL: "dktrace" */
	const char *name; /* NULL: named after the place */
	const char *exec; /* program or library; NULL: the kernel */
	int32_t pid; /* probe this process's program, or find exec as it sees the path; 0: none */
	const char *debug_file; /* file with the debug information; NULL: search for it */
	size_t max; /* fail if a glob or a source line needs more probes than this; 0: one */
	bool inside; /* also at a place in a program at which no instruction begins */
};

/*
 * Works out the probes that a user asks for; changes nothing in the kernel. dkt_probes_free() frees
 * the list.
 *
 * place is [MODULE:]FUNCTION, FUNCTION+OFFSET, FUNCTION:LINE, FILE:LINE, an address or a glob, with
 * %return for the return of a function. In a program there is no MODULE; PROVIDER:NAME is a static
 * marker, all arguments of which are recorded if n is 0. For another event it is SYSTEM:EVENT, for
 * a tracepoint its name. args are "[NAME=]EXPRESSION[:TYPE]"; one text can have several, separated
 * by spaces: dktrace-probe(1). Names and types come from BTF or DWARF.
 *
 * -ENOENT: there is no such function, line, marker, event, variable or member; -ENOTUNIQ: several
 * functions have that name; -E2BIG: more than max probes, or too many arguments; -EINVAL: a place
 * or an argument is invalid; -EOPNOTSUPP: the kernel, or what the compiler left of a variable, does
 * not allow it; -ENODATA: there are no symbols or no debug information; -ENOEXEC: not an ELF file;
 * -ENXIO: the compiler replaced the function by a variant, which dkt_error() names; -ERANGE: an
 * offset or index is too large; -EILSEQ: no instruction of the program begins there, so that the
 * probe would crash it.
 */
DKT_API int dkt_probe_define(struct dkt_ctx *ctx, const char *place, const char *const *args,
			     size_t n, const struct dkt_probe_opts *opts,
			     struct dkt_probes **probes);

/*
 * Creates the event of a probe, disabled, and forgets the catalogue: dkt_events_forget(). -EEXIST:
 * there is an event of that name; -ENOENT: there is no such function; -EOPNOTSUPP: the kernel does
 * not have such probes; -E2BIG: the definition is longer than the kernel's limit; -EINVAL: the
 * kernel refuses it.
 */
DKT_API int dkt_probe_create(struct dkt_ctx *ctx, const struct dkt_probe *probe);

/*
 * Removes the event of a probe and forgets the catalogue: dkt_events_forget(). -ENOENT: there is no
 * such probe; -EBUSY: an instance has the event enabled, or a trigger uses it.
 */
DKT_API int dkt_probe_remove(struct dkt_ctx *ctx, const char *group, const char *name);

/*
 * Lists the probes in the kernel, whoever created them, in the order of the kernel.
 * dkt_probes_free() frees the list.
 */
DKT_API int dkt_probes_read(struct dkt_ctx *ctx, struct dkt_probes **probes);
DKT_API void dkt_probes_free(struct dkt_probes *probes);

/* Returns the i-th probe, counted from 0, or NULL after the last. Valid as long as the list. */
DKT_API const struct dkt_probe *dkt_probes_at(const struct dkt_probes *probes, size_t i);

/* ---- dkt_hist(3): histograms, records counted by the values of fields ------------------------ */

struct dkt_hist;

struct dkt_hist_opts {
	size_t sz;
	/*
	 * Fields to count by, at most three, separated by commas: "id.syscall,common_pid".
	 * Required. Modifiers, from the kernel's histogram.rst: hex sym sym-offset syscall
	 * execname log2 buckets=N usecs stacktrace. execname works on any field with a PID,
	 * once. dec, an addition, shows a number as such; otherwise a field with names in
	 * the event's print format shows the names, and a device shows "MAJOR,MINOR" or its
	 * name on this machine. Besides fields: common_cpu, common_timestamp, stacktrace,
	 * and event, the name of the event, which is always the first column.
	 */
	const char *keys;
	const char *vals; /* fields to sum, at most two, with hex percent graph; NULL: none */
	const char *sort; /* for the kernel, as of dkt_table_sort(); NULL: none */
	const char *vars; /* variables, "ts0=common_timestamp.usecs": in the kernel only */
	const char *actions; /* "onmax($lat).save(common_pid)", ':' between: in the kernel only */
	uint32_t size; /* rows, a power of two, 128 to 131072; 0: 2048, in user space 131072 */
	struct dkt_expr *filter; /* for events with its fields, not copied; NULL: none */
	int32_t skip; /* count no records of this process; 0: count all */
};

/*
 * Creates a histogram without events. -EINVAL: there are no keys, or a text is invalid; dkt_error()
 * shows the place with a caret.
 */
DKT_API int dkt_hist_new(struct dkt_ctx *ctx, const struct dkt_hist_opts *opts,
			 struct dkt_hist **hist);
DKT_API void dkt_hist_free(struct dkt_hist *hist);

/*
 * Adds an event to count. -ENOENT: the event lacks a field; -EINVAL: a field cannot be counted or
 * summed so, or differs in type from that of an event added before.
 */
DKT_API int dkt_hist_event(struct dkt_hist *hist, struct dkt_event *event);

/*
 * Adds the triggers to all events in the instance, or to none. They are removed with the instance.
 * -EOPNOTSUPP: the kernel does not have histograms, or cannot count by these keys; -EINVAL: the
 * kernel refuses the trigger.
 */
DKT_API int dkt_hist_start(struct dkt_hist *hist, struct dkt_instance *instance);

/*
 * Counts a record in user space if its event was added. source gives the names of processes; NULL:
 * they are unknown. -EOPNOTSUPP: there is no event ftrace:kernel_stack to take stacks from.
 */
DKT_API int dkt_hist_add(struct dkt_hist *hist, struct dkt_source *source,
			 const struct dkt_record *record);

/*
 * Gets the counts so far of all events as one table: the kernel's in the instance or, if instance is
 * NULL, those of dkt_hist_add(). The caller frees the table with dkt_table_free(). -ENOENT: an event
 * has no histogram in the kernel; -EINVAL: the kernel's histogram has other columns; -EOPNOTSUPP:
 * instance is NULL, and the histogram has variables, actions or values for the kernel only.
 */
DKT_API int dkt_hist_read(struct dkt_hist *hist, struct dkt_instance *instance,
			  struct dkt_table **table);

/* ---- dkt_table(3): tables, the counts of a histogram ----------------------------------------- */

/* A column of a table. The strings live as long as the table. */
struct dkt_column {
	const char *name; /* of the field */
	const char *modifier; /* "log2"; "" for none */
	bool is_key; /* otherwise a sum */
	bool is_number; /* dkt_table_value() returns it */
	bool is_signed;
	bool is_named; /* dkt_table_text() writes names, as of the event's print format */
	uint64_t buckets; /* of the modifier buckets: numbers in each; otherwise 0 */
};

/* Facts about a table. Keys come first, then hitcount, then other sums. */
struct dkt_table_info {
	const struct dkt_column *const *columns;
	size_t n_keys;
	size_t n_columns;
	size_t n_rows;
	bool has_more; /* dkt_table_more() has a text for at least one row */
	uint64_t hits; /* records, including dropped ones */
	uint64_t dropped; /* records that did not fit into the table */
	uint64_t bad; /* rows or records that were invalid */
};

DKT_API void dkt_table_free(struct dkt_table *table);

/* Returns facts about a table. Valid until the table is changed or freed. */
DKT_API const struct dkt_table_info *dkt_table_info(const struct dkt_table *table);

/*
 * Sorts the rows by "COLUMN[.descending]", at most two, separated by a comma. NULL: by the key if
 * it is the only one and a range, otherwise by hitcount, descending. -ENOENT: there is no such
 * column; -EINVAL: the text is invalid.
 */
DKT_API int dkt_table_sort(struct dkt_table *table, const char *sort);

/*
 * Returns the number in a cell: of a range its power of two or its first number; 0: not a number.
 */
DKT_API uint64_t dkt_table_value(const struct dkt_table *table, size_t row, size_t column);

/* Returns the text that the actions of the kernel saved with a row, or "". */
DKT_API const char *dkt_table_more(const struct dkt_table *table, size_t row);

/*
 * Appends the text of a cell. A stack is the names of its functions, separated by ';', the
 * outermost first.
 */
DKT_API void dkt_table_text(const struct dkt_table *table, size_t row, size_t column,
			    struct dkt_buf *buf);

/* ---- dkt_interval(3): intervals, the time from one record to another ------------------------- */

/*
 * A ready-made interval: the time from one event to another. If several have the same name, the first one is
 * meant whose events there are.
 */
struct dkt_interval {
	const char *name;
	const char *about; /* one line */
	const char
		*begin; /* events, or globs over them, separated by commas: "sched:sched_wakeup*" */
	const char *end;
	const char *match; /* for dkt_intervals_opts.key */
	const char *keys; /* for dkt_intervals_opts.by; NULL: no groups */
	const char *calls; /* of system calls: only these, separated by commas; NULL: all */
	bool per_task; /* one thread causes both, so that its PID selects the records */
	bool few_keys; /* about as many values of the key as threads, or fewer: a kernel's table can hold them */
	const char *analysis; /* that tells more of the same intervals; NULL: none */
	const char *show; /* more to tell, separated by commas: FIELD, $begin.FIELD, NAME=FIELD */
	const char *within; /* only those that begin in an interval of this name; NULL: all */
	const char *within_match; /* fields that both beginnings share, that of within first */
	const struct dkt_interval *outer; /* the first of the name within; NULL: none */
	const struct dkt_interval *next; /* the next of the same name; NULL: none */
};

/* The maximum of them. */
#define DKT_INTERVALS_MAX 120

/*
 * Gets the ready-made intervals; those of a name are beside each other. The first call reads the files in
 * DKTRACE_INTERVALS, or else in the installed intervals.d and in /etc/dktrace/intervals.d; see
 * dktrace-intervals(5). The array lives as long as the context. -EINVAL: a file is wrong, the message begins with
 * FILE:LINE:COLUMN; -ENOENT: a directory does not exist; -E2BIG: there are more than DKT_INTERVALS_MAX.
 */
DKT_API int dkt_interval_list(struct dkt_ctx *ctx, const struct dkt_interval **list, size_t *n);

/*
 * Returns the first interval of that name. Returns NULL if no interval has the name, or if the files cannot be
 * read: then dkt_error() says why.
 */
DKT_API const struct dkt_interval *dkt_interval_find(struct dkt_ctx *ctx, const char *name);

enum dkt_interval_role { DKT_INTERVAL_BEGIN = 1, DKT_INTERVAL_END = 2 };

/* Returns whether a record of the event begins the interval, ends it, or both (enum dkt_interval_role). */
DKT_API uint32_t dkt_interval_roles(const struct dkt_interval *interval,
				    const struct dkt_event *event);

struct dkt_intervals;

struct dkt_intervals_opts {
	size_t sz;
	/*
	 * Fields in which both records of a pair are equal, at most 3: "common_pid",
	 * "dev,sector", or BEGIN=END if the names differ: "pid=next_pid". "block_request" alone:
	 * requests to block devices, by device, sector and operation; one ends with its last
	 * sectors. Required.
	 */
	const char *key;
	/*
	 * Field whose values are groups, of the record that begins or else of the one that
	 * ends; with a modifier as in dkt_hist_opts: "id.syscall". NULL: one group.
	 */
	const char *by;
	uint32_t slowest; /* number of slowest pairs to keep with their records */
	struct dkt_expr *filter; /* for events with its fields, not copied; NULL: none */
	pid_t skip; /* in the kernel: leave out pairs that this process begins; 0: none */
	/*
	 * Gets the time of the end and the duration of each pair, in ns, and once more with
	 * cancelled if a gap cancels it. An error ends dkt_intervals_add(), which returns it. NULL: not
	 * called.
	 */
	int (*pair)(void *data, uint64_t end, uint64_t ns, bool cancelled);
	void *data;
};

/* A number of a group: all groups together. */
#define DKT_INTERVALS_ALL SIZE_MAX

/*
 * Creates an object without events. -EINVAL: there is no key, or a text is invalid; dkt_error()
 * shows the place with a caret.
 */
DKT_API int dkt_intervals_new(struct dkt_ctx *ctx, const struct dkt_intervals_opts *opts,
			      struct dkt_intervals **pairs);
DKT_API void dkt_intervals_free(struct dkt_intervals *pairs);

/*
 * Adds an event whose records begin pairs, end pairs, or both: then a record ends the pair that the
 * one before it began. Add events that begin pairs first. -ENOENT: the event lacks a field;
 * -EINVAL: a field cannot be a key, or unknown role.
 */
DKT_API int dkt_intervals_event(struct dkt_intervals *pairs, struct dkt_event *event,
				unsigned int roles);

/*
 * Adds those of the n events that begin or end the interval, or those that it is within: then it counts only if
 * one of those lasts from its beginning to its end. -ENOENT: none of the events begins it, or none ends it;
 * else as dkt_intervals_event().
 */
DKT_API int dkt_intervals_bind(struct dkt_intervals *pairs, const struct dkt_interval *interval,
			       struct dkt_event *const *events, size_t n);

/*
 * Takes the next record or gap, in time order. If two begins come without an end between them, the
 * later one counts. A gap cancels the pairs it may lie in: those still open, and those that ended
 * after the last record on the gap's CPU (among the last 65536 pairs). source gives the names of
 * processes; NULL: they are unknown.
 */
DKT_API int dkt_intervals_add(struct dkt_intervals *pairs, struct dkt_source *source,
			      const struct dkt_record *record);

/* Call after the last record, before the functions below. */
DKT_API int dkt_intervals_finish(struct dkt_intervals *pairs);

/*
 * Makes the kernel pair the records of two events that were added. Creates a synthetic event of
 * that name and a histogram of it for dkt_intervals_read(): the group, if there are groups, and lat in
 * ns by powers of two. Calls dkt_events_forget(). If it fails, and in the end, remove the instance
 * and then call dkt_probe_remove(ctx, "synthetic", name). -EOPNOTSUPP: the kernel cannot do this, or the
 * pairs count only within others; -EINVAL: the events were not added with these roles.
 */
DKT_API int dkt_intervals_start(struct dkt_intervals *pairs, struct dkt_instance *instance,
				struct dkt_event *begin, struct dkt_event *end, const char *name);

/*
 * Makes the kernel pair the records of n events that were added, and write a record of a synthetic
 * event of that name into the instance for each pair that takes longer than ns. Its field lat is the
 * time, in ns, and by, if the pairs have groups, that of the group; its process is the one that caused the
 * end. Else as dkt_intervals_start(). The kernel's table has room for 16384 different keys; pairs with further ones
 * are missed.
 */
DKT_API int dkt_intervals_watch(struct dkt_intervals *pairs, struct dkt_instance *instance,
				struct dkt_event *const *events, size_t n, uint64_t ns,
				const char *name);

/*
 * Gets the kernel's counts so far: hitcount, and the sum of lat. The caller frees the table with
 * dkt_table_free(). -ENOENT: the event was removed.
 */
DKT_API int dkt_intervals_read(struct dkt_intervals *pairs, struct dkt_instance *instance,
			       const char *name, struct dkt_table **table);

struct dkt_intervals_info {
	uint64_t begins; /* records that begin */
	uint64_t ends; /* records that end */
	uint64_t pairs;
	uint64_t nested; /* begins that replaced an open begin of the same key */
	uint64_t open; /* begins without an end so far */
	uint64_t unmatched_begins; /* forgotten: over 2^20 were open, or what they are within ended */
	uint64_t unmatched_ends; /* ends without a begin */
	uint64_t spanned; /* not counted: records were or may have been lost in between */
	uint64_t gaps;
};

/* Gets the counts so far. */
DKT_API void dkt_intervals_info(const struct dkt_intervals *pairs, struct dkt_intervals_info *info,
				size_t sz);

/* The times of a group, in ns. */
struct dkt_latency {
	const char *name; /* of the group, "" without groups; valid as long as the pairs */
	bool is_number; /* the name is number */
	bool is_signed;
	uint64_t number;
	uint64_t count;
	uint64_t sum;
	uint64_t min;
	uint64_t max;
};

/* Gets the i-th group, counted from 0, or DKT_INTERVALS_ALL. Returns 0, or 1 after the last. */
DKT_API int dkt_intervals_group(const struct dkt_intervals *pairs, size_t i,
				struct dkt_latency *latency, size_t sz);

/*
 * Returns the time, in ns, that this part (0 to 1) of a group's pairs does not exceed. It is exact
 * below 128 ns, and otherwise at most 0.4 % off. The memory for it does not grow with the number of
 * pairs.
 */
DKT_API uint64_t dkt_intervals_quantile(const struct dkt_intervals *pairs, size_t i, double part);

/* Returns the number of pairs of 2^power to less than 2^(power + 1) ns; 0 ns counts as power 0. */
DKT_API uint64_t dkt_intervals_power(const struct dkt_intervals *pairs, size_t i,
				     unsigned int power);

struct dkt_slow {
	uint64_t ns;
	struct dkt_record begin, end; /* valid until the next dkt_intervals_add() */
};

/* Gets the i-th slowest pair, counted from 0. Returns 0, or 1 after the last. */
DKT_API int dkt_intervals_slow(const struct dkt_intervals *pairs, size_t i, struct dkt_slow *slow,
			       size_t sz);

#ifdef __cplusplus
}
#endif

#endif
