/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes that a user made: their making and switching. */
#include "probes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util.h"

/* ---- switching ---- */

void probes_forget_events(struct debuglog *log)
{
	class_map_free(log->map);
	log->map = NULL;
	dkt_events_forget(log->ctx);
}

void probes_mark(struct debuglog *log)
{
	size_t i;

	if (probes_load(log))
		return;
	for (i = 0; i < log->probes->n; i++) {
		const struct dkt_probe *probe = probes_at(log->probes, i);
		struct dkt_event *event;

		if (log->probes->list[i].state != PROBE_ON)
			continue;
		event = dkt_event_find(log->ctx, probe->group, probe->name);
		if (event)
			class_map_want(log->map, event);
	}
}

int probes_apply(struct debuglog *log)
{
	struct settings asked;
	int err;

	probes_forget_events(log);
	err = settings_copy(&asked, &log->set);
	if (!err)
		err = debuglog_apply(log, &asked, NULL);
	settings_clear(&asked);
	return err;
}

/* ---- making ---- */

/* Takes back what is new in the list from there on, and those of it that were made. The words stay. */
static void take_back(struct debuglog *log, size_t from, size_t made)
{
	char *words __cleanup(free) = strdup(dkt_error(log->ctx));

	while (log->probes->n > from) {
		size_t i = log->probes->n - 1;
		const struct dkt_probe *probe = probes_at(log->probes, i);

		if (i < from + made)
			dkt_probe_remove(log->ctx, probe->group, probe->name);
		probes_drop(log->probes, i);
	}
	probes_save(log);
	probes_forget_events(log);
	dkt_fail(log->ctx, 0, "%s", words ? words : "");
}

/* None of them may be there; one of ours that has gone by another's hand is forgotten. */
static int check_new(struct debuglog *log, const struct dkt_probes *wanted)
{
	const struct dkt_probe *probe;
	struct probe_made *made;
	size_t i;

	for (i = 0; (probe = dkt_probes_at(wanted, i)); i++) {
		if (dkt_event_find(log->ctx, probe->group, probe->name))
			return dkt_fail(log->ctx, -EEXIST, "there is an event %s:%s already",
					probe->group, probe->name);
		made = probes_find(log->probes, probe->group, probe->name);
		if (made)
			probes_drop(log->probes, (size_t)(made - log->probes->list));
	}
	return 0;
}

/* All are remembered before the first is made. */
static int remember(struct debuglog *log, const struct dkt_probes *wanted)
{
	const struct dkt_probe *probe;
	size_t i;
	int err = 0;

	for (i = 0; !err && (probe = dkt_probes_at(wanted, i)); i++) {
		char *text __cleanup(free) = NULL;
		struct dkt_probes *definition = NULL;

		err = dkt_probe_text(log->ctx, probe, &text);
		if (!err)
			err = dkt_probe_parse(log->ctx, text, &definition);
		if (!err)
			err = probes_append(log->probes, definition, PROBE_OFF);
	}
	return err ? err : probes_save(log);
}

/* What the kernel does not take of several is no reason to do without the others. */
static bool may_skip(const struct probes_opts *opts, size_t n, int err)
{
	return opts->skip && n > 1 && (err == -EINVAL || err == -ENOENT || err == -EADDRNOTAVAIL);
}

static int make_all(struct debuglog *log, size_t from, const struct probes_opts *opts,
		    struct probes_result *result)
{
	size_t n = log->probes->n - from, done, i = from;
	int err = 0;

	for (done = 0; !err && done < n; done++) {
		err = dkt_probe_create(log->ctx, probes_at(log->probes, i));
		if (err && !result->refused)
			dkt_probe_refused(log->ctx, probes_at(log->probes, i), err);
		if (err && may_skip(opts, n, err)) {
			if (!result->refused++)
				result->words = strdup(dkt_error(log->ctx));
			probes_drop(log->probes, i);
			err = 0;
		} else if (!err) {
			result->made++;
			i++;
		}
		if (opts->progress)
			opts->progress(opts->data, done + 1, n);
	}
	if (!err && !result->made)
		err = dkt_fail(log->ctx, -EINVAL, "%s", result->words ? result->words : "");
	return err;
}

int probes_add(struct debuglog *log, const struct dkt_probes *wanted,
	       const struct probes_opts *opts, struct probes_result *result)
{
	size_t from, i;
	int err = probes_load(log);

	*result = (struct probes_result){ 0 };
	if (err)
		return err;
	dkt_events_forget(log->ctx);
	err = check_new(log, wanted);
	if (err)
		return err;
	from = log->probes->n;
	err = remember(log, wanted);
	if (!err)
		err = make_all(log, from, opts, result);
	for (i = from; !err && opts->enable && i < log->probes->n; i++)
		log->probes->list[i].state = PROBE_ON;
	if (!err && opts->enable)
		err = probes_apply(log);
	if (!err)
		err = probes_save(log);
	if (err)
		take_back(log, from, result->made);
	probes_forget_events(log);
	return err;
}

int probes_switch(struct debuglog *log, const char *pattern, bool on, size_t *changed)
{
	size_t i;
	int err = probes_load(log);

	*changed = 0;
	for (i = 0; !err && i < log->probes->n; i++) {
		if (!probes_match(pattern, probes_at(log->probes, i)))
			continue;
		log->probes->list[i].state = on                                      ? PROBE_ON :
					     log->probes->list[i].state == PROBE_OFF ? PROBE_OFF :
										       PROBE_WAS_ON;
		++*changed;
	}
	if (!err && !*changed)
		return dkt_fail(log->ctx, -ENOENT, "no probe of dktrace is called '%s'", pattern);
	if (!err)
		err = probes_apply(log);
	return err ? err : probes_save(log);
}
