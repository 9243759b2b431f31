/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies the settings to the instance: turns masks into events and filters, as one transaction. */
#include <fcntl.h>
#include <inttypes.h>

#include "compat/apply/applying.h"
#include "compat/apply/audit.h"
#include "compat/log/debuglog.h"
#include "compat/log/directory.h"
#include "compat/log/missed.h"
#include "compat/lustre/lustre_masks.h"
#include "compat/lustre/message.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/util.h"
#include "lib/inside.h"

void dkl_filter_report_clear(struct filter_report *report)
{
	free(report->missed);
	*report = (struct filter_report){ 0 };
}

static int add_filter(struct applying *a, struct dkt_event *event)
{
	char *text __cleanup(free) = NULL;
	int err = dkl_event_filter(&a->filter, event, &text);

	if (err || !text)
		return err;
	err = dkt_change_filter(a->change, event, text);
	return err ? err : dkl_settings_add_filtered(a->done, event);
}

/* Removes the filters of events that are to have none now. */
static int remove_filters(struct applying *a)
{
	const struct dkt__strings *before = &a->log->set.filtered;
	int err = 0;

	for (size_t i = 0; !err && i < before->n; i++) {
		struct dkt_event *event;

		if (dkt__strings_has(&a->done->filtered, before->list[i]))
			continue;
		event = dkl_debuglog_event(a->log->ctx, before->list[i]);
		if (event)
			err = dkt_change_filter(a->change, event, "");
	}
	return err;
}

/* ---- the transaction ---- */

/* dkl_debuglog_drift() needs the list to find systems whose module was unloaded. */
static int list_systems(struct applying *a)
{
	const char *last = "";
	struct dkt_buf buf = { 0 };

	for (size_t i = 0; i < a->n_on; i++) {
		const char *system = dkt_event_system(a->on[i]);

		if (strcmp(system, last))
			dkt_buf_printf(&buf, "%s%s", *last ? " " : "", system);
		last = system;
	}
	a->done->systems = dkt__buf_take(&buf);
	return a->done->systems ? 0 : -ENOMEM;
}

static int add_events(struct applying *a)
{
	struct debuglog *log = a->log;
	struct dkt_event *const *all;
	size_t n;
	int err = dkt_events(log->ctx, &all, &n);

	a->on = err ? NULL : calloc(n + 1, sizeof(struct dkt_event *));
	if (!a->on)
		return err ? err : -ENOMEM;
	for (size_t i = 0; !err && i < n; i++) {
		const struct class_bits *bits = dkl_class_map_event(log->map, all[i]);
		bool on = dkl_applying_wants(a, all[i]);

		if ((!on && !dkl_applying_is_target(a, all[i])) ||
		    (bits->fields && !dkl_message_is(all[i])))
			continue;
		if (on)
			a->on[a->n_on++] = all[i];
		err = add_filter(a, all[i]);
	}
	if (!err)
		err = dkt_change_events(a->change, a->on, a->n_on);
	if (!err)
		err = list_systems(a);
	return err ? err : remove_filters(a);
}

/*
 * Offers a filter that dktrace cannot parse to the kernel as well: users can look up the kernel's error
 * message. The message of dktrace follows it.
 */
static int read_filters(struct applying *a)
{
	struct dkt_ctx *ctx = a->log->ctx;
	int err = dkl_event_filter_read(&a->filter);
	char *message __cleanup(free) = NULL;
	char *kernel __cleanup(free) = NULL;

	if (!err || !a->set->filter || a->filter.expr)
		return err;
	message = dkt__error_take(ctx);
	if (dkt__instance_try_filter(a->log->in, a->set->filter) == -EINVAL)
		kernel = dkt__error_take(ctx);
	return dkt_fail(ctx, err, "%s%s%s", kernel ? kernel : "", kernel ? "\n" : "",
			message ? message : "");
}

static int build_change(struct applying *a)
{
	int err = dkt_change_new(a->log->in, &a->change);

	if (!err)
		err = read_filters(a);
	if (!err)
		err = dkl_event_filter_named(a->log->ctx, &a->log->set, &a->before);
	if (!err)
		err = dkl_modules_read(a->log->map, a->set->subsystem_debug, &a->modules);
	if (!err)
		err = dkl_modules_sites(&a->modules, &a->sites);
	a->filter.sites = a->sites;
	if (!err)
		err = dkl_applying_targets(a);
	if (!err)
		err = add_events(a);
	if (!err)
		err = dkl_applying_triggers(a);
	if (!err)
		err = dkl_applying_limits(a);
	if (!err)
		err = dkl_applying_graph(a);
	if (!err)
		err = dkt_change_user_data(a->change, a->set->user_data);
	/* A new filter must fit at least one event. */
	if (err || !a->filter.expr || !a->report || !a->report->must_take || a->report->took ||
	    !a->n_on)
		return err;
	err = dkt__expr_check_any(a->filter.expr, a->on, a->n_on, 0);
	return err == -ENOENT ? -EINVAL : err;
}

static void applying_clear(struct applying *a)
{
	dkt_change_free(a->change);
	dkl_event_filter_clear(&a->filter);
	dkl_named_clear(&a->before);
	free(a->targets);
	dkl_modules_clear(&a->modules);
	free(a->sites);
	free(a->on);
}

static int set_size(struct debuglog *log, uint32_t mb)
{
	int err = dkt_instance_set_size(log->in, (uint64_t)mb << 20);

	return err ? dkt__fail_in(log->ctx, err, "debug_mb=%" PRIu32, mb) : 0;
}

/* Keeps the error message. */
static void restore_size(struct debuglog *log, uint64_t bytes)
{
	char *message = dkt__error_take(log->ctx);
	uint64_t now;

	if (dkt__instance_get_size(log->in, &now) || now != bytes)
		dkt_instance_set_size(log->in, bytes);
	dkt__error_give(log->ctx, 0, message);
}

/* Creates a missing instance; it records nothing yet. */
static int create_instance(struct debuglog *log, const struct settings *set)
{
	int err;

	if (log->in)
		return 0;
	err = dkl_debuglog_open_instance(log, DKT_CREATE);
	if (err)
		return err;
	err = dkt_instance_set_clock(log->in, DEBUGLOG_CLOCK);
	if (!err && !set->debug_mb)
		err = set_size(log, dkl_settings_default_mb(dkt_instance_n_cpus(log->in)));
	return err;
}

/* Saves the settings before the change, with every event that will get a filter or a trigger. */
static int save_before(struct applying *a)
{
	struct debuglog *log = a->log;
	int err = 0;

	for (size_t i = 0; !err && a->change && i < a->done->filtered.n; i++)
		if (!dkt__strings_has(&log->set.filtered, a->done->filtered.list[i]))
			err = dkt__strings_add(&log->set.filtered, a->done->filtered.list[i]);
	if (!err && a->change)
		err = dkl_applying_note(a, &log->set);
	if (!err && log->in && !log->interrupted)
		err = dkt__instance_get_on(log->in, &log->set.recording);
	return err ? err : dkl_settings_save(log->ctx, log->dirfd, DEBUGLOG_BEFORE, &log->set);
}

static int commit_change(void *change)
{
	return dkt_change_commit(change);
}

/*
 * A new instance stays off until everything is set. Otherwise the log would begin with our own
 * writes to hundreds of files.
 */
static int commit(struct applying *a)
{
	struct dkt_instance *in = a->log->in;
	bool is_new = dkt__instance_is_new(in);
	int err = is_new ? dkt_instance_set_on(in, false) : 0;

	if (!err)
		err = !is_new && dkl_applying_sets_clock(a) ?
			      dkt__instance_run_stopped(in, commit_change, a->change) :
			      dkt_change_commit(a->change);
	if (!err && is_new)
		err = dkl_recording_set(a->log, true);
	return err;
}

/* Changes the kernel first, then the file, so that stored settings were once in effect. */
static int transact(struct applying *a)
{
	struct debuglog *log = a->log;
	const struct settings *set = a->set;
	uint64_t bytes = 0;
	int err = create_instance(log, set);

	if (!err && set->debug_mb) {
		err = dkt__instance_get_size(log->in, &bytes);
		/*
		 * The kernel rounds the size up. It refuses a change while another program reads the
		 * trace, so do not set the same size again.
		 */
		if (!err && bytes >> 20 != set->debug_mb)
			err = set_size(log, set->debug_mb);
	}
	if (!err)
		err = build_change(a);
	if (!err)
		err = save_before(a);
	a->done->has_instance = true;
	/* Detect a full disk before the kernel is changed. */
	if (!err)
		err = dkl_settings_stage(log->ctx, log->dirfd, DEBUGLOG_SETTINGS, a->done);
	if (!err)
		dkl_missed_begin(log);
	if (!err)
		err = commit(a);
	if (!err)
		err = dkl_applying_note_graph(a);
	if (!err)
		err = dkl_applying_recording(a, &log->set);
	if (!err)
		err = dkl_settings_publish(log->ctx, log->dirfd, DEBUGLOG_SETTINGS);
	if (err && bytes)
		restore_size(log, bytes);
	return err;
}

/* Removes an instance that was created for a change that failed. Keeps the error message. */
static void remove_new_instance(struct debuglog *log)
{
	char *message = dkt__error_take(log->ctx);

	dkt_instance_close(log->in);
	log->in = NULL;
	dkl_debuglog_return_top(log);
	dkt_instance_remove(log->ctx, log->name);
	dkt__error_give(log->ctx, 0, message);
}

int dkl_debuglog_apply(struct debuglog *log, const struct settings *set,
		       struct filter_report *report)
{
	struct settings done;
	struct applying a = { .log = log, .set = set, .done = &done, .report = report };
	bool was_new = !log->in;
	size_t len;
	int err = dkl_debuglog_map(log);

	if (!err)
		err = dkl_settings_copy(&done, set);
	if (err)
		return err;
	done.no_probe = log->no_probe ? strdup(log->no_probe) : NULL;
	done.lustre = dkl_lustre_is_loaded();
	a.filter = (struct event_filter){
		.ctx = log->ctx, .map = log->map, .set = set, .report = report
	};
	a.filter.missed = report ? open_memstream(&report->missed, &len) : NULL;
	log->set.has_instance = log->in;
	err = save_before(&a);
	if (!err)
		err = transact(&a);
	applying_clear(&a);
	if (a.filter.missed)
		fclose(a.filter.missed);
	if (!err) {
		dkl_follow_report(log, &done);
		dkl_audit_change(log, &log->set, &done);
		dkl_settings_clear(&log->set);
		log->set = done;
		log->applied = true;
	} else {
		dkl_settings_clear(&done);
		if (was_new && log->in)
			remove_new_instance(log);
	}
	dkl_log_dir_forget_before(log);
	return err;
}

int dkl_debuglog_reapply(struct debuglog *log)
{
	struct settings set __cleanup(settings) = { 0 };
	int err = dkl_settings_copy(&set, &log->set);

	return err ? err : dkl_debuglog_apply(log, &set, NULL);
}
