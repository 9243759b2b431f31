/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creates, enables and disables the probes of a user. */
#include "set/probes.h"
#include "apply/apply.h"

#include "base/util.h"

/* ---- switching ---- */

void probes_forget_events(struct debuglog *log)
{
	class_map_free(log->map);
	log->map = NULL;
	dkt_events_forget(log->ctx);
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

/* The words of the failure stay. */
void probes_take_back(struct debuglog *log)
{
	char *words = dkt_error_take(log->ctx);
	size_t i = log->probes ? log->probes->n : 0;
	bool remembered = false;

	while (i-- > 0) {
		struct probe_made *it = &log->probes->list[i];
		const struct dkt_probe *probe = probes_at(log->probes, i);

		it->state = it->before;
		if (it->made)
			dkt_probe_remove(log->ctx, probe->group, probe->name);
		remembered |= it->is_new;
		if (it->is_new)
			probes_drop(log->probes, i);
	}
	if (remembered)
		probes_save(log);
	probes_forget_events(log);
	dkt_error_give(log->ctx, 0, words);
}

int probes_keep(struct debuglog *log)
{
	int err = log->probes ? probes_save(log) : 0;

	for (size_t i = 0; !err && log->probes && i < log->probes->n; i++) {
		struct probe_made *it = &log->probes->list[i];

		it->before = it->state;
		it->is_new = it->made = false;
	}
	return err;
}

/* None of them may be there; one of ours that has gone by another's hand is forgotten. */
static int check_new(struct debuglog *log, const struct dkt_probe *probe, bool keep)
{
	struct probe_made *it = probes_find(log->probes, probe->group, probe->name);
	bool there = dkt_event_find(log->ctx, probe->group, probe->name);

	if (!there && it)
		probes_drop(log->probes, (size_t)(it - log->probes->list));
	if (!there || (keep && it && dkt_probe_same(dkt_probes_at(it->definition, 0), probe)))
		return 0;
	return dkt_fail(log->ctx, -EEXIST, "event %s:%s already exists%s", probe->group,
			probe->name, keep && it ? ", with another definition" : "");
}

static int remember_one(struct debuglog *log, const struct probe_words *words,
			const struct dkt_probe *probe, size_t n)
{
	char *text __cleanup(free) = NULL;
	struct dkt_probes *definition = NULL;
	char *said = NULL;
	int err = dkt_probe_text(log->ctx, probe, &text);

	if (!err)
		err = dkt_probe_parse(log->ctx, text, &definition);
	if (!err)
		err = probe_words_of(words, probe, n, &said);
	if (err) {
		dkt_probes_free(definition);
		return err;
	}
	err = probes_append(log->probes, definition, said, PROBE_OFF);
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

/* All are remembered before the first is made. */
static int remember(struct debuglog *log, const struct probe_words *words,
		    const struct dkt_probes *wanted, bool keep)
{
	const struct dkt_probe *probe;
	size_t n = count(wanted);
	int err = 0;

	for (size_t i = 0; !err && (probe = dkt_probes_at(wanted, i)); i++)
		err = check_new(log, probe, keep);
	for (size_t i = 0; !err && (probe = dkt_probes_at(wanted, i)); i++)
		if (!probes_find(log->probes, probe->group, probe->name))
			err = remember_one(log, words, probe, n);
	return err ? err : probes_save(log);
}

/* If the kernel refuses one of several probes, keep the others. */
static bool may_skip(const struct probe_words *words, size_t n, int err)
{
	return n > 1 && probe_words_is_glob(words) &&
	       (err == -EINVAL || err == -ENOENT || err == -EADDRNOTAVAIL);
}

/* Those of the list that are not made yet. */
static int make_all(struct debuglog *log, const struct probe_words *words, size_t n,
		    struct probes_result *result)
{
	size_t i = log->probes->n - n;
	int err = 0;

	for (size_t done = 0; !err && done < n; done++) {
		struct probe_made *it = &log->probes->list[i];

		dkt_progress(log->ctx, "probes", done, n);
		err = dkt_probe_create(log->ctx, probes_at(log->probes, i));
		if (err && !result->refused)
			dkt_probe_refused(log->ctx, probes_at(log->probes, i), err);
		if (err && may_skip(words, n, err)) {
			if (!result->refused++)
				result->words = dkt_error_take(log->ctx);
			probes_drop(log->probes, i);
			err = 0;
		} else if (!err) {
			it->made = true;
			result->made++;
			i++;
		}
	}
	dkt_progress(log->ctx, "probes", n, n);
	if (!err && n && !result->made)
		err = dkt_fail(log->ctx, -EINVAL, "%s", result->words ? result->words : "");
	return err;
}

static void switch_one(struct probe_made *it, bool on)
{
	if (on)
		it->state = PROBE_ON;
	else if (it->state == PROBE_ON)
		it->state = PROBE_WAS_ON;
}

int probes_make(struct debuglog *log, const struct probe_words *words,
		const struct dkt_probes *wanted, const struct probes_opts *opts,
		struct probes_result *result)
{
	const struct dkt_probe *probe;
	struct probe_made *it;
	size_t from;
	int err = probes_load(log);

	*result = (struct probes_result){ 0 };
	if (err)
		return err;
	dkt_events_forget(log->ctx);
	err = remember(log, words, wanted, opts->keep);
	for (from = log->probes->n; from; from--)
		if (!log->probes->list[from - 1].is_new || log->probes->list[from - 1].made)
			break;
	if (!err)
		err = make_all(log, words, log->probes->n - from, result);
	for (size_t i = 0; !err && (probe = dkt_probes_at(wanted, i)); i++) {
		it = probes_find(log->probes, probe->group, probe->name);
		if (it)
			switch_one(it, opts->enable);
	}
	probes_forget_events(log);
	return err;
}

int probes_add(struct debuglog *log, const struct probe_words *words,
	       const struct dkt_probes *wanted, const struct probes_opts *opts,
	       struct probes_result *result)
{
	int err = probes_make(log, words, wanted, opts, result);

	if (!err && opts->enable)
		err = probes_apply(log);
	if (!err)
		err = probes_keep(log);
	if (err)
		probes_take_back(log);
	return err;
}

int probes_switch(struct debuglog *log, const char *pattern, bool on, size_t *changed)
{
	int err = probes_load(log);

	*changed = 0;
	for (size_t i = 0; !err && i < log->probes->n; i++) {
		if (!probes_match(pattern, probes_at(log->probes, i)))
			continue;
		switch_one(&log->probes->list[i], on);
		++*changed;
	}
	if (!err && !*changed)
		return dkt_fail(log->ctx, -ENOENT, "no probe of dktrace is called '%s'", pattern);
	if (!err)
		err = probes_apply(log);
	return err ? err : probes_save(log);
}
