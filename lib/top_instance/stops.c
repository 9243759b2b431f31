/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies triggers that stop or start an instance to the borrowed top instance.
 *
 * The kernel's traceoff stops only the instance whose event has the trigger. Without a copy, the top
 * instance would continue and overwrite its records from before that moment.
 */
#include "lib/top_instance/stops.h"
#include "lib/base/io.h"
#include "lib/event.h"
#include "lib/instance.h"
#include "lib/instance/trigger.h"
#include "lib/note.h"

/* A note in the spool directory, with lines "SYSTEM:EVENT TRIGGER". */
#define NOTE "top.triggers"

/* ---- lists ---- */

static int add(struct dkt__stops *stops, struct dkt_event *event, const char *text, bool fresh)
{
	struct dkt__stop stop = { .event = event, .fresh = fresh };
	int err = dkt_trigger_parse(event->ctx, text, &stop.trigger);

	if (!err)
		err = dkt__with_words(event->ctx, dkt__append(stops->list, stops->n, stop));
	if (err)
		free(stop.trigger);
	return err;
}

int dkt__stops_add(struct dkt__stops *stops, struct dkt_event *event,
		   const struct dkt_trigger *trigger, bool fresh)
{
	if (strcmp(trigger->action, "traceoff") != 0 && strcmp(trigger->action, "traceon") != 0)
		return 0;
	return add(stops, event, trigger->text, fresh);
}

void dkt__stops_clear(struct dkt__stops *stops)
{
	for (size_t i = 0; i < stops->n; i++)
		free(stops->list[i].trigger);
	free(stops->list);
	*stops = (struct dkt__stops){ 0 };
}

static bool has(const struct dkt__stops *stops, const struct dkt__stop *stop)
{
	for (size_t i = 0; i < stops->n; i++)
		if (stops->list[i].event == stop->event &&
		    dkt_trigger_same(stops->list[i].trigger, stop->trigger))
			return true;
	return false;
}

/* ---- the note ---- */

/* Skips an event that no longer exists: the kernel removed its triggers too. */
static int read_line(struct dkt_ctx *ctx, char *line, struct dkt__stops *stops)
{
	char *name = strchr(line, ':'), *text = name ? strchr(name, ' ') : NULL;
	struct dkt_event *event;
	int err;

	if (!text)
		return 0;
	*name++ = *text++ = '\0';
	event = dkt_event_find(ctx, line, name);
	err = event ? add(stops, event, text, false) : 0;
	return err == -ENOMEM ? err : 0;
}

static int read_note(struct dkt_instance *in, struct dkt__stops *stops)
{
	char *text __cleanup(free) = NULL;
	char *save = NULL;
	int err;

	if (!dkt__note_exists(in->spool, NOTE))
		return 0;
	err = dkt__note_read(in->ctx, in->spool, NOTE, &text);
	for (char *line = err ? NULL : strtok_r(text, "\n", &save); line && !err;
	     line = strtok_r(NULL, "\n", &save))
		err = read_line(in->ctx, line, stops);
	return err;
}

static int write_note(struct dkt_instance *in, const struct dkt__stops *stops)
{
	char *text __cleanup(free) = NULL;
	size_t len;
	FILE *f;
	int err;

	if (!stops->n)
		return dkt__note_remove(in->ctx, in->spool, NOTE);
	f = open_memstream(&text, &len);
	for (size_t i = 0; f && i < stops->n; i++)
		fprintf(f, "%s:%s %s\n", stops->list[i].event->system, stops->list[i].event->name,
			stops->list[i].trigger->text);
	err = dkt__with_words(in->ctx, dkt__text_end(f, 0, &text));
	return err ? err : dkt__note_write(in->ctx, in->spool, NOTE, text);
}

/* ---- copying ---- */

/* Finds the instance's trigger with the rest of its count; NULL: the instance does not have it. */
static int find_in(struct dkt_instance *in, const struct dkt__stop *stop, struct dkt_trigger **now)
{
	struct dkt_trigger **there __cleanup(free) = NULL;
	size_t n;
	int err = dkt_instance_get_triggers(in, stop->event, &there, &n);

	*now = NULL;
	for (size_t i = 0; !err && i < n && !*now; i++)
		if (dkt_trigger_same(there[i], stop->trigger))
			err = dkt_trigger_parse(in->ctx, there[i]->text, now);
	return err;
}

/* Selects the triggers that the top instance does not have yet. */
static int choose(struct dkt_instance *in, struct dkt_instance *top, const struct dkt__stops *stops,
		  const struct dkt__stops *old, struct dkt__stops *new)
{
	int err = 0;

	for (size_t i = 0; !err && i < stops->n; i++) {
		struct dkt_trigger *now __cleanup(free) = NULL;
		struct dkt_trigger *other __cleanup(free) = NULL;
		const struct dkt__stop *stop = &stops->list[i];
		bool is_old = has(old, stop);

		if (is_old && !stop->fresh)
			continue;
		err = find_in(in, stop, &now);
		/* If another program has set the same trigger there, leave it alone. */
		if (!err && !is_old)
			err = find_in(top, stop, &other);
		if (!err && now && now->left && !other)
			err = add(new, stop->event, now->text, true);
	}
	return err;
}

static int join(struct dkt__stops *to, const struct dkt__stops *from)
{
	int err = 0;

	for (size_t i = 0; !err && i < from->n; i++)
		if (!has(to, &from->list[i]))
			err = add(to, from->list[i].event, from->list[i].trigger->text, false);
	return err;
}

/* Removes old triggers that are not wanted or will be added again; stores the others in kept. */
static int remove_old(struct dkt_instance *top, const struct dkt__stops *old,
		      const struct dkt__stops *stops, const struct dkt__stops *new,
		      struct dkt__stops *kept)
{
	int err = 0;

	for (size_t i = 0; !err && i < old->n; i++) {
		const struct dkt__stop *stop = &old->list[i];

		if (has(stops, stop) && !has(new, stop))
			err = add(kept, stop->event, stop->trigger->text, false);
		else
			/* Ignore errors: a change may have been killed after it wrote the note. */
			dkt__trigger_remove(top, stop->event, stop->trigger);
	}
	return err;
}

static int add_new(struct dkt_instance *top, const struct dkt__stops *new)
{
	int err = 0;

	for (size_t i = 0; !err && i < new->n; i++)
		err = dkt__trigger_add(top, new->list[i].event, new->list[i].trigger);
	return err;
}

static int follow(struct dkt_instance *in, struct dkt_instance *top, const struct dkt__stops *stops,
		  struct dkt__stops lists[static 4])
{
	struct dkt__stops *old = &lists[0], *new = &lists[1], *all = &lists[2], *kept = &lists[3];
	int err = read_note(in, old);

	if (!err)
		err = choose(in, top, stops, old, new);
	if (!err)
		err = join(all, old);
	if (!err)
		err = join(all, new);
	if (!err && new->n)
		err = write_note(in, all);
	if (!err)
		err = remove_old(top, old, stops, new, kept);
	if (!err)
		err = add_new(top, new);
	if (!err)
		err = join(kept, new);
	return !err && (new->n || kept->n < old->n) ? write_note(in, kept) : err;
}

int dkt__stops_follow(struct dkt_instance *in, struct dkt_instance *top,
		      const struct dkt__stops *stops)
{
	struct dkt__stops lists[4] = { 0 };
	bool on = true, top_on = true;
	int err = follow(in, top, stops, lists);

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		dkt__stops_clear(&lists[i]);
	/* A trigger may have fired before its copy was set. */
	if (!err)
		err = dkt_instance_get_on(in, &on);
	if (!err)
		err = dkt_instance_get_on(top, &top_on);
	return err || on == top_on ? err : dkt_instance_set_on(top, on);
}

int dkt__stops_return(struct dkt_instance *top)
{
	struct dkt__stops old = { 0 };
	int err = read_note(top, &old);

	for (size_t i = 0; i < old.n; i++)
		dkt__trigger_remove(top, old.list[i].event, old.list[i].trigger);
	dkt__stops_clear(&old);
	return err ? err : dkt__note_remove(top->ctx, top->spool, NOTE);
}
