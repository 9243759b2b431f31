/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Puts a wanted set onto a change of an instance, and its own probes into the kernel. */
#include <stdlib.h>

#include "compat/set/probes/probe_words.h"
#include "compat/set/wanted/parts.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/inside.h"

/* The kernel runs a trigger without a condition for records that the event's filter drops, too. */
static int add_stack(struct dkt_change *change, const struct wanted_event *one)
{
	char *text __cleanup(free) = one->filter ? dkt__format("stacktrace if %s", one->filter) :
						   strdup("stacktrace");

	return text ? dkt_change_trigger(change, one->event, text) : -ENOMEM;
}

static int add_limits(const struct settings *set, struct dkt_change *change)
{
	int err = 0;

	if (set->threads.n)
		err = dkt_change_pids(change, set->threads.list, set->threads.n, set->children);
	if (!err && set->cpus)
		err = dkt_change_cpus(change, set->cpus);
	return err;
}

/* Returns what the set has of the event; NULL: it is not in the set. */
static const struct wanted_event *find_wanted(const struct wanted *wanted,
					      const struct dkt_event *event)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (wanted->list[i].event == event)
			return &wanted->list[i];
	return NULL;
}

/* Such a trigger would act even if its event is disabled. One that stays the same records on. */
static int clear_stack(const struct wanted_event *one, struct dkt_instance *in,
		       struct dkt_event *event, struct dkt_change *change)
{
	struct dkt_trigger **triggers __cleanup(free) = NULL;
	const char *filter = one && one->stack ? (one->filter ?: "") : NULL;
	size_t n = 0;
	int err = dkt_instance_get_triggers(in, event, &triggers, &n);

	/* Another process may have removed its probe since the events were listed. */
	if (err == -ENOENT && !one)
		return 0;
	for (size_t i = 0; !err && i < n; i++)
		if (!strcmp(triggers[i]->action, "stacktrace") &&
		    (!filter || strcmp(triggers[i]->filter ?: "", filter) != 0))
			err = dkt_change_no_trigger(change, event, triggers[i]->text);
	return err;
}

int dkl_wanted_clear(const struct wanted *wanted, struct dkt_instance *in,
		     struct dkt_change *change)
{
	const struct settings *set = wanted->parts ? &wanted->parts->set : NULL;
	struct dkt_event *const *events;
	size_t n = 0;
	int err = dkt_events(wanted->ctx, &events, &n);

	for (size_t i = 0; !err && i < n; i++) {
		const struct wanted_event *one = find_wanted(wanted, events[i]);

		if (one && !one->filter)
			err = dkt_change_filter(change, events[i], "");
		if (!err)
			err = clear_stack(one, in, events[i], change);
	}
	if (!err && (!set || !set->threads.n))
		err = dkt_change_pids(change, NULL, 0, false);
	if (!err && (!set || !set->cpus))
		err = dkt_change_cpus(change, NULL);
	return err;
}

int dkl_wanted_apply(const struct wanted *wanted, struct dkt_change *change)
{
	struct dkt_event **events __cleanup(free) =
		calloc(wanted->n + 1, sizeof(struct dkt_event *));
	int err;

	if (!events)
		return dkt__no_memory(wanted->ctx);
	for (size_t i = 0; i < wanted->n; i++)
		events[i] = wanted->list[i].event;
	err = dkt_change_events(change, events, wanted->n);
	for (size_t i = 0; !err && i < wanted->n; i++) {
		const struct wanted_event *one = &wanted->list[i];

		if (one->filter)
			err = dkt_change_filter(change, one->event, one->filter);
		if (!err && one->stack)
			err = dkt__with_words(wanted->ctx, add_stack(change, one));
	}
	if (!err && wanted->parts)
		err = add_limits(&wanted->parts->set, change);
	return err;
}

/* A killed command's probes are found by their group, so it cannot be chosen. */
static int check_words(struct dkt_ctx *ctx, const struct probe_words *words)
{
	if (words->defined)
		return dkt_fail(ctx, -EINVAL,
				"expected PLACE [ARGUMENT...], not the kernel's own language");
	if (words->opts.group || words->off)
		return dkt_fail(ctx, -EINVAL, "%s is not possible here",
				words->off ? "--off" : "--group");
	return 0;
}

static int create_one(struct dkt_ctx *ctx, const struct dkt_probe *probe, struct own_probes *probes)
{
	int err = dkt_probe_create(ctx, probe);

	if (err)
		return dkt__probe_refused(ctx, probe, err);
	return dkt__with_words(ctx, dkt__strings_add(&probes->names, probe->name));
}

static int create_line(struct dkt_ctx *ctx, const char *line, struct own_probes *probes)
{
	const struct dkt_probe *probe;
	struct dkt_probes *list = NULL;
	struct probe_words words;
	int err = dkl_probe_words_read(ctx, line, &words);

	if (!err)
		err = check_words(ctx, &words);
	words.opts.group = probes->group;
	if (!err)
		err = dkl_probe_words_define(ctx, &words, &list);
	for (size_t i = 0; !err && (probe = dkt_probes_at(list, i)); i++)
		err = create_one(ctx, probe, probes);
	dkt_probes_free(list);
	dkl_probe_words_clear(&words);
	return err ? dkt__fail_in(ctx, err, "--probe '%s'", line) : 0;
}

int dkl_own_probes_create(struct dkt_ctx *ctx, const char *owner, const char *lines,
			  struct own_probes *probes)
{
	char *copy __cleanup(free) = strdup(lines);
	char *save = NULL;
	int err = copy ? dkt_instance_own_group(ctx, owner, &probes->group) : dkt__no_memory(ctx);

	for (char *line = copy ? strtok_r(copy, "\n", &save) : NULL; line && !err;
	     line = strtok_r(NULL, "\n", &save))
		err = create_line(ctx, line, probes);
	return err;
}

void dkl_own_probes_remove(struct dkt_ctx *ctx, struct own_probes *probes)
{
	for (size_t i = 0; i < probes->names.n; i++)
		if (dkt_probe_remove(ctx, probes->group, probes->names.list[i]))
			dkt__log(ctx, DKT_LOG_WARN, "%s; 'dktrace reset' will remove it",
				 dkt_error(ctx));
	dkt__strings_clear(&probes->names);
	free(probes->group);
	probes->group = NULL;
}

bool dkl_own_probes_have(const struct own_probes *probes, const struct dkt_event *event)
{
	return probes->group && !strcmp(dkt_event_system(event), probes->group) &&
	       dkt__strings_has(&probes->names, dkt_event_name(event));
}
