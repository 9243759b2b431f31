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

struct ctf;

/* The language of the metadata. The layout of the other files is the same in all of them. */
struct ctf_language {
	/* Appends the metadata before the events. */
	void (*preamble)(const struct ctf *ctf, struct dkt_buf *buf);
	/* Append the parts of the declaration of an event: its name, its fields, its end. */
	void (*event)(struct dkt_buf *buf, const char *name, uint32_t id);
	void (*number)(struct dkt_buf *buf, const char *name, unsigned int bits, bool is_signed,
		       bool hex);
	void (*text)(struct dkt_buf *buf, const char *name);
	void (*elements)(struct dkt_buf *buf, const struct dkt__column *column);
	void (*end)(struct dkt_buf *buf);
};

extern const struct ctf_language dkt__ctf_tsdl; /* of CTF 1.8 */
extern const struct ctf_language dkt__ctf_json; /* of CTF 2 */

struct ctf {
	struct dkt_style base;
	const struct ctf_language *language;
	bool lttng; /* with the names of LTTng, in TSDL */
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

/* A part of the description of the trace's environment. */
struct ctf_fact {
	const char *name, *value;
};

#define CTF_FACTS 5

/* Fills the array. Returns the number of facts. */
size_t dkt__ctf_facts(const struct ctf *ctf, struct ctf_fact facts[CTF_FACTS]);

/* Returns the name of the clock that the trace was recorded with. */
const char *dkt__ctf_clock(const struct ctf *ctf);

/*
 * Gets the time from the epoch to the clock's zero, in seconds and in nanoseconds, of which only the
 * seconds can be negative.
 */
void dkt__ctf_zero(const struct ctf *ctf, int64_t *seconds, int64_t *ns);

/* True if the elements of an array are shown as hexadecimal numbers. */
bool dkt__ctf_is_hex(const struct dkt__column *column);

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
