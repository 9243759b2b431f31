/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The part of libdktrace with which a program reads, selects and prints records: sources, filter
 * expressions, styles. <dktrace/dktrace.h> includes it and has the conventions.
 */
#include <dktrace/dktrace.h> /* before the guard: it includes this header in its turn */

#ifndef DKTRACE_RECORDS_H
#define DKTRACE_RECORDS_H

#ifdef __cplusplus
extern "C" {
#endif

struct dkt_source;
struct dkt_expr;
struct dkt_style;
struct dkt_buf;

/* ---- dkt_record(3): records ------------------------------------------------------------------ */

#define DKT_LOST_UNKNOWN UINT64_MAX

/* Bits of a record's flags: the kernel's trace_flag_type (include/linux/trace_events.h). */
enum dkt_record_flags {
	DKT_REC_IRQS_OFF = 0x01,
	DKT_REC_NEED_RESCHED_LAZY = 0x02, /* since kernel 6.13 */
	DKT_REC_NEED_RESCHED = 0x04,
	DKT_REC_HARDIRQ = 0x08,
	DKT_REC_SOFTIRQ = 0x10,
	DKT_REC_NMI = 0x40,
	DKT_REC_BH_OFF = 0x80,
};

struct dkt_stack;

/* A record or, if event is NULL, a gap: records of that CPU from before ts are lost. */
struct dkt_record {
	uint64_t ts; /* ns on the clock of the source */
	struct dkt_event *event;
	const void *data; /* the bytes of the record, valid until the next call on the source */
	uint32_t size; /* bytes */
	uint32_t cpu;
	int32_t pid;
	uint8_t flags; /* enum dkt_record_flags */
	uint8_t preempt; /* preemption depth */
	bool first; /* the first record in this CPU's buffer since it was emptied */
	bool paused; /* of a gap: nothing was recorded for a time */
	uint32_t stream; /* number of the stream that it is from, from 0: dkt_source_stream() */
	uint64_t lost; /* of a gap: the number of records lost, or DKT_LOST_UNKNOWN */
	const struct dkt_stack *stacks; /* for dkt_record_stack(); NULL: none */
};

/*
 * Returns the value of an integer field, sign-extended if the field is signed. Returns 0 if the
 * record is too short, or if the field is a field of another event and not a common one.
 */
DKT_API int64_t dkt_record_int(const struct dkt_record *record, const struct dkt_field *field);

/*
 * Returns the bytes of a string or array field and sets *len to their number. They are not
 * terminated and never extend beyond the record. *len is 0 if the record is too short, or if the
 * field is a field of another event and not a common one.
 */
DKT_API const void *dkt_record_bytes(const struct dkt_record *record, const struct dkt_field *field,
				     size_t *len);

/*
 * Gets the i-th call stack that the record carries, as a sample of perf does, counted from 0.
 * Returns 0, or 1 after the last. The stack is a record of ftrace:kernel_stack or ftrace:user_stack
 * with the time, CPU and thread of this one. Its data live as long as those of this one.
 */
DKT_API int dkt_record_stack(const struct dkt_record *record, size_t i, struct dkt_record *stack);

/*
 * Appends the text of a record, from the print format of its event. If the print format cannot be
 * used, the text is the fields and their values. It can contain control characters; dkt_buf_text()
 * escapes them.
 */
DKT_API void dkt_record_text(const struct dkt_record *record, struct dkt_buf *buf);

/* ---- dkt_source(3): sources, records in time order ------------------------------------------- */

/*
 * Facts about a source. The strings live as long as the source. A caller that passes such a struct
 * declares it with DKT_OPTS.
 */
struct dkt_source_info {
	size_t sz;
	const char *kind; /* "ring buffers", "trace.dat version 6", "perf.data" ... */
	const char *host; /* name of the machine that recorded; NULL: unknown */
	const char *kernel; /* release and architecture of its kernel; NULL: unknown */
	const char *clock; /* name as in trace_clock; NULL: unknown */
	int32_t cpus; /* CPU numbers of the records run from 0 to one less */
	bool has_wall; /* wall is known */
	int64_t wall; /* ns to add to the time of a record to get wall-clock time */
	const char *damage; /* the parts of a file that could not be read so far; NULL: none */
	const char *unused; /* the parts of a file that the library does not use; NULL: none */
	uint64_t id; /* of the recording; recordings of peers name it; 0: none */
	bool growing; /* a recording that is still written, or whose writer was killed */
	int64_t added; /* ns that the times have beside those of the clock, as the file says */
};

/* How far the times of a stream can be off at one of them. Between two points all numbers are linear. */
struct dkt_clock_point {
	uint64_t time; /* of the source */
	int64_t offset; /* ns that were added to the times of the stream's own clock */
	uint64_t error; /* ns, beside the clock of the source */
	uint64_t own_error; /* ns, beside the clock of the host that measured those of all streams */
	bool begins; /* since the point before, the clock was set or its drift has changed */
};

/* The clock of a stream of a source that has the times of several clocks, such as merged files. */
struct dkt_source_clock {
	size_t sz;
	uint32_t host; /* the first stream that has the same clock */
	bool exact; /* it is the clock of the source: error does not count */
	/* In order of time; offsets and errors are below 2^62. */
	const struct dkt_clock_point *points;
	size_t n_points; /* 0, and not exact: nobody knows how far the times are off */
};

enum dkt_source_flags {
	DKT_SOURCE_ALL = 1, /* read all buffers of a file; the stream of a record tells which */
	DKT_SOURCE_WALL = 2, /* since and until are wall-clock times, if the source knows them */
	DKT_SOURCE_PART = 4, /* one of several readers: its loss is of what it reads */
	DKT_SOURCE_GROWS = 8, /* of dkt_source_pipe(): a regular file that is still written */
};

struct dkt_source_opts {
	size_t sz;
	uint32_t flags; /* enum dkt_source_flags */
	const char *buffer; /* read this buffer of a file; NULL: that of the top instance */
	uint64_t since, until; /* ns, records from since on and before until; 0: no bound */
	const int32_t *cpus; /* read these CPUs only */
	size_t n_cpus; /* 0: all */
	const char *name; /* name of the file in messages; NULL: its path */
	/*
	 * For a saved text: the tracefs tree whose print formats made it; NULL: it has
	 * the fields of the events whose texts are known.
	 */
	const char *formats;
	int32_t fd; /* plus 1: read a duplicate of this open file, not path; 0: open path */
	/*
	 * For the dump of a kernel: its vmlinux with debug information, which gives the symbols
	 * and types that the dump lacks. NULL: none.
	 */
	const char *vmlinux;
};

/*
 * Opens a recording: a file, whose first bytes tell its kind, or a directory that is a saved
 * tracefs tree (per_cpu/cpuN/trace_pipe_raw, events, saved_cmdlines). The context must be new. From
 * then on it stands for the kernel that recorded, with its events and the names of its functions
 * and nothing else, also after the source is closed. -EINVAL: not a recording of a known kind, or
 * invalid options; -ENOENT: there is no such file, or the file has no such buffer; -EBUSY: the
 * context already stands for another kernel; -EOPNOTSUPP: the file needs a feature that the library
 * does not have; -ENODATA: the file is empty; -EBADMSG: compressed data are damaged; -ENOSPC:
 * unpacking takes more than half of the free space in the directory for temporary files (TMPDIR).
 */
DKT_API int dkt_source_open(struct dkt_ctx *ctx, const char *path,
			    const struct dkt_source_opts *opts, struct dkt_source **source);
DKT_API void dkt_source_close(struct dkt_source *source);

/*
 * Reads a recording in progress from a pipe or socket while dkt_recorder_begin() writes it there.
 * Blocks until the first dkt_recorder_read() has been written. dkt_source_next() then returns the
 * records up to the last one, and DKT_NEXT_LATER until the next; DKT_NEXT_END once the writer has
 * closed the pipe. The source keeps the bytes of records that it has not returned yet in a file
 * without a name in the directory for temporary files (TMPDIR).
 *
 * With DKT_SOURCE_GROWS, fd is a regular file to which the recording is written, and is read from its
 * beginning. Nothing is copied. -EAGAIN: it does not have the first records yet; try again with a new
 * context. DKT_NEXT_END comes once the recording has ended in order; a writer that was killed leaves a
 * file that has no end. The file must not become shorter; -EFBIG: it has more than 1 TiB.
 *
 * Returns 0, or 1 if the pipe has something else, such as a file that is complete. With 1 the
 * context is still new, and *rest is the descriptor of that file with the bytes read so far, which
 * the caller closes: append the rest of the pipe there, and open it with the fd of struct
 * dkt_source_opts. Otherwise *rest is -1. fd is duplicated; the option of that name is ignored. A
 * window is skipped, not sought, and dkt_source_seek() fails after the first record. Errors: those
 * of dkt_source_open(); -EINTR: a signal ended the wait; -EFBIG: the recording has more than 16 TiB.
 */
DKT_API int dkt_source_pipe(struct dkt_ctx *ctx, int fd, const struct dkt_source_opts *opts,
			    int *rest, struct dkt_source **source);

/* Returns facts about a source. Valid as long as the source; damage may grow. */
DKT_API const struct dkt_source_info *dkt_source_info(const struct dkt_source *source);

/* Results of dkt_source_next() that are not failures. */
enum dkt_next {
	DKT_NEXT_RECORD, /* 0: a record, or a gap */
	DKT_NEXT_END, /* 1: there are no more records */
	DKT_NEXT_LATER, /* 2: there are no more records now; the source follows */
};

/*
 * Gets the next record or gap, in time order over all CPUs, and returns one of enum dkt_next. After
 * DKT_NEXT_LATER, write the output for the records so far, wait with dkt_source_wait() or
 * dkt_source_fd(), and call it again; it may also be called at any time. The pointers in the record
 * are valid until the next call on the source. Errors: of reading a file; of a live source also the
 * result of flush().
 */
DKT_API int dkt_source_next(struct dkt_source *source, struct dkt_record *record);

/* Returns the name of the record's process, "<...>" if unknown. Valid as long as the source. */
DKT_API const char *dkt_source_comm(struct dkt_source *source, const struct dkt_record *record);

/* Counts of one CPU. */
struct dkt_loss {
	uint64_t seen; /* records returned */
	uint64_t lost; /* records overwritten or not recorded */
	uint64_t bad; /* places where the data of a page were invalid */
};

/*
 * Gets the counts of a CPU so far. A live source takes lost from the kernel's statistics: up to the
 * last dkt_source_done(), so that the next source continues from there. With DKT_LIVE_KEEP it
 * counts up to now, with DKT_LIVE_WHOLE too until dkt_source_done() is called. -EINVAL: there is no
 * such CPU.
 */
DKT_API int dkt_source_get_loss(struct dkt_source *source, int cpu, struct dkt_loss *loss,
				size_t sz);

/*
 * Returns the name of a stream, NULL if the source does not have so many. The streams are the
 * buffers of a file, with "" for that of the top instance, or those of the parts of a merged
 * source. Valid as long as the source.
 */
DKT_API const char *dkt_source_stream(const struct dkt_source *source, uint32_t stream);

/*
 * Goes to the first record that is not before since and sets the end before until, in ns on the
 * source's clock; 0: no bound. The time that it takes depends on the records in that window, not on
 * the size of the file. -EOPNOTSUPP: this kind of source can only be read forwards.
 */
DKT_API int dkt_source_seek(struct dkt_source *source, uint64_t since, uint64_t until);

/* True if the caller wants records of that event. */
typedef bool (*dkt_event_fn)(void *data, struct dkt_event *event);

/*
 * Leaves out records of events that the caller does not want, without reading more of them; they
 * count as seen. The source asks once for each event. Call it before the first record. -EOPNOTSUPP:
 * the source returns all records.
 */
DKT_API int dkt_source_select(struct dkt_source *source, dkt_event_fn wants, void *data);

/* A time of a part's clock, in ns, and the ns to add to it. */
struct dkt_merge_point {
	uint64_t time;
	int64_t offset;
};

/* A part of a merged source. */
struct dkt_merge_part {
	size_t sz;
	struct dkt_source *source; /* stays the caller's, and open as long as the merged source */
	const char *name; /* of its streams: NAME, or NAME:BUFFER if a stream has a name */
	int64_t offset; /* ns to add to its times to get times on the first part's clock */
	/*
	 * In place of offset, for clocks that drift: points in order of time. Between two of them, and
	 * beyond the first and the last two, the offset is linear. No record comes before one that it
	 * came after on its own clock.
	 */
	const struct dkt_merge_point *points;
	size_t n_points;
	/*
	 * How far its times can then be off, with points at times of the merged source. host is the first
	 * part that has the same clock. NULL: unknown.
	 */
	const struct dkt_source_clock *clock;
};

/*
 * Creates a source of the records of n parts, in time order; records with equal times keep the
 * order of the parts. It counts the streams of the first part first, then those of the second and
 * so on. A part that has no more records now does not delay the others. If none has,
 * dkt_source_next() returns DKT_NEXT_LATER, and the next call asks them again. dkt_source_wait()
 * and dkt_source_fd() wait for any part; dkt_source_done() declares safe those records of each part
 * that the merged source has returned. It has the clocks of the parts. If the streams
 * of a part have several clocks, their errors are added to those of the part. -EINVAL: n is 0, sz is not
 * the same in all parts, points are not in order of time, or a clock is invalid; -E2BIG: a part sets a
 * member that the library does not know.
 */
DKT_API int dkt_source_merge(const struct dkt_merge_part *parts, size_t n,
			     struct dkt_source **source);

/* ---- dkt_expr(3): filter expressions --------------------------------------------------------- */

/* Sets the value of a word that is used as a constant for a field. -ENOENT: unknown word. */
typedef int (*dkt_constant_fn)(void *data, const char *field, const char *word, uint64_t *value);

/* The value of a variable, a number or a string. The caller changes it between the matches. */
struct dkt_variable {
	bool known; /* otherwise no comparison with it is true */
	const char *text; /* NULL: it is a number */
	size_t len; /* of the text, which need not be terminated */
	int64_t number;
};

/*
 * Finds a variable by the name that follows its $, such as "begin.fd". It lives as long as the
 * expression. An error, for which the function sets the error message, makes the expression invalid.
 */
typedef int (*dkt_variable_fn)(void *data, const char *name, const struct dkt_variable **variable);

struct dkt_expr_opts {
	size_t sz;
	dkt_constant_fn constant; /* for words that the library does not know; NULL: none */
	void *data; /* lives as long as the expression */
	dkt_variable_fn variable; /* NULL: there are no variables */
};

/*
 * Parses an expression: the kernel's filter language (the kernel's events.rst) with names for
 * numbers (errno names, the names in the event's print format, those of opts->constant), which |
 * can join, units (ns us ms s, in ns; k M G T, powers of 1024), and single words for strings
 * without quotes. With opts->variable, a comparison can have a variable on one side, for fields with
 * numbers and strings: fd == $begin.fd. -EINVAL: the expression is invalid, dkt_error() shows the
 * place with a caret.
 */
DKT_API int dkt_expr_new(struct dkt_ctx *ctx, const char *text, const struct dkt_expr_opts *opts,
			 struct dkt_expr **expr);
DKT_API void dkt_expr_free(struct dkt_expr *expr);

/*
 * Returns 0 if the expression fits the event. -ENOENT: the event lacks a field; -EINVAL: a value
 * does not fit the type of its field.
 */
DKT_API int dkt_expr_check(struct dkt_expr *expr, struct dkt_event *event);

/*
 * Gets the expression in the kernel's language for that event. The caller frees it. Quotes patterns
 * that the kernel would misread ("8*", and "*x" on an array). -E2BIG: longer than the kernel's
 * limit of 4095 bytes; -EOPNOTSUPP: it has a variable. Otherwise as dkt_expr_check().
 */
DKT_API int dkt_expr_text(struct dkt_expr *expr, struct dkt_event *event, char **text);

/*
 * True if the record matches. A record of an event that lacks a field of the expression does not
 * match. comm is the name of the record's process, for COMM.
 */
DKT_API bool dkt_expr_match(struct dkt_expr *expr, const struct dkt_record *record,
			    const char *comm);

/* ---- dkt_style(3): styles, layouts of printed records (dktrace-styles(7)) -------------------- */

enum dkt_style_traits {
	DKT_STYLE_DATA = 1, /* for programs: add nothing else to the output */
	DKT_STYLE_BINARY = 2, /* not for a terminal */
	DKT_STYLE_ORDER = 4, /* one object must get all records, in time order */
	DKT_STYLE_FILES = 8, /* writes files of its own in a directory, nothing to the buffer */
	DKT_STYLE_COLOR = 16, /* uses the option color */
};

/* A style. The strings are constants. */
struct dkt_style_info {
	const char *name;
	const char *words; /* a description for lists */
	uint32_t traits; /* enum dkt_style_traits */
};

/* Gets the i-th style, counted from 0. Returns 0, or 1 after the last. */
DKT_API int dkt_style_get(size_t i, struct dkt_style_info *info, size_t sz);

struct dkt_style_opts {
	size_t sz;
	const struct dkt_source_info *source; /* of the records, copied; NULL: unknown */
	/*
	 * Fields to print, copied: fields of the event, common fields, and those that every
	 * record has: ts wall cpu pid comm flags system event text. "*": all fields of the
	 * event. The text styles raw, json and csv use them.
	 */
	const char *const *fields;
	size_t n_fields; /* 0: all fields of the event */
	const char *dir; /* directory for a style with DKT_STYLE_FILES, which creates it */
	bool wall; /* text styles print wall-clock time, if the source knows it */
	bool color; /* use colours, for a terminal */
	/*
	 * Appends the text of a record whose event's print format does not give it, and
	 * returns true; trailing newlines are removed. Returns false, without appending, if
	 * the print format gives the text. The answer is the same for all records of an
	 * event. With buf NULL, only returns the answer. NULL: the print format is always
	 * used.
	 */
	bool (*text)(void *data, const struct dkt_record *record, struct dkt_buf *buf);
	void *data;
	/*
	 * json names the stream of a record as this source does; NULL: by number. Outlives
	 * the style.
	 */
	struct dkt_source *streams;
	/*
	 * trace and csv print text as recorded, not as dkt_buf_text() does. json, raw and
	 * folded, whose escapes can be undone, ignore it.
	 */
	bool raw_text;
	/* perfetto names disks as the hosts of this source do; NULL: by number. Outlives the style. */
	const struct dkt_source *disks;
};

/*
 * Creates a style by name. -ENOENT: there is no such style; -EINVAL: invalid options, or no directory
 * for a style with DKT_STYLE_FILES; -EEXIST: the directory is not empty; -EPERM: the directory belongs
 * to another user.
 */
DKT_API int dkt_style_new(struct dkt_ctx *ctx, const char *name, const struct dkt_style_opts *opts,
			  struct dkt_style **style);
DKT_API void dkt_style_free(struct dkt_style *style);

/* Appends the beginning of the output. */
DKT_API int dkt_style_begin(struct dkt_style *style, struct dkt_buf *buf);

/*
 * Appends a record or gap. comm is the name of its process; as long as the style is used, the same
 * address must hold the same name. Errors: of write(2), if the style writes files.
 */
DKT_API int dkt_style_record(struct dkt_style *style, const struct dkt_record *record,
			     const char *comm, struct dkt_buf *buf);

/* Appends the end of the output, or completes the files. */
DKT_API int dkt_style_end(struct dkt_style *style, struct dkt_buf *buf);

/* Appends one line in the style of the kernel's trace file and of trace-cmd report, escaped. */
DKT_API void dkt_style_trace(const struct dkt_record *record, const char *comm,
			     struct dkt_buf *buf);

/* ---- dkt_buf(3): text buffers ---------------------------------------------------------------- */

/*
 * Creates a byte buffer that grows. If an allocation fails, the buffer keeps its contents, ignores
 * what was to be appended, and dkt_buf_error() returns -ENOMEM until dkt_buf_reset().
 */
DKT_API int dkt_buf_new(struct dkt_buf **buf);
DKT_API void dkt_buf_free(struct dkt_buf *buf);

/* Returns the bytes, not terminated, and sets *len. Valid until the next call on the buffer. */
DKT_API const char *dkt_buf_data(const struct dkt_buf *buf, size_t *len);

/* Empties the buffer and keeps its memory. */
DKT_API void dkt_buf_reset(struct dkt_buf *buf);

/* Returns 0, or -ENOMEM if something could not be appended. */
DKT_API int dkt_buf_error(const struct dkt_buf *buf);

/* Append a string, and a formatted text (printf(3)). */
DKT_API void dkt_buf_str(struct dkt_buf *buf, const char *str);
DKT_API void dkt_buf_printf(struct dkt_buf *buf, const char *fmt, ...) DKT_PRINTF(2, 3);

/*
 * Appends text and escapes the characters that would control a terminal, end a line or turn the
 * reading order, because text from a trace is data: as \n, \t, \xHH or, for a character of UTF-8,
 * \uHHHH. These are control characters, those of C1 too, bytes that are not UTF-8, and invisible
 * characters such as U+202E.
 */
DKT_API void dkt_buf_text(struct dkt_buf *buf, const char *text, size_t len);

/* ---- dkt_symbol(3): names of functions and system calls -------------------------------------- */

/*
 * Returns the name of the kernel function that contains the address, and sets *offset to the
 * distance from its start in bytes. Reads /proc/kallsyms, or the symbols in the recording that the
 * context stands for. NULL: unknown. Valid as long as the context.
 */
DKT_API const char *dkt_symbol_name(struct dkt_ctx *ctx, uint64_t address, uint64_t *offset);

/*
 * Returns the name of a system call on the machine that the context's records are from: the machine that
 * recorded the file, or dkt_ctx_opts.machine. NULL: the number or the machine is unknown. The string
 * lives as long as the context.
 */
DKT_API const char *dkt_syscall_name(struct dkt_ctx *ctx, int number);

#ifdef __cplusplus
}
#endif

#endif
