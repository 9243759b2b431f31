/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removes the probes of a user. */
#include "compat/apply/apply.h"
#include "compat/apply/audit.h"
#include "compat/set/probes/joined.h"
#include "lib/base/buf.h"
#include "lib/base/util.h"
#include "lib/inside.h"

/* Their records in the log can be printed afterwards, too. */
static int keep_records(struct debuglog *log, const char *pattern)
{
	struct dkt_event **events __cleanup(free) = calloc(log->probes->n + 1, sizeof(*events));
	size_t n = 0;

	if (!events)
		return -ENOMEM;
	for (size_t i = 0; log->in && i < log->probes->n; i++) {
		const struct dkt_probe *probe = probes_at(log->probes, i);

		if (log->probes->list[i].state != PROBE_WAS_ON || !dkl_probes_match(pattern, probe))
			continue;
		events[n] = dkt_event_find(log->ctx, probe->group, probe->name);
		n += events[n] != NULL;
	}
	return n ? dkt__instance_retire_events(log->in, events, n) : 0;
}

/* Enables again those that were enabled. Keeps the error message. */
static void restore_states(struct debuglog *log, const enum probe_state *states)
{
	char *message;
	bool changed = false;

	for (size_t i = 0; i < log->probes->n; i++) {
		changed |= log->probes->list[i].state != states[i];
		log->probes->list[i].state = states[i];
	}
	if (!changed)
		return;
	message = dkt__error_take(log->ctx);
	if (!dkl_probes_apply(log))
		dkl_probes_save(log);
	dkt__error_give(log->ctx, 0, message);
}

/* Disables the probes that match, and keeps their records. */
static int prepare(struct debuglog *log, const char *pattern, enum probe_state *states)
{
	bool was_on = false;
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < log->probes->n; i++) {
		states[i] = log->probes->list[i].state;
		if (!dkl_probes_match(pattern, probes_at(log->probes, i)))
			continue;
		n++;
		was_on |= states[i] == PROBE_ON;
	}
	if (!n)
		return dkt_fail(log->ctx, -ENOENT, "no probe of dktrace is called '%s'", pattern);
	if (was_on)
		err = dkl_probes_switch(log, pattern, false, &n);
	return err ? err : keep_records(log, pattern);
}

struct removal {
	struct debuglog *log;
	const char *pattern;
	size_t *removed;
};

static int remove_matching(void *data)
{
	const struct removal *removal = data;
	struct debuglog *log = removal->log;
	struct dkt_probes *in_kernel = NULL;
	int err = dkt_probes_read(log->ctx, &in_kernel);

	for (size_t i = log->probes->n; !err && i-- > 0;) {
		if (!dkl_probes_match(removal->pattern, probes_at(log->probes, i)))
			continue;
		err = dkl_probes_remove_at(log, in_kernel, i);
		*removal->removed += !err;
	}
	dkt_probes_free(in_kernel);
	return err;
}

/* Keeps the error message. */
static void restore_triggers(struct debuglog *log, const struct settings *before)
{
	char *message = dkt__error_take(log->ctx);

	dkl_probes_forget_events(log);
	if (before->triggers.n != log->set.triggers.n)
		dkl_debuglog_apply(log, before, NULL);
	dkt__error_give(log->ctx, 0, message);
}

static void audit(const struct debuglog *log, const char *pattern)
{
	char *setting __cleanup(free) = dkt__format("probe %s", pattern);

	if (setting)
		dkl_audit_one(log, setting, "there", "removed");
}

int dkl_probes_remove(struct debuglog *log, const char *pattern, size_t *removed)
{
	struct removal removal = { .log = log, .pattern = pattern, .removed = removed };
	enum probe_state *states __cleanup(free) = NULL;
	struct settings before __cleanup(settings) = { 0 };
	char *message;
	int err = dkl_settings_copy(&before, &log->set);

	*removed = 0;
	if (!err)
		err = dkl_probes_load(log);
	if (!err) {
		states = calloc(log->probes->n + 1, sizeof(*states));
		err = states ? prepare(log, pattern, states) : -ENOMEM;
	}
	if (!err)
		err = dkl_joined_stop(log, pattern);
	/* The kernel empties the buffers of instances in which the event was enabled. */
	if (!err)
		err = log->in ? dkt__instance_run_stopped(log->in, remove_matching, &removal) :
				remove_matching(&removal);
	if (err && !*removed && states) {
		restore_states(log, states);
		restore_triggers(log, &before);
	}
	dkl_probes_forget_events(log);
	if (*removed)
		audit(log, pattern);
	if (!err)
		return dkl_probes_save(log);
	message = dkt__error_take(log->ctx);
	if (*removed)
		dkl_probes_save(log);
	return dkt__error_give(log->ctx, err, message);
}
