/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Synthetic events that join two other events, and the triggers that generate their records. */
#include "compat/set/probes/joined.h"

#include "compat/apply/apply.h"
#include "compat/set/triggers.h"
#include "lib/base/buf.h"
#include "lib/inside.h"

/* ---- adding ---- */

int dkl_joined_define(struct dkt_ctx *ctx, const struct dkt__sql *sql, const char *name,
		      struct dkt_probes **probes)
{
	char *text __cleanup(free) = dkt__format("s:synthetic/%s %s", name, sql->fields);

	*probes = NULL;
	return text ? dkt__probe_from_text(ctx, text, probes) : -ENOMEM;
}

static int take_trigger(struct debuglog *log, const char *event, const char *trigger,
			struct settings *set)
{
	char *line __cleanup(free) = dkt__format("%s %s", event, trigger);

	return line ? dkl_triggers_take(log, line, set) : -ENOMEM;
}

static int apply(struct debuglog *log, const struct dkt__sql *sql)
{
	struct settings set __cleanup(settings) = { 0 };
	int err = dkl_settings_copy(&set, &log->set);

	if (!err)
		err = take_trigger(log, sql->event, sql->begin_trigger, &set);
	if (!err)
		err = take_trigger(log, sql->end, sql->end_trigger, &set);
	return err ? err : dkl_debuglog_apply(log, &set, NULL);
}

int dkl_joined_add(struct debuglog *log, const struct dkt__sql *sql,
		   const struct dkt_probes *definition, const struct probes_opts *opts,
		   struct probes_result *result)
{
	const struct probe_words words = { .defined = true };
	int err = dkl_probes_create(log, &words, definition, opts, result);

	if (!err)
		err = apply(log, sql);
	if (!err)
		err = dkl_probes_keep(log);
	if (err)
		dkl_probes_undo(log);
	return err;
}

/* ---- removing ---- */

#define IDENTIFIER "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* True if an action of the histogram generates the event's records: ".NAME(" or ".trace(NAME,". */
static bool generates(const char *trigger, const char *name)
{
	const char *end = strstr(trigger, " if "), *p = trigger;
	size_t len = strlen(name);

	if (strncmp(trigger, "hist:", strlen("hist:")) != 0)
		return false;
	if (!end)
		end = trigger + strlen(trigger);
	while ((p = strstr(p + 1, name)) && p < end)
		if ((p[-1] == '.' && p[len] == '(') ||
		    (p[-1] == '(' && (p[len] == ',' || p[len] == ')')))
			return true;
	return false;
}

static bool is_for(const struct debuglog *log, const char *trigger, const char *pattern)
{
	for (size_t i = 0; i < log->probes->n; i++) {
		const struct dkt_probe *probe = probes_at(log->probes, i);

		if (probe->kind == DKT_PROBE_SYNTHETIC && dkl_probes_match(pattern, probe) &&
		    generates(trigger, probe->name))
			return true;
	}
	return false;
}

/* True if the histogram defines a variable of SQL, such as __lat_0, that the other one reads. */
static bool serves(const char *trigger, const char *other)
{
	const char *p = trigger;
	size_t len;

	for (; (p = strstr(p + 1, "__")); p += len) {
		len = strspn(p, IDENTIFIER);
		if ((p[-1] != ':' && p[-1] != ',') || p[len] != '=')
			continue;
		for (const char *q = other; (q = strchr(q, '$')); q++)
			if (strspn(q + 1, IDENTIFIER) == len && !strncmp(q + 1, p, len))
				return true;
	}
	return false;
}

/* Removes the triggers that generate the records, and those that only define variables for them. */
static bool remove_triggers(const struct debuglog *log, const char *pattern,
			    struct entries *triggers)
{
	bool removed = false;

	for (size_t i = triggers->n; i-- > 0;) {
		if (!is_for(log, triggers->list[i].text, pattern))
			continue;
		removed = true;
		for (size_t j = triggers->n; j-- > 0;) {
			if (j == i || !serves(triggers->list[j].text, triggers->list[i].text))
				continue;
			dkl_entries_remove(triggers, j);
			i -= j < i;
		}
		dkl_entries_remove(triggers, i);
	}
	return removed;
}

int dkl_joined_stop(struct debuglog *log, const char *pattern)
{
	struct settings set __cleanup(settings) = { 0 };
	int err = dkl_settings_copy(&set, &log->set);

	if (!err && remove_triggers(log, pattern, &set.triggers))
		err = dkl_debuglog_apply(log, &set, NULL);
	return err;
}
