/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Borrows the top instance for a tracer that other instances do not support.
 *
 * Kernels before about 6.12 support function_graph only in the top instance. dktrace borrows it only
 * if it is unused: no tracer, no enabled event, no records, no chosen functions. Its records are then
 * read together with those of the borrowing instance.
 */
#include <inttypes.h>

#include "lib/base/io.h"
#include "lib/base/parse.h"
#include "lib/event.h"
#include "lib/functions.h"
#include "lib/instance.h"
#include "lib/instance/trigger.h"
#include "lib/note.h"
#include "lib/top_instance.h"
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

bool dkt__instance_borrows_top(const struct dkt_instance *in)
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
		dkt__log(ctx, DKT_LOG_WARN, "%s/" NOTE " is invalid", spool);
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
	int err = dkt__instance_get_clock(top, &clock);

	*was = (struct was){ 0 };
	if (!err)
		snprintf(was->clock, sizeof(was->clock), "%s", clock);
	if (!err)
		err = read_size(top->ctx, &was->kb);
	return err ? err : dkt__instance_get_on(top, &was->on);
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
	int err = dkt__instance_get_clock(in, &clock);

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
		err = dkt__instance_get_on(in, &on);
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
	words = dkt__error_take(top->ctx);
	dkt__top_return(in->ctx, in->spool);
	return dkt__error_give(top->ctx, err, words);
}

int dkt__top_borrow(struct dkt_instance *for_in, struct dkt_instance **out)
{
	DKT_OPTS(dkt_instance_opts, opts, .spool = for_in->spool);
	int err = dkt_instance_open(for_in->ctx, NULL, &opts, out);

	if (err || dkt__instance_borrows_top(for_in))
		return err;
	err = borrow(*out, for_in);
	if (err) {
		dkt_instance_close(*out);
		*out = NULL;
	}
	return err;
}

/*
 * The kernel's traceoff stops only the instance whose event has the trigger. Without a copy, the top
 * instance would continue and overwrite its records from before that moment.
 */

/* A note in the spool directory, with lines "SYSTEM:EVENT TRIGGER". */
#define STOPS_NOTE "top.triggers"

/* ---- lists of triggers ---- */

static int add_stop(struct dkt__stops *stops, struct dkt_event *event, const char *text, bool fresh)
{
	struct dkt__stop stop = { .event = event, .fresh = fresh };
	int err = dkt__trigger_parse(event->ctx, text, &stop.trigger);

	if (!err)
		err = dkt__with_words(event->ctx, dkt__append(stops->list, stops->n, stop));
	if (err)
		free(stop.trigger);
	return err;
}

int dkt__stops_add(struct dkt__stops *stops, struct dkt_event *event,
		   const struct dkt_trigger *trigger, bool fresh)
{
	if (strcmp(trigger->action, "traceoff") != 0 && strcmp(trigger->action, "traceon") != 0)
		return 0;
	return add_stop(stops, event, trigger->text, fresh);
}

void dkt__stops_clear(struct dkt__stops *stops)
{
	for (size_t i = 0; i < stops->n; i++)
		free(stops->list[i].trigger);
	free(stops->list);
	*stops = (struct dkt__stops){ 0 };
}

static bool has_stop(const struct dkt__stops *stops, const struct dkt__stop *stop)
{
	for (size_t i = 0; i < stops->n; i++)
		if (stops->list[i].event == stop->event &&
		    dkt__trigger_same(stops->list[i].trigger, stop->trigger))
			return true;
	return false;
}

/* ---- their note ---- */

/* Skips an event that no longer exists: the kernel removed its triggers too. */
static int read_line(struct dkt_ctx *ctx, char *line, struct dkt__stops *stops)
{
	char *name = strchr(line, ':'), *text = name ? strchr(name, ' ') : NULL;
	struct dkt_event *event;
	int err;

	if (!text)
		return 0;
	*name++ = *text++ = '\0';
	event = dkt_event_find(ctx, line, name);
	err = event ? add_stop(stops, event, text, false) : 0;
	return err == -ENOMEM ? err : 0;
}

static int read_stops(struct dkt_instance *in, struct dkt__stops *stops)
{
	char *text __cleanup(free) = NULL;
	char *save = NULL;
	int err;

	if (!dkt__note_exists(in->spool, STOPS_NOTE))
		return 0;
	err = dkt__note_read(in->ctx, in->spool, STOPS_NOTE, &text);
	for (char *line = err ? NULL : strtok_r(text, "\n", &save); line && !err;
	     line = strtok_r(NULL, "\n", &save))
		err = read_line(in->ctx, line, stops);
	return err;
}

static int write_stops(struct dkt_instance *in, const struct dkt__stops *stops)
{
	char *text __cleanup(free) = NULL;
	size_t len;
	FILE *f;
	int err;

	if (!stops->n)
		return dkt__note_remove(in->ctx, in->spool, STOPS_NOTE);
	f = open_memstream(&text, &len);
	for (size_t i = 0; f && i < stops->n; i++)
		fprintf(f, "%s:%s %s\n", stops->list[i].event->system, stops->list[i].event->name,
			stops->list[i].trigger->text);
	err = dkt__with_words(in->ctx, dkt__text_end(f, 0, &text));
	return err ? err : dkt__note_write(in->ctx, in->spool, STOPS_NOTE, text);
}

/* ---- copying them ---- */

/* Finds the instance's trigger with the rest of its count; NULL: the instance does not have it. */
static int find_in(struct dkt_instance *in, const struct dkt__stop *stop, struct dkt_trigger **now)
{
	struct dkt_trigger **there __cleanup(free) = NULL;
	size_t n;
	int err = dkt_instance_get_triggers(in, stop->event, &there, &n);

	*now = NULL;
	for (size_t i = 0; !err && i < n && !*now; i++)
		if (dkt__trigger_same(there[i], stop->trigger))
			err = dkt__trigger_parse(in->ctx, there[i]->text, now);
	return err;
}

/* Selects the triggers that the top instance does not have yet. */
static int choose(struct dkt_instance *in, struct dkt_instance *top, const struct dkt__stops *stops,
		  const struct dkt__stops *old, struct dkt__stops *new)
{
	int err = 0;

	for (size_t i = 0; !err && i < stops->n; i++) {
		struct dkt_trigger *now __cleanup(free) = NULL;
		struct dkt_trigger *other __cleanup(free) = NULL;
		const struct dkt__stop *stop = &stops->list[i];
		bool is_old = has_stop(old, stop);

		if (is_old && !stop->fresh)
			continue;
		err = find_in(in, stop, &now);
		/* If another program has set the same trigger there, leave it alone. */
		if (!err && !is_old)
			err = find_in(top, stop, &other);
		if (!err && now && now->left && !other)
			err = add_stop(new, stop->event, now->text, true);
	}
	return err;
}

static int join_stops(struct dkt__stops *to, const struct dkt__stops *from)
{
	int err = 0;

	for (size_t i = 0; !err && i < from->n; i++)
		if (!has_stop(to, &from->list[i]))
			err = add_stop(to, from->list[i].event, from->list[i].trigger->text, false);
	return err;
}

/* Removes old triggers that are not wanted or will be added again; stores the others in kept. */
static int remove_old(struct dkt_instance *top, const struct dkt__stops *old,
		      const struct dkt__stops *stops, const struct dkt__stops *new,
		      struct dkt__stops *kept)
{
	int err = 0;

	for (size_t i = 0; !err && i < old->n; i++) {
		const struct dkt__stop *stop = &old->list[i];

		if (has_stop(stops, stop) && !has_stop(new, stop))
			err = add_stop(kept, stop->event, stop->trigger->text, false);
		else
			/* Ignore errors: a change may have been killed after it wrote the note. */
			dkt__trigger_remove(top, stop->event, stop->trigger);
	}
	return err;
}

static int add_new(struct dkt_instance *top, const struct dkt__stops *new)
{
	int err = 0;

	for (size_t i = 0; !err && i < new->n; i++)
		err = dkt__trigger_add(top, new->list[i].event, new->list[i].trigger);
	return err;
}

static int follow_stops(struct dkt_instance *in, struct dkt_instance *top,
			const struct dkt__stops *stops, struct dkt__stops lists[static 4])
{
	struct dkt__stops *old = &lists[0], *new = &lists[1], *all = &lists[2], *kept = &lists[3];
	int err = read_stops(in, old);

	if (!err)
		err = choose(in, top, stops, old, new);
	if (!err)
		err = join_stops(all, old);
	if (!err)
		err = join_stops(all, new);
	if (!err && new->n)
		err = write_stops(in, all);
	if (!err)
		err = remove_old(top, old, stops, new, kept);
	if (!err)
		err = add_new(top, new);
	if (!err)
		err = join_stops(kept, new);
	return !err && (new->n || kept->n < old->n) ? write_stops(in, kept) : err;
}

int dkt__stops_follow(struct dkt_instance *in, struct dkt_instance *top,
		      const struct dkt__stops *stops)
{
	struct dkt__stops lists[4] = { 0 };
	bool on = true, top_on = true;
	int err = follow_stops(in, top, stops, lists);

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		dkt__stops_clear(&lists[i]);
	/* A trigger may have fired before its copy was set. */
	if (!err)
		err = dkt__instance_get_on(in, &on);
	if (!err)
		err = dkt__instance_get_on(top, &top_on);
	return err || on == top_on ? err : dkt_instance_set_on(top, on);
}

/* Removes the triggers in the note; top has the spool of the instance that borrows it. */
static int return_stops(struct dkt_instance *top)
{
	struct dkt__stops old = { 0 };
	int err = read_stops(top, &old);

	for (size_t i = 0; i < old.n; i++)
		dkt__trigger_remove(top, old.list[i].event, old.list[i].trigger);
	dkt__stops_clear(&old);
	return err ? err : dkt__note_remove(top->ctx, top->spool, STOPS_NOTE);
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
		err = return_stops(top);
	if (!err)
		err = restore(top, &was);
	dkt_instance_close(top);
	return err ? err : dkt__note_remove(ctx, spool, NOTE);
}

int dkt__spool_return(struct dkt_ctx *ctx, const char *spool)
{
	dkt__needs(ctx, ctx && spool);

	int err = dkt__functions_return(ctx, spool);

	return err ? err : dkt__top_return(ctx, spool);
}
