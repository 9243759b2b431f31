/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creates, enables and disables the probes of a user. */
#include "compat/set/probes.h"
#include "compat/apply/apply.h"
#include "compat/apply/audit.h"

#include "lib/base/buf.h"
#include "lib/base/util.h"
#include "lib/inside.h"

/* ---- enabling ---- */

void dkl_probes_forget_events(struct debuglog *log)
{
	dkl_class_map_free(log->map);
	log->map = NULL;
	dkt_events_forget(log->ctx);
}

int dkl_probes_apply(struct debuglog *log)
{
	dkl_probes_forget_events(log);
	return dkl_debuglog_reapply(log);
}

/* ---- creating ---- */

/* Keeps the error message. */
void dkl_probes_undo(struct debuglog *log)
{
	char *message = dkt__error_take(log->ctx);
	size_t i = log->probes ? log->probes->n : 0;
	bool stored = false;

	while (i-- > 0) {
		struct user_probe *user_probe = &log->probes->list[i];
		const struct dkt_probe *probe = probes_at(log->probes, i);

		user_probe->state = user_probe->before;
		if (user_probe->created)
			dkt_probe_remove(log->ctx, probe->group, probe->name);
		stored |= user_probe->is_new;
		if (user_probe->is_new)
			dkl_probes_erase(log->probes, i);
	}
	if (stored)
		dkl_probes_save(log);
	dkl_probes_forget_events(log);
	dkt__error_give(log->ctx, 0, message);
}

static const char *state_word(enum probe_state state)
{
	return state == PROBE_ON ? "enabled" : "disabled";
}

static void audit(const struct debuglog *log, const struct user_probe *user_probe)
{
	const struct dkt_probe *probe = dkt_probes_at(user_probe->definition, 0);
	const char *before = user_probe->is_new ? "" : state_word(user_probe->before);
	const char *after = state_word(user_probe->state);
	char *setting __cleanup(free) = dkt__format("probe %s:%s", probe->group, probe->name);

	if (setting && strcmp(before, after))
		dkl_audit_one(log, setting, before, after);
}

int dkl_probes_keep(struct debuglog *log)
{
	int err = log->probes ? dkl_probes_save(log) : 0;

	for (size_t i = 0; !err && log->probes && i < log->probes->n; i++) {
		struct user_probe *probe = &log->probes->list[i];

		audit(log, probe);
		probe->before = probe->state;
		probe->is_new = probe->created = false;
	}
	return err;
}

/* Fails if the event exists. Forgets a probe of the list that another program has removed. */
static int check_new(struct debuglog *log, const struct dkt_probe *probe, bool keep)
{
	struct user_probe *user_probe = dkl_probes_find(log->probes, probe->group, probe->name);
	bool exists = dkt_event_find(log->ctx, probe->group, probe->name);

	if (!exists && user_probe)
		dkl_probes_erase(log->probes, (size_t)(user_probe - log->probes->list));
	if (!exists || (keep && user_probe &&
			dkt__probe_same(dkt_probes_at(user_probe->definition, 0), probe)))
		return 0;
	return dkt_fail(log->ctx, -EEXIST, "event %s:%s already exists%s", probe->group,
			probe->name, keep && user_probe ? ", with another definition" : "");
}

static int store_one(struct debuglog *log, const struct probe_words *words,
		     const struct dkt_probe *probe, size_t n)
{
	char *text __cleanup(free) = NULL;
	struct dkt_probes *definition = NULL;
	char *source = NULL;
	int err = dkt__probe_text(log->ctx, probe, &text);

	if (!err)
		err = dkt__probe_from_text(log->ctx, text, &definition);
	if (!err)
		err = dkl_probe_words_of(words, probe, n, &source);
	if (err) {
		dkt_probes_free(definition);
		return err;
	}
	err = dkl_probes_append(log->probes, definition, source, PROBE_OFF);
	if (!err)
		log->probes->list[log->probes->n - 1].is_new = true;
	return err;
}

static size_t count(const struct dkt_probes *probes)
{
	size_t n = 0;

	while (dkt_probes_at(probes, n))
		n++;
	return n;
}

/* Stores all probes before the first is created. */
static int store(struct debuglog *log, const struct probe_words *words,
		 const struct dkt_probes *wanted, bool keep)
{
	const struct dkt_probe *probe;
	size_t n = count(wanted);
	int err = 0;

	for (size_t i = 0; !err && (probe = dkt_probes_at(wanted, i)); i++)
		err = check_new(log, probe, keep);
	for (size_t i = 0; !err && (probe = dkt_probes_at(wanted, i)); i++)
		if (!dkl_probes_find(log->probes, probe->group, probe->name))
			err = store_one(log, words, probe, n);
	return err ? err : dkl_probes_save(log);
}

/* If the kernel refuses one of several probes, keep the others. */
static bool may_skip(const struct probe_words *words, size_t n, int err)
{
	return n > 1 && dkl_probe_words_is_glob(words) &&
	       (err == -EINVAL || err == -ENOENT || err == -EADDRNOTAVAIL);
}

/* Creates the last n probes of the list. */
static int create_all(struct debuglog *log, const struct probe_words *words, size_t n,
		      struct probes_result *result)
{
	size_t i = log->probes->n - n;
	int err = 0;

	for (size_t done = 0; !err && done < n; done++) {
		struct user_probe *probe = &log->probes->list[i];

		dkt__progress(log->ctx, "probes", done, n);
		err = dkt_probe_create(log->ctx, probes_at(log->probes, i));
		if (err && !result->refused)
			dkt__probe_refused(log->ctx, probes_at(log->probes, i), err);
		if (err && may_skip(words, n, err)) {
			if (!result->refused++)
				result->message = dkt__error_take(log->ctx);
			dkl_probes_erase(log->probes, i);
			err = 0;
		} else if (!err) {
			probe->created = true;
			result->created++;
			i++;
		}
	}
	dkt__progress(log->ctx, "probes", n, n);
	if (!err && n && !result->created)
		err = dkt_fail(log->ctx, -EINVAL, "%s", result->message ? result->message : "");
	return err;
}

static void set_state(struct user_probe *probe, bool on)
{
	if (on)
		probe->state = PROBE_ON;
	else if (probe->state == PROBE_ON)
		probe->state = PROBE_WAS_ON;
}

int dkl_probes_create(struct debuglog *log, const struct probe_words *words,
		      const struct dkt_probes *wanted, const struct probes_opts *opts,
		      struct probes_result *result)
{
	const struct dkt_probe *probe;
	struct user_probe *user_probe;
	size_t from;
	int err = dkl_probes_load(log);

	*result = (struct probes_result){ 0 };
	if (err)
		return err;
	dkt_events_forget(log->ctx);
	err = store(log, words, wanted, opts->keep);
	for (from = log->probes->n; from; from--)
		if (!log->probes->list[from - 1].is_new || log->probes->list[from - 1].created)
			break;
	if (!err)
		err = create_all(log, words, log->probes->n - from, result);
	for (size_t i = 0; !err && (probe = dkt_probes_at(wanted, i)); i++) {
		user_probe = dkl_probes_find(log->probes, probe->group, probe->name);
		if (user_probe)
			set_state(user_probe, opts->enable);
	}
	dkl_probes_forget_events(log);
	return err;
}

int dkl_probes_add(struct debuglog *log, const struct probe_words *words,
		   const struct dkt_probes *wanted, const struct probes_opts *opts,
		   struct probes_result *result)
{
	const bool fresh = !log->in && !log->set.chosen;
	int err = dkl_probes_create(log, words, wanted, opts, result);

	/* A new log has the probe and nothing else. */
	if (fresh && opts->enable) {
		log->set.debug = 0;
		log->set.chosen = 1u << MASK_DEBUG;
	}
	if (!err && opts->enable)
		err = dkl_probes_apply(log);
	if (!err)
		err = dkl_probes_keep(log);
	if (err)
		dkl_probes_undo(log);
	return err;
}

int dkl_probes_switch(struct debuglog *log, const char *pattern, bool on, size_t *changed)
{
	int err = dkl_probes_load(log);

	*changed = 0;
	for (size_t i = 0; !err && i < log->probes->n; i++) {
		if (!dkl_probes_match(pattern, probes_at(log->probes, i)))
			continue;
		set_state(&log->probes->list[i], on);
		++*changed;
	}
	if (!err && !*changed)
		return dkt_fail(log->ctx, -ENOENT, "no probe of dktrace is called '%s'", pattern);
	if (!err)
		err = dkl_probes_apply(log);
	return err ? err : dkl_probes_save(log);
}
