/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making the instance what the settings say: masks to events and filters, as one transaction. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apply/follow.h"
#include "apply/plan.h"
#include "base/util.h"
#include "log/recording.h"
#include "lustre/lustre_masks.h"
#include "lustre/message.h"
#include "set/functions.h"

/* As many MiB a CPU as Lustre's own buffer has by default. */
#define DEFAULT_MB_PER_CPU 5

/* What records entry and exit of functions. */
#define GRAPH_TRACER "function_graph"

void filter_report_clear(struct filter_report *report)
{
	free(report->missed);
	*report = (struct filter_report){ 0 };
}

static int add_filter(struct plan *plan, struct dkt_event *event)
{
	char *text __cleanup(free) = NULL;
	int err = event_filter(&plan->filter, event, &text);

	if (err || !text)
		return err;
	err = dkt_change_filter(plan->change, event, text);
	return err ? err : settings_add_filtered(plan->done, event);
}

/* Events that had a filter and are to have none now. */
static int drop_filters(struct plan *plan)
{
	const struct names *before = &plan->log->set.filtered;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < before->n; i++) {
		struct dkt_event *event;

		if (names_has(&plan->done->filtered, before->list[i]))
			continue;
		event = debuglog_event(plan->log->ctx, before->list[i]);
		if (event)
			err = dkt_change_filter(plan->change, event, "");
	}
	return err;
}

/* ---- the transaction ---- */

/* By which it is seen later that some have gone. */
static int list_systems(struct plan *plan)
{
	const char *last = "";
	size_t i, len;
	FILE *out = open_memstream(&plan->done->systems, &len);

	for (i = 0; out && i < plan->n_on; i++) {
		const char *system = dkt_event_system(plan->on[i]);

		if (strcmp(system, last))
			fprintf(out, "%s%s", *last ? " " : "", system);
		last = system;
	}
	if (out && !fclose(out))
		return 0;
	plan->done->systems = NULL;
	return -ENOMEM;
}

static int plan_events(struct plan *plan)
{
	struct debuglog *log = plan->log;
	struct dkt_event *const *all;
	size_t n, i;
	int err = dkt_events(log->ctx, &all, &n);

	plan->on = err ? NULL : calloc(n + 1, sizeof(struct dkt_event *));
	if (!plan->on)
		return err ? err : -ENOMEM;
	for (i = 0; !err && i < n; i++) {
		const struct class_bits *bits = class_map_event(log->map, all[i]);

		bool on = plan_wants(plan, all[i]);

		if ((!on && !plan_is_target(plan, all[i])) || (bits->fields && !message_is(all[i])))
			continue;
		if (on)
			plan->on[plan->n_on++] = all[i];
		err = add_filter(plan, all[i]);
	}
	if (!err)
		err = dkt_change_events(plan->change, plan->on, plan->n_on);
	if (!err)
		err = list_systems(plan);
	return err ? err : drop_filters(plan);
}

/* ---- entry and exit of functions ---- */

static bool wants_graph(const struct class_map *map, uint32_t types)
{
	const struct class_entry *entries;
	unsigned int bit;
	size_t i, n;

	for (bit = 0; bit < MASK_BITS; bit++) {
		entries = class_map_entries(map, MASK_DEBUG, bit, &n);
		for (i = 0; i < n && types & 1u << bit; i++)
			if (entries[i].graph)
				return true;
	}
	return false;
}

/*
 * What Lustre does to log a message, which is a tenth of all that its modules call, says nothing
 * about a request, and recording it is slow.
 */
static const char *const not_recorded[] = {
	"libcfs_debug_*msg*",      "cfs_trace_*",           "cfs_tage_*", "cfs_tcd_*",
	"cfs_set_ptldebug_header", "cfs_*print_to_console",
};

/* Only of modules that are loaded: never of the whole kernel by accident. */
static int plan_graph(struct plan *plan)
{
	size_t i, n = plan->modules.n;
	const char **names __cleanup(free) = calloc(n + 1, sizeof(*names));
	char *spool __cleanup(free) = NULL;
	int err = names ? debuglog_spool(plan->log, &spool) : -ENOMEM;

	if (err)
		return err;
	if (plan->set->functions.n)
		return functions_plan(plan->log->ctx, plan->set,
				      names_same(&plan->set->functions,
						 &plan->log->set.functions) &&
					      !plan->log->interrupted,
				      spool, plan->change);
	for (i = 0; i < n; i++)
		names[i] = plan->modules.list[i].name;
	plan->graph = plan->set->sources & MASK_FROM_FUNCTIONS &&
		      wants_graph(plan->log->map, plan->set->debug);
	if (plan->graph && n)
		err = modules_names(&plan->modules, &plan->done->graph);
	if (!err)
		err = dkt_change_tracer(plan->change, plan->done->graph ? GRAPH_TRACER : NULL,
					names, n, spool);
	return err ? err :
		     dkt_change_tracer_without(plan->change, not_recorded,
					       ARRAY_SIZE(not_recorded));
}

/* Why entry and exit of functions are not as wanted, NULL: they are. */
static const char *graph_refused(const struct plan *plan)
{
	const char *why = dkt_change_refused(plan->change);

	if (!why && plan->graph && !plan->modules.n)
		why = "no module of the chosen subsystems is loaded";
	return why;
}

/* It is an extra: what is in the way of it is no error. */
static int note_graph(struct plan *plan)
{
	const char *why = graph_refused(plan);
	struct settings *done = plan->done;
	char **note = &plan->log->note;

	free(*note);
	*note = NULL;
	if (!why)
		return 0;
	if (asprintf(note, "entry and exit of functions are %s recorded: %s",
		     plan->graph ? "not" : "still", why) < 0) {
		*note = NULL;
		return -ENOMEM;
	}
	free(done->graph);
	done->graph = NULL;
	done->no_graph = plan->graph ? strdup(why) : NULL;
	return settings_stage(plan->log->ctx, plan->log->dirfd, DEBUGLOG_SETTINGS, done);
}

/* What does not parse here is put to the kernel, whose words the user can look up; ours follow. */
static int read_filters(struct plan *plan)
{
	struct dkt_ctx *ctx = plan->log->ctx;
	int err = event_filter_read(&plan->filter);
	char *words __cleanup(free) = NULL;
	char *kernel __cleanup(free) = NULL;

	if (!err || !plan->set->filter || plan->filter.expr)
		return err;
	words = strdup(dkt_error(ctx));
	if (dkt_instance_try_filter(plan->log->in, plan->set->filter) == -EINVAL)
		kernel = strdup(dkt_error(ctx));
	return dkt_fail(ctx, err, "%s%s%s", kernel ? kernel : "", kernel ? "\n" : "",
			words ? words : "");
}

static int plan_make(struct plan *plan)
{
	int err = dkt_change_new(plan->log->in, &plan->change);

	if (!err)
		err = read_filters(plan);
	if (!err)
		err = modules_read(plan->log->map, plan->set->subsystem_debug, &plan->modules);
	if (!err)
		err = modules_sites(&plan->modules, &plan->sites);
	plan->filter.sites = plan->sites;
	if (!err)
		err = plan_targets(plan);
	if (!err)
		err = plan_events(plan);
	if (!err)
		err = plan_triggers(plan);
	if (!err)
		err = plan_limits(plan);
	if (!err)
		err = plan_graph(plan);
	/* If the filter itself is being set, it must be good for something. */
	if (err || !plan->filter.expr || !plan->report || !plan->report->must_take ||
	    plan->report->took || !plan->n_on)
		return err;
	err = dkt_expr_check_any(plan->filter.expr, plan->on, plan->n_on, 0);
	return err == -ENOENT ? -EINVAL : err;
}

static void plan_free(struct plan *plan)
{
	dkt_change_free(plan->change);
	event_filter_clear(&plan->filter);
	free(plan->targets);
	modules_clear(&plan->modules);
	free(plan->sites);
	free(plan->on);
}

static int set_size(struct debuglog *log, uint32_t mb)
{
	int err = dkt_instance_set_size(log->in, (uint64_t)mb << 20);

	return err ? dkt_fail_in(log->ctx, err, "debug_mb=%" PRIu32, mb) : 0;
}

/* After a failure, whose words stay. */
static void put_back_size(struct debuglog *log, uint64_t bytes)
{
	char *words __cleanup(free) = strdup(dkt_error(log->ctx));
	uint64_t now;

	if (dkt_instance_get_size(log->in, &now) || now != bytes)
		dkt_instance_set_size(log->in, bytes);
	dkt_fail(log->ctx, 0, "%s", words ? words : "");
}

/* Makes the instance; it records nothing yet. */
static int make_instance(struct debuglog *log, const struct settings *set)
{
	int err;

	if (log->in)
		return 0;
	err = dkt_instance_open(log->ctx, log->name, DKT_CREATE, &log->in);
	if (err)
		return err;
	err = dkt_instance_set_clock(log->in, "mono");
	if (!err && !set->debug_mb)
		err = set_size(log, DEFAULT_MB_PER_CPU * (uint32_t)dkt_instance_cpus(log->in));
	return err;
}

/* What was before, with every event that is about to get a filter or a trigger. */
static int save_before(struct plan *plan)
{
	struct debuglog *log = plan->log;
	size_t i;
	int err = 0;

	for (i = 0; !err && plan->change && i < plan->done->filtered.n; i++)
		if (!names_has(&log->set.filtered, plan->done->filtered.list[i]))
			err = names_add(&log->set.filtered, plan->done->filtered.list[i]);
	if (!err && plan->change)
		err = plan_note(plan, &log->set);
	if (!err && log->in && !log->interrupted)
		err = dkt_instance_get_on(log->in, &log->set.recording);
	return err ? err : settings_save(log->ctx, log->dirfd, DEBUGLOG_BEFORE, &log->set);
}

/*
 * A log that is new waits until all is switched: the switching itself, hundreds of files, is not
 * what it is wanted for.
 */
static int commit(struct plan *plan)
{
	struct dkt_instance *in = plan->log->in;
	bool fresh = dkt_instance_is_new(in);
	int err = fresh ? dkt_instance_set_on(in, false) : 0;

	if (!err)
		err = dkt_change_commit(plan->change);
	if (!err && fresh)
		err = recording_set(plan->log, true);
	return err;
}

/* The kernel first, then the file: what is kept was true at some time. */
static int transact(struct plan *plan)
{
	struct debuglog *log = plan->log;
	const struct settings *set = plan->set;
	uint64_t bytes = 0;
	int err = make_instance(log, set);

	if (!err && set->debug_mb) {
		err = dkt_instance_get_size(log->in, &bytes);
		/* The kernel rounds up; it refuses a change while somebody looks at the trace. */
		if (!err && bytes >> 20 != set->debug_mb)
			err = set_size(log, set->debug_mb);
	}
	if (!err)
		err = plan_make(plan);
	if (!err)
		err = save_before(plan);
	plan->done->made = true;
	/* A full disk is found before anything is switched. */
	if (!err)
		err = settings_stage(log->ctx, log->dirfd, DEBUGLOG_SETTINGS, plan->done);
	if (!err)
		err = commit(plan);
	if (!err)
		err = note_graph(plan);
	if (!err)
		err = plan_recording(plan, &log->set);
	if (!err)
		err = settings_publish(log->ctx, log->dirfd, DEBUGLOG_SETTINGS);
	if (err && bytes)
		put_back_size(log, bytes);
	return err;
}

/* Nothing is left of an instance that was made for a change that failed. */
static void unmake(struct debuglog *log)
{
	char *words __cleanup(free) = strdup(dkt_error(log->ctx));

	dkt_instance_close(log->in);
	log->in = NULL;
	debuglog_return_top(log);
	dkt_instance_remove(log->ctx, log->name);
	dkt_fail(log->ctx, 0, "%s", words ? words : "");
}

int debuglog_apply(struct debuglog *log, const struct settings *set, struct filter_report *report)
{
	struct settings done;
	struct plan plan = { .log = log, .set = set, .done = &done, .report = report };
	bool was_new = !log->in;
	size_t len;
	int err = debuglog_map(log);

	if (!err)
		err = settings_copy(&done, set);
	if (err)
		return err;
	done.no_probe = log->no_probe ? strdup(log->no_probe) : NULL;
	done.lustre = lustre_is_loaded();
	plan.filter = (struct event_filter){ .log = log, .set = set, .report = report };
	plan.filter.missed = report ? open_memstream(&report->missed, &len) : NULL;
	log->set.made = log->in;
	err = save_before(&plan);
	if (!err)
		err = transact(&plan);
	plan_free(&plan);
	if (plan.filter.missed)
		fclose(plan.filter.missed);
	if (!err) {
		follow_tell(log, &done);
		settings_clear(&log->set);
		log->set = done;
		log->applied = true;
	} else {
		settings_clear(&done);
		if (was_new && log->in)
			unmake(log);
	}
	unlinkat(log->dirfd, DEBUGLOG_BEFORE, 0);
	return err;
}
