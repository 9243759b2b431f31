/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files of the ctf style: the layout of its files and its metadata. */
#pragma once

#include "lib/style.h"

#define CTF_MAGIC 0xc1fc1fc1U

/* A raw system call of one number, which is an event of its own for LTTng. */
struct ctf_call {
	bool declared;
	uint32_t id;
	uint32_t paths; /* a bit for each argument that is a path */
};

/* An event, in dkt__form.data. */
struct ctf_event {
	uint32_t id;
	struct ctf_call
		*calls; /* by number; the last one is for all without a name. NULL: another event */
};

/* A file of the trace: the records of one CPU. */
struct ctf_stream {
	char *name; /* of the file; NULL: no record so far */
	struct dkt_buf packet; /* the events, which follow the packet's context */
	uint64_t begin, end; /* times of the packet's first and last event */
	uint64_t discarded; /* records lost since the start of the trace */
	uint64_t packets; /* written */
	bool gap; /* no record has followed the last gap */
};

/* Streams of one source, by CPU. */
struct ctf_source {
	struct ctf_stream *streams;
	uint32_t n;
};

struct ctf {
	struct dkt_style base;
	bool lttng; /* with the names of LTTng */
	uint8_t uuid[16];
	struct ctf_source *sources;
	uint32_t n_sources;
	struct dkt_buf events; /* metadata of the events so far */
	uint32_t n_events;
};

/* ---- metadata ---- */

/* Appends the declaration of an event. */
void dkt__ctf_event(const struct ctf *ctf, const struct dkt__form *form, uint32_t id,
		    struct dkt_buf *buf);

/* Its parts: the name, fields that are numbers or text, the end. */
void dkt__ctf_event_begin(struct dkt_buf *buf, const char *name, uint32_t id);
void dkt__ctf_number(struct dkt_buf *buf, const char *name, unsigned int bits, bool is_signed,
		     bool hex);
void dkt__ctf_text(struct dkt_buf *buf, const char *name);
void dkt__ctf_event_end(struct dkt_buf *buf);

/* Appends the metadata before the events. */
void dkt__ctf_preamble(const struct ctf *ctf, struct dkt_buf *buf);

/* ---- names of LTTng ---- */

/* Returns the event's name, which the caller frees. NULL: out of memory. */
char *dkt__lttng_event(const struct dkt_event *event);

/* Renames the columns. */
int dkt__lttng_fields(struct dkt_style *style, struct dkt__form *form);

/* True if LTTng has the column in another form: the kind of a request as bits, a path as text. */
bool dkt__lttng_is_other(const struct dkt__form *form, const struct dkt__column *column);

/* Append the declaration of such a column, and its value. */
void dkt__lttng_declare(const struct dkt__column *column, struct dkt_buf *buf);
void dkt__lttng_put(const struct dkt__column *column, const struct dkt__body *body, uint32_t size,
		    struct dkt_buf *buf);

/* True if the records are raw system calls. */
bool dkt__lttng_is_call(const struct dkt__form *form);

/* Returns the number of the call, or DKT__SYSCALLS if it has no name. */
uint32_t dkt__lttng_number(const struct dkt__form *form, const struct dkt__body *body);

/* Appends the declaration of the event for a call, which has its ID, and the fields of a record. */
void dkt__lttng_call(const struct dkt__form *form, uint32_t number, struct ctf_call *call,
		     struct dkt_buf *buf);
void dkt__lttng_put_call(const struct dkt__form *form, const struct ctf_call *call,
			 const struct dkt__body *body, uint32_t size, struct dkt_buf *buf);

/* Appends the part of the environment by which readers know LTTng's kernel tracer. */
void dkt__lttng_env(struct dkt_buf *buf);
