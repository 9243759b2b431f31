/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Borrows the top instance for a tracer that other instances do not support.
 *
 * Kernels before about 6.12 support function_graph only in the top instance. dktrace borrows it only
 * if it is unused: no tracer, no enabled event, no records, no chosen functions. Its records are then
 * read together with those of the borrowing instance.
 */
#include <inttypes.h>

#include "lib/base/parse.h"
#include "lib/event.h"
#include "lib/functions.h"
#include "lib/instance.h"
#include "lib/note.h"
#include "lib/top_instance.h"
#include "lib/top_instance/stops.h"
#include "lib/tracefs.h"

/* This note is in the spool directory while the top instance is borrowed. */
#define NOTE "top"

#define NONE "nop"

/* The state before the loan. */
struct was {
	char clock[32];
	uint64_t kb; /* per CPU; 0: the CPUs differ, or it is unknown */
	bool on;
};

bool dkt_instance_borrows_top(const struct dkt_instance *in)
{
	return in && in->spool && dkt__note_exists(in->spool, NOTE);
}

/* ---- the note ---- */

static int write_note(struct dkt_instance *in, const struct was *was)
{
	char text[128];

	snprintf(text, sizeof(text), "clock %s\nbuffer_size_kb %" PRIu64 "\ntracing_on %d\n",
		 was->clock, was->kb, was->on);
	return dkt__note_write(in->ctx, in->spool, NOTE, text);
}

/* If the note is invalid, assume the state after boot. */
static int read_note(struct dkt_ctx *ctx, const char *spool, struct was *was)
{
	char *text __cleanup(free) = NULL;
	int on = 1, err = dkt__note_read(ctx, spool, NOTE, &text);

	*was = (struct was){ .clock = "local" };
	if (!err && sscanf(text, "clock %31s\nbuffer_size_kb %" SCNu64 "\ntracing_on %d\n",
			   was->clock, &was->kb, &on) != 3)
		dkt_log(ctx, DKT_LOG_WARN, "%s/" NOTE " is invalid", spool);
	was->on = on;
	return err;
}

/* ---- borrowing ---- */

static int check_buffers(struct dkt_instance *top)
{
	struct dkt_cpu_stats stats;
	int err = 0;

	for (int cpu = 0; !err && cpu < top->cpus; cpu++) {
		err = dkt_instance_get_stats(top, cpu, &stats, sizeof(stats));
		if (!err && stats.entries)
			err = dkt_fail(top->ctx, -EBUSY,
				       "the top instance has records of another program");
	}
	return err;
}

/* Fails if another program uses the top instance. */
static int check_unused(struct dkt_instance *top)
{
	struct dkt_event **on __cleanup(free) = NULL;
	char *tracer __cleanup(free) = NULL;
	size_t n;
	int err = dkt__tfs_read(top->ctx, &tracer, NULL, "current_tracer");

	if (err)
		return err;
	tracer[strcspn(tracer, "\n")] = '\0';
	if (strcmp(tracer, NONE))
		return dkt_fail(top->ctx, -EBUSY, "another program uses %s in the top instance",
				tracer);
	err = dkt_instance_get_events(top, &on, &n);
	if (!err && n)
		return dkt_fail(top->ctx, -EBUSY,
				"another program has enabled %s:%s in the top instance",
				on[0]->system, on[0]->name);
	if (!err && (dkt__functions_chosen(top, "set_ftrace_filter") ||
		     dkt__functions_chosen(top, "set_graph_function") ||
		     dkt__functions_chosen(top, "set_graph_notrace")))
		return dkt_fail(top->ctx, -EBUSY,
				"another program has chosen functions in the top instance");
	return err ? err : check_buffers(top);
}

/* Before its first use the file says "7 (expanded: 1408)", and the second number counts. */
static int read_size(struct dkt_ctx *ctx, uint64_t *kb)
{
	char *text __cleanup(free) = NULL;
	int err = dkt__tfs_read(ctx, &text, NULL, "buffer_size_kb");
	const char *p;

	if (err)
		return err;
	p = strchr(text, ':');
	p = p ? p + strspn(p, ": ") : text;
	/* "X": the sizes of the CPUs differ; kb stays 0, and the size is not restored. */
	dkt__take_u64(&p, NULL, DKT__DEC, kb);
	return 0;
}

static int read_state(struct dkt_instance *top, struct was *was)
{
	char *clock __cleanup(free) = NULL;
	int err = dkt_instance_get_clock(top, &clock);

	*was = (struct was){ 0 };
	if (!err)
		snprintf(was->clock, sizeof(was->clock), "%s", clock);
	if (!err)
		err = read_size(top->ctx, &was->kb);
	return err ? err : dkt_instance_get_on(top, &was->on);
}

static int set_size(struct dkt_instance *top, uint64_t kb)
{
	return dkt_instance_set_size(top, kb * 1024 * (uint64_t)top->cpus);
}

static int copy_settings(struct dkt_instance *top, struct dkt_instance *in)
{
	char *clock __cleanup(free) = NULL;
	bool on = false;
	uint64_t kb;
	int err = dkt_instance_get_clock(in, &clock);

	if (!err)
		err = dkt_instance_set_clock(top, clock);
	if (!err)
		err = dkt__tfs_read_u64(in->ctx, &kb, "%sbuffer_size_kb", in->prefix);
	if (!err)
		err = set_size(top, kb);
	/* This also resets the kernel's statistics. */
	if (!err)
		err = dkt__buffers_clear(top);
	if (!err)
		err = dkt_instance_get_on(in, &on);
	return err ? err : dkt_instance_set_on(top, on);
}

static int borrow(struct dkt_instance *top, struct dkt_instance *in)
{
	char *words;
	struct was was;
	int err = check_unused(top);

	if (!err)
		err = read_state(top, &was);
	if (!err)
		err = write_note(in, &was);
	if (err)
		return err;
	err = copy_settings(top, in);
	if (!err)
		return 0;
	words = dkt_error_take(top->ctx);
	dkt__top_return(in->ctx, in->spool);
	return dkt_error_give(top->ctx, err, words);
}

int dkt__top_borrow(struct dkt_instance *for_in, struct dkt_instance **out)
{
	DKT_OPTS(dkt_instance_opts, opts, .spool = for_in->spool);
	int err = dkt_instance_open(for_in->ctx, NULL, &opts, out);

	if (err || dkt_instance_borrows_top(for_in))
		return err;
	err = borrow(*out, for_in);
	if (err) {
		dkt_instance_close(*out);
		*out = NULL;
	}
	return err;
}

/* ---- returning ---- */

/* Continues after a failure; returns the first error. */
static int restore(struct dkt_instance *top, const struct was *was)
{
	int err = dkt__tfs_set(top->ctx, NONE, "current_tracer"), later;

	later = dkt__functions_clear(top);
	err = err ? err : later;
	later = dkt__buffers_clear(top);
	err = err ? err : later;
	later = dkt_instance_set_clock(top, was->clock);
	err = err ? err : later;
	later = was->kb ? set_size(top, was->kb) : 0;
	err = err ? err : later;
	later = dkt_instance_set_on(top, was->on);
	return err ? err : later;
}

int dkt__top_return(struct dkt_ctx *ctx, const char *spool)
{
	DKT_OPTS(dkt_instance_opts, opts, .spool = spool);
	struct dkt_instance *top = NULL;
	struct was was;
	int err;

	if (!dkt__note_exists(spool, NOTE))
		return 0;
	err = read_note(ctx, spool, &was);
	if (!err)
		err = dkt_instance_open(ctx, NULL, &opts, &top);
	/* First the copied triggers: one that fires later would change the restored state. */
	if (!err)
		err = dkt__stops_return(top);
	if (!err)
		err = restore(top, &was);
	dkt_instance_close(top);
	return err ? err : dkt__note_remove(ctx, spool, NOTE);
}

int dkt_spool_return(struct dkt_ctx *ctx, const char *spool)
{
	dkt__needs(ctx, ctx && spool);

	int err = dkt__functions_return(ctx, spool);

	return err ? err : dkt__top_return(ctx, spool);
}
