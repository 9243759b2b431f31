/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A live source: the per-CPU buffers of an instance, read through spools. */
#pragma once

#include <sys/utsname.h>

#include "source/live/spool.h"
#include "source/live/watch.h"
#include "source/streams.h"

/* The provider of a stream's pages: the CPU with the same number as the stream. */
struct dkt__live_cpu {
	struct dkt_instance *in; /* NULL: its buffer is gone, only the spool is left */
	int fd; /* trace_pipe_raw */
	struct dkt__spool spool;
	uint64_t lost; /* accounted for by dkt_source_done() */
	bool first; /* the next record is the first of an emptied buffer */
	bool dry; /* the kernel has no more up to the bound */
	bool absent; /* the kernel has no buffer for it: it has not been online yet */
	bool watched;
};

struct dkt__live {
	struct dkt__streams
		streams; /* first: this is the source; the top instance's behind the own */
	struct dkt_instance *in;
	struct dkt_instance *top; /* that is borrowed for it, NULL: none */
	unsigned int flags;
	struct dkt__watch watch;
	bool patient; /* it is not woken by less than a part of a buffer */
	char *percent[2]; /* buffer_percent of in and top before; NULL: it is as it was */
	uint64_t until; /* in ns, a record of that time is still returned; UINT64_MAX: no bound */
	int (*flush)(void *data);
	void *data;
	int lock; /* the spool directory's, -1: no spool */
	int dir;
	struct dkt__live_cpu *cpus;
	bool begun; /* the CPUs have been looked at */
	bool read; /* since it was opened */
	bool spooled; /* only what is spooled is walked: nothing is taken out of the kernel */
	bool settled; /* losses up to now have been accounted for */
	struct dkt__comms comms;
	bool comms_read; /* the kernel's are in it */
	char *clock;
	struct utsname uname;
	char kernel[sizeof(((struct utsname *)NULL)->release) +
		    sizeof(((struct utsname *)NULL)->machine)];
};

extern const struct dkt__provider dkt__pages_spool;

/* Bytes of the instance's pages. */
uint32_t dkt__page_size(struct dkt_instance *in);

/* dkt_source_live() for what does not ask about the source. */
int dkt__live_open(struct dkt_instance *in, const struct dkt_live_opts *opts,
		   struct dkt__live **live);
void dkt__live_free(struct dkt__live *live);

/* The calls of such a source. */
int dkt__live_next(struct dkt_source *source, struct dkt_record *record);
int dkt__live_wait(struct dkt_source *source, int timeout_ms);
int dkt__live_fd(const struct dkt_source *source);
int dkt__live_wake(struct dkt_source *source);
int dkt__live_done(struct dkt_source *source, bool last);
const char *dkt__live_comm(struct dkt_source *source, const struct dkt_record *record);

/*
 * Takes all that the kernel has into the spool and lets go of its buffers: those of the instance, or
 * of the top one that is borrowed for it. Nothing may be recorded there meanwhile.
 */
int dkt__live_save(struct dkt__live *live, bool top);

/* dkt_instance_rest() for the instance itself, or for the top one that is borrowed for it. */
int dkt__rest(struct dkt_instance *base, struct dkt_instance *in, const char *spool, dkt_rest_fn fn,
	      void *data);

/*
 * Owes what was lost up to now to the next reader. To be called before the kernel empties the
 * buffers, and after it while nothing is recorded yet.
 */
int dkt__live_settle(struct dkt__live *live);

/* The records that the kernel lost on the CPU: the spool's dkt__provider.lost. */
int dkt__live_lost(struct dkt__streams *it, const struct dkt__stream *s, uint64_t *lost);

/* Accounts for what the kernel lost on all CPUs, once all that was returned is forgotten. */
void dkt__live_account(struct dkt__live *live);
