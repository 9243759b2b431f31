/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files of the ctf style: the layout of its files and its metadata. */
#pragma once

#include "style.h"

#define CTF_MAGIC 0xc1fc1fc1U

/* A file of the trace: what one CPU recorded. */
struct ctf_stream {
	char *name; /* of its file; NULL: not met yet */
	struct dkt_buf packet; /* what follows the packet's context */
	uint64_t begin, end; /* times of the packet's first and last event */
	uint64_t discarded; /* since the beginning of the trace */
	uint64_t packets; /* written */
	bool gap; /* the last one that came was a gap */
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
	struct dkt_buf events; /* metadata of the events met so far */
	uint32_t n_events;
};

/* Appends the declaration of an event with that number. */
void dkt__ctf_event(const struct dkt__form *form, uint32_t id, struct dkt_buf *buf);

/* Appends all that stands before the events. */
void dkt__ctf_preamble(const struct ctf *ctf, struct dkt_buf *buf);
