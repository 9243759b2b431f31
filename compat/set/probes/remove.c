/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removes the probes of a user. */
#include "apply/apply.h"
#include "base/util.h"
#include "set/probes/joined.h"

/*
 * Counts records in the log: they could not be printed after the event was removed. Reading them
 * moves them to the spool, as show does.
 */
static int count_unread(struct debuglog *log, const struct dkt_probe *probe, uint64_t *n)
{
	struct dkt_event *event = dkt_event_find(log->ctx, probe->group, probe->name);
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_KEEP);
	struct dkt_source *source = NULL;
	struct dkt_record record;
	int err;

	*n = 0;
	if (!log->in || !event)
		return 0;
	err = dkt_source_live(log->in, &opts, &source);
	while (!err && !dkt_source_next(source, &record))
		*n += record.event == event;
	dkt_source_close(source);
	return err;
}

static int check_unread(struct debuglog *log, const struct dkt_probe *probe)
{
	uint64_t n;
	int err = count_unread(log, probe, &n);

	if (err || !n)
		return err;
	return dkt_fail(log->ctx, -EBUSY,
			"%llu record%s of %s:%s %s in the log, and cannot be printed without it; dk"
			" prints them first, --force empties the log",
			(unsigned long long)n, n == 1 ? "" : "s", probe->group, probe->name,
			n == 1 ? "is" : "are");
}

/* Keeps the error message. */
static void restore_states(struct debuglog *log, const enum probe_state *states)
{
	char *message = dkt_error_take(log->ctx);

	for (size_t i = 0; i < log->probes->n; i++)
		log->probes->list[i].state = states[i];
	if (!probes_apply(log))
		probes_save(log);
	dkt_error_give(log->ctx, 0, message);
}

/* Disables the probes that match, and checks that the log holds no unread records of them. */
static int prepare(struct debuglog *log, const char *pattern, bool force, bool *empty)
{
	enum probe_state *states __cleanup(free) = calloc(log->probes->n + 1, sizeof(*states));
	bool was_on = false;
	size_t n = 0;
	int err = states ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < log->probes->n; i++) {
		states[i] = log->probes->list[i].state;
		if (!probes_match(pattern, probes_at(log->probes, i)))
			continue;
		n++;
		was_on |= states[i] == PROBE_ON;
	}
	if (!err && !n)
		return dkt_fail(log->ctx, -ENOENT, "no probe of dktrace is called '%s'", pattern);
	*empty = false;
	if (!err && was_on)
		err = probes_switch(log, pattern, false, &n);
	for (size_t i = 0; !err && i < log->probes->n; i++) {
		if (log->probes->list[i].state != PROBE_WAS_ON ||
		    !probes_match(pattern, probes_at(log->probes, i)))
			continue;
		err = check_unread(log, probes_at(log->probes, i));
		*empty |= err == -EBUSY && force;
		err = err == -EBUSY && force ? 0 : err;
	}
	if (err && was_on)
		restore_states(log, states);
	return err;
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
		if (!probes_match(removal->pattern, probes_at(log->probes, i)))
			continue;
		err = probes_remove_at(log, in_kernel, i);
		*removal->removed += !err;
	}
	dkt_probes_free(in_kernel);
	return err;
}

/* Keeps the error message. */
static void restore_triggers(struct debuglog *log, const struct settings *before)
{
	char *message = dkt_error_take(log->ctx);

	probes_forget_events(log);
	if (before->triggers.n != log->set.triggers.n)
		debuglog_apply(log, before, NULL);
	dkt_error_give(log->ctx, 0, message);
}

int probes_remove(struct debuglog *log, const char *pattern, bool force, size_t *removed)
{
	struct removal removal = { .log = log, .pattern = pattern, .removed = removed };
	struct settings before;
	char *message;
	bool empty = false;
	int err = settings_copy(&before, &log->set);

	*removed = 0;
	if (!err)
		err = probes_load(log);
	if (!err)
		err = prepare(log, pattern, force, &empty);
	if (!err)
		err = joined_stop(log, pattern);
	/* The kernel may give the event's ID, which is in these records, to the next new event. */
	if (!err && empty)
		err = dkt_instance_clear(log->in);
	/* The kernel empties the buffers of instances in which the event was enabled. */
	if (!err)
		err = log->in ? dkt_instance_rest(log->in, remove_matching, &removal) :
				remove_matching(&removal);
	if (err && !*removed)
		restore_triggers(log, &before);
	settings_clear(&before);
	probes_forget_events(log);
	if (!err)
		return probes_save(log);
	message = dkt_error_take(log->ctx);
	if (*removed)
		probes_save(log);
	return dkt_error_give(log->ctx, err, message);
}
