/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of lib/inside.h for what reads, selects and prints records. */
#pragma once

#include "lib/base/error.h"

/* ---- sources, records in time order ---- */

/* For dkt_source_opts.flags, beside enum dkt_source_flags. */
enum dkt__source_flags {
	/* perf.data: a record perf:switch where a thread leaves its CPU or gets one, if the file has that. */
	DKT__SOURCE_SWITCHES = 1 << 16,
	/*
	 * perf.data: samples lack the texts of registers, branches and raw data, and, if they have callers, those of
	 * their own address. For a reader that takes only stacks.
	 */
	DKT__SOURCE_STACKS = 1 << 17,
};

/* A recording that was made together with a source's, on its host or in one of its guests. */
struct dkt__source_peer {
	const char *name; /* of the guest; NULL: it is the host, whose clock the times are on */
	uint64_t id; /* of the recording */
	const int32_t *threads; /* the host's thread for each CPU of the guest; 0: unknown */
	int n_threads;
};

/*
 * Gets the i-th recording that was made together with this one, counted from 0. Returns 0, or 1
 * after the last.
 */
int dkt__source_peer(const struct dkt_source *source, size_t i, struct dkt__source_peer *peer,
		     size_t sz);

/*
 * Gets the clock of a stream; the points are valid as long as the source. Returns 0, or 1 if the source
 * does not have so many streams, or is not known to have the times of several clocks.
 */
int dkt__source_clock(const struct dkt_source *source, uint32_t stream,
		      struct dkt_source_clock *clock, size_t sz);

/* A disk or partition of the host that recorded. */
struct dkt__source_disk {
	uint64_t dev; /* its number in the records: major << 20 | minor */
	const char *name; /* valid as long as the source */
};

/*
 * Gets the i-th disk of the host of a stream, counted from 0 and in order of their numbers. Returns 0, or 1 after
 * the last.
 */
int dkt__source_disk_at(const struct dkt_source *source, uint32_t stream, size_t i,
			struct dkt__source_disk *disk, size_t sz);

/*
 * Divides a source for readers that work in parallel, each with a context and a source of its own:
 * sets *to so that the records from time from up to *to have about that many bytes, or to
 * UINT64_MAX if that is the rest. Call dkt_source_seek() before the next record. -EOPNOTSUPP: this
 * kind of source cannot be divided.
 */
int dkt__source_slice(struct dkt_source *source, uint64_t from, uint64_t bytes, uint64_t *to);

/*
 * Call after dkt_source_select(). Leaves out most records that the expression does not match; they
 * count as seen. The caller still calls dkt_expr_match() for the rest, and keeps the expression as
 * long as it reads. -EOPNOTSUPP: the source leaves out no records.
 */
int dkt__source_filter(struct dkt_source *source, struct dkt_expr *expr);

/* A file of a series. */
struct dkt__series_item {
	size_t sz;
	const char *path;
	bool after_gap; /* files between this one and the one before it are gone */
	bool after_pause; /* the kernel did not record all the time since the one before it */
};

/*
 * Opens trace.dat files that one kernel wrote one after the other, the oldest first, as one source.
 * *taken is the number of files that it has; the next file, if there is one, is of another kernel or
 * boot, or the clock was set before it. Only these options count: buffer, cpus, flags, since, until.
 * Each file is opened for a moment now; later only those are open whose records come next. The source
 * leaves out a file that cannot be read, and reports it in damage; where a file is missing, it returns
 * a gap for each CPU, and where the kernel did not record for a time, one that is paused: before a file
 * with after_pause, and between files whose recordings have different IDs. -EINVAL: n is 0, a path is
 * NULL, or sz is not the same in all files; -EBUSY: the context already stands for a kernel; other
 * errors: that of the first file, if none can be opened.
 */
int dkt__source_series(struct dkt_ctx *ctx, const struct dkt__series_item *files, size_t n,
		       const struct dkt_source_opts *opts, size_t *taken,
		       struct dkt_source **source);

/* How to read a source of the caller's. Only next is required; NULL for the others. */
struct dkt__source_calls {
	size_t sz;
	int (*next)(void *data, struct dkt_record *record); /* as dkt_source_next() */
	const char *(*comm)(void *data, const struct dkt_record *record);
	int (*loss)(void *data, int cpu, struct dkt_loss *loss);
	void (*close)(void *data);
	int (*bytes)(const void *data, uint64_t *done, uint64_t *of); /* dkt__source_get_bytes() */
	int (*fd)(const void *data); /* as dkt_source_fd(), if next() returns DKT_NEXT_LATER */
	int (*done)(void *data); /* as dkt_source_done() */
	/* The source whose host recorded, which outlives this one: its disks have names. NULL: unknown. */
	const struct dkt_source *host;
};

/*
 * Creates a source of records from elsewhere, which next() returns in time order;
 * dkt__event_define() defines their events. A new context then has no other events. The strings of
 * info must live as long as the source; NULL: nothing is known. dkt_source_close() calls close();
 * this function also does if it fails, whatever is wrong but calls itself. -EINVAL: there is no
 * next(), or invalid options.
 */
DKT__SHARED int dkt__source_make(struct dkt_ctx *ctx, const struct dkt__source_calls *calls,
				 void *data, const struct dkt_source_info *info,
				 const struct dkt_source_opts *opts, struct dkt_source **source);

/* For dkt__source_disk(): the hosts of all streams. */
#define DKT__STREAM_ALL UINT32_MAX

/*
 * Returns the name that a disk or partition had on the host of a stream, such as "vda", for its number in the
 * records; NULL: unknown. With DKT__STREAM_ALL also NULL if two hosts have other names for it. A trace.dat file has
 * the names if the library recorded it. A name has 1 to 31 printable ASCII characters, without a space, a quote or
 * any of <>&\. Valid as long as the source.
 */
const char *dkt__source_disk(const struct dkt_source *source, uint32_t stream, uint64_t dev);

/*
 * Sets *done to the bytes of pages read so far and *of to the bytes of pages in the window.
 * -EOPNOTSUPP: this kind of source cannot tell.
 */
int dkt__source_get_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of);

/* Records that a probe did not make because it was busy, as when an interrupt came during its work. */
struct dkt__missed {
	struct dkt__missed *next; /* NULL: the last one */
	uint64_t n;
	char probe[]; /* "GROUP:EVENT" */
};

/* Returns those of the source while it was recorded, as far as they are known; NULL: none. */
const struct dkt__missed *dkt__source_missed(const struct dkt_source *source);

/* Adds to the number of a probe, which is 0 at first. */
int dkt__source_add_missed(struct dkt_source *source, const char *probe, uint64_t n);

/*
 * Makes the current dkt_source_wait(), or otherwise the next one, return at once. It is the only
 * call on a source that another thread or a signal handler may make, as long as the source is open.
 * -EOPNOTSUPP: the source does not follow.
 */
int dkt__source_wake(struct dkt_source *source);

/*
 * Returns the number of the callers in the i-th stack of a record, without the innermost *own: stacks of a
 * source, of the same event, with the same number have the same callers there. 0: they have no number.
 */
uint64_t dkt__record_stack_number(const struct dkt_record *record, size_t i, uint32_t *own);

/* ---- filter expressions ---- */

/*
 * Returns 0 if dkt_expr_match() can test records of the event. -EOPNOTSUPP: the records have only
 * the address of a string that the expression names, so that none matches. Otherwise as
 * dkt_expr_check().
 */
int dkt__expr_check_match(struct dkt_expr *expr, struct dkt_event *event);

enum dkt__expr_any_flags {
	DKT__EXPR_MATCH = 1, /* check each event as dkt__expr_check_match() does */
};

/*
 * Returns 0 if the expression fits at least one of n events. If not, the message is about the whole
 * set: a value that does not fit the first event that has all fields, or the field that no event
 * has and the most similar name. flags are enum dkt__expr_any_flags. -ENOENT, -EINVAL, -EOPNOTSUPP:
 * as dkt__expr_check_match().
 */
int dkt__expr_check_any(struct dkt_expr *expr, struct dkt_event *const *events, size_t n,
			unsigned int flags);

/* A comparison FIELD == $VARIABLE. The strings live as long as the expression. */
struct dkt__equality {
	const char *field, *variable;
	bool all; /* the expression has nothing but such comparisons, which must all be true */
};

/*
 * Gets the i-th comparison FIELD == $VARIABLE, counted from 0, that is true for every record that
 * matches. Returns 0, or 1 after the last.
 */
int dkt__expr_equality(const struct dkt_expr *expr, size_t i, struct dkt__equality *equality,
		       size_t sz);

/* ---- styles, layouts of printed records (dktrace-styles(7)) ---- */

/*
 * Returns the i-th name, counted from 0, of the fields that every record has, for dkt_style_opts;
 * NULL after the last.
 */
const char *dkt__style_field(size_t i);

/*
 * A style of the caller's. Only record is required; NULL for the others. record gets each record with
 * its stacks, see dkt_record_stack().
 */
struct dkt__style_calls {
	size_t sz;
	int (*begin)(void *data, struct dkt_buf *buf); /* as dkt_style_begin() */
	int (*record)(void *data, const struct dkt_record *record, const char *comm,
		      struct dkt_buf *buf);
	int (*flush)(void *data, struct dkt_buf *buf);
	int (*end)(void *data, struct dkt_buf *buf);
	void (*close)(void *data);
};

/*
 * Creates a style of the caller's. dkt_style_free() calls close(); so does this function if it fails,
 * whatever is wrong but calls itself. -EINVAL: there is no record(), or invalid options.
 */
DKT__SHARED int dkt__style_make(struct dkt_ctx *ctx, const struct dkt__style_calls *calls,
				void *data, struct dkt_style **style);

/* Appends output that the style holds back, or writes it to its files. */
DKT__SHARED int dkt__style_flush(struct dkt_style *style, struct dkt_buf *buf);

/* ---- texts of records ---- */

/* Appends the text of dkt_record_text(), escaped as by dkt_buf_text(). */
DKT__SHARED void dkt__record_line(const struct dkt_record *record, struct dkt_buf *buf);

/* The recorded arguments of a kernel message. */
struct dkt__kprintf_args {
	size_t sz;
	struct dkt_ctx *ctx; /* for the names of functions; NULL: they are unknown */
	const void *words; /* 8 bytes for each argument, in any alignment; NULL: unknown */
	size_t n; /* number of arguments */
	/* Gets the recorded bytes that argument i points to. NULL: there are none. */
	void (*pointee)(void *data, size_t i, const void **bytes, size_t *len);
	/*
	 * Gets the format and arguments behind argument i, a %pV. False or NULL: they are
	 * unknown.
	 */
	bool (*nested)(void *data, size_t i, const char **fmt, size_t *len,
		       struct dkt__kprintf_args *args);
	void *data;
	/* Gets the first bytes that argument i points to, if pointee stops at a NUL. */
	void (*raw)(void *data, size_t i, const void **bytes, size_t *len);
	/* Gets the name of the dentry that argument i points to, a %pd. NULL: unknown. */
	void (*dentry_name)(void *data, size_t i, const void **bytes, size_t *len);
};

/*
 * Appends the text that the kernel's printf makes of the format, with its extensions (the kernel's
 * printk-formats.rst), and prints addresses as they are. A recorded string without a NUL ends in
 * "...". If the data behind a pointer were not recorded, it prints the conversion and the address:
 * <%pD 0xffff888100a00000>.
 */
DKT__SHARED void dkt__buf_kprintf(struct dkt_buf *buf, const char *fmt, size_t len,
				  const struct dkt__kprintf_args *args);

/* ---- names of functions ---- */

/*
 * Addresses that stand for the names in a file, such as those of programs' functions. Neither programs nor
 * the kernel have any there on x86-64 and arm64.
 */
#define DKT__PLACEHOLDER_FIRST UINT64_C(0xff00000000000000)
#define DKT__PLACEHOLDER_END   UINT64_C(0xff01000000000000)

/*
 * Returns the name of the function in a stack, of a program or of the kernel, and the address' offset in it (offset
 * NULL: not wanted). Addresses of programs have no names but those that stand for the names in a file. NULL: unknown.
 */
const char *dkt__stack_symbol(struct dkt_ctx *ctx, uint64_t address, bool user, uint64_t *offset);

/* Returns the name of the module that contains the address. NULL: none, or unknown. */
DKT__SHARED const char *dkt__symbol_module(struct dkt_ctx *ctx, uint64_t address);

/*
 * True for a function of the kernel that only records an event: the tracer's own stacks have such ones as
 * their innermost functions.
 */
bool dkt__symbol_is_tracer(const char *name);
