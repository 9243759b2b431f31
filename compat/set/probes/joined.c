/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Synthetic events made of two other events, and the triggers that generate their records. */
#include "set/probes/joined.h"

#include "apply/apply.h"
#include "base/util.h"
#include "set/triggers.h"

/* ---- adding ---- */

int joined_define(struct dkt_ctx *ctx, const struct dkt_sql *sql, const char *name,
		  struct dkt_probes **probes)
{
	char *text __cleanup(free) = NULL;

	*probes = NULL;
	if (asprintf(&text, "s:synthetic/%s %s", name, sql->fields) < 0) {
		text = NULL;
		return -ENOMEM;
	}
	return dkt_probe_parse(ctx, text, probes);
}

static int take_trigger(struct debuglog *log, const char *event, const char *trigger,
			struct settings *set)
{
	char *line __cleanup(free) = NULL;

	if (asprintf(&line, "%s %s", event, trigger) < 0) {
		line = NULL;
		return -ENOMEM;
	}
	return triggers_take(log, line, set);
}

static int apply(struct debuglog *log, const struct dkt_sql *sql)
{
	struct settings set;
	int err = settings_copy(&set, &log->set);

	if (!err)
		err = take_trigger(log, sql->event, sql->begin_trigger, &set);
	if (!err)
		err = take_trigger(log, sql->end, sql->end_trigger, &set);
	if (!err)
		err = debuglog_apply(log, &set, NULL);
	settings_clear(&set);
	return err;
}

int joined_add(struct debuglog *log, const struct dkt_sql *sql, const struct dkt_probes *definition,
	       const struct probes_opts *opts, struct probes_result *result)
{
	const struct probe_words words = { .defined = true };
	int err = probes_make(log, &words, definition, opts, result);

	if (!err)
		err = apply(log, sql);
	if (!err)
		err = probes_keep(log);
	if (err)
		probes_take_back(log);
	return err;
}

/* ---- removing ---- */

#define IDENTIFIER "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Whether an action of the histogram is to make the event's records: ".NAME(" or ".trace(NAME,". */
static bool makes(const char *trigger, const char *name)
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

		if (probe->kind == DKT_PROBE_SYNTHETIC && probes_match(pattern, probe) &&
		    makes(trigger, probe->name))
			return true;
	}
	return false;
}

/* Whether the histogram defines a variable, of those that SQL makes, for the other. */
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

/* Removes the triggers that make the records, and those that only serve them. */
static bool drop(const struct debuglog *log, const char *pattern, struct entries *triggers)
{
	bool dropped = false;

	for (size_t i = triggers->n; i-- > 0;) {
		if (!is_for(log, triggers->list[i].text, pattern))
			continue;
		dropped = true;
		for (size_t j = triggers->n; j-- > 0;) {
			if (j == i || !serves(triggers->list[j].text, triggers->list[i].text))
				continue;
			entries_remove(triggers, j);
			i -= j < i;
		}
		entries_remove(triggers, i);
	}
	return dropped;
}

int joined_stop(struct debuglog *log, const char *pattern)
{
	struct settings set;
	int err = settings_copy(&set, &log->set);

	if (!err && drop(log, pattern, &set.triggers))
		err = debuglog_apply(log, &set, NULL);
	settings_clear(&set);
	return err;
}
