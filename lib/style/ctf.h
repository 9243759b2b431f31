/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files of the ctf style: the layout of its files and its metadata. */
#pragma once

#include "style.h"

#define CTF_MAGIC 0xc1fc1fc1U

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
	uint8_t uuid[16];
	struct ctf_source *sources;
	uint32_t n_sources;
	struct dkt_buf events; /* metadata of the events so far */
	uint32_t n_events;
};

/* Appends the declaration of an event. */
void dkt__ctf_event(const struct dkt__form *form, uint32_t id, struct dkt_buf *buf);

/* Appends the metadata before the events. */
void dkt__ctf_preamble(const struct ctf *ctf, struct dkt_buf *buf);
