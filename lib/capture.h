/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the rooms of a capture share: walking and merging, accounting, opening. */
#ifndef DKT_CAPTURE_H
#define DKT_CAPTURE_H

#include "capture/spool.h"
#include "page.h"

struct dkt__cpu {
	struct dkt_instance *in; /* NULL: its buffer is gone, only the spool is left */
	int nr;
	int fd; /* trace_pipe_raw */
	struct dkt__spool spool;
	struct dkt__page page;
	uint32_t page_nr; /* the page being walked */
	bool loaded; /* page is being walked, next holds its next record */
	bool gap; /* lost records are to be reported before next */
	bool first; /* next is the first of an emptied buffer */
	bool dry; /* the kernel has no more up to the bound */
	bool absent; /* the kernel has no buffer for it: it has not been online yet */
	struct dkt__page_record next;
	struct dkt_loss loss;
	uint64_t told; /* lost, as gaps returned so far have it */
};

struct dkt_capture {
	struct dkt_instance *in;
	struct dkt_instance *top; /* that is borrowed for it, NULL: none */
	unsigned int flags;
	uint64_t until;
	int (*flush)(void *data);
	void *data;
	int lock; /* the spool directory's, -1: no spool */
	int dir;
	struct dkt__cpu *cpus; /* those of the top instance behind the instance's own */
	int n_cpus;
	int *heap; /* CPUs that have a next record, the oldest first */
	int n_heap;
	int current; /* CPU whose record was returned last, -1: none */
	bool primed;
	bool settled; /* losses up to now have been accounted for */
	struct tep_handle *comms; /* only names of processes */
};

/* Bytes of the instance's pages. */
uint32_t dkt__page_size(struct dkt_instance *in);

/* Steps to the next record of what is spooled. 0, or 1 at the end of it. */
int dkt__cpu_step(struct dkt__cpu *cpu);

/* Forgets what was returned. Nothing moves in the mapping: a page being walked stays. */
void dkt__cpu_release(struct dkt__cpu *cpu);

/*
 * Takes all that the kernel has into the spool and lets go of its buffers: those of the instance, or
 * of the top one that is borrowed for it. Nothing may be recorded there meanwhile.
 */
int dkt__capture_save(struct dkt_capture *cap, bool top);

/* dkt_instance_rest() for the instance itself, or for the top one that is borrowed for it. */
int dkt__rest(struct dkt_instance *base, struct dkt_instance *in, const char *spool, dkt_rest_fn fn,
	      void *data);

/*
 * Owes what was lost up to now to the next capture. To be called before the kernel empties the
 * buffers, and after it while nothing is recorded yet.
 */
int dkt__capture_settle(struct dkt_capture *cap);

/* What the kernel lost on the CPU since the last capture accounted for it. */
int dkt__cpu_lost(struct dkt_capture *cap, int nr, struct dkt_cpu_stats *stats, uint64_t *lost);

#endif
