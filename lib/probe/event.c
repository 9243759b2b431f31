/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes on events, which can follow pointers in the event's fields, and synthetic events. */
#include "lib/event.h"
#include "lib/base/io.h"
#include "lib/probe/define.h"

/* ---- event probes ---- */

/* Finds a field of the event, with or without $ before its name. */
static int field_value(struct probe_scope *scope, const char *name, struct probe_value *value,
		       struct dkt__guess *guess)
{
	struct dkt_event *event = scope->data;
	const struct dkt_field *const *fields;
	size_t n;
	int err = dkt_event_fields(event, &fields, &n);

	for (size_t i = 0; !err && i < n; i++) {
		dkt__guess_try(guess, fields[i]->name);
		if (strcmp(fields[i]->name, name))
			continue;
		snprintf(value->fetch, sizeof(value->fetch), "$%s", name);
		value->text = fields[i]->flags & DKT_FIELD_STRING &&
			      !(fields[i]->flags & DKT_FIELD_POINTER);
		return 0;
	}
	return err ? err : -ENOENT;
}

int dkt__probe_event(struct probe_define *define)
{
	const struct probe_place *place = &define->place;
	struct probe_scope scope = { .ctx = define->ctx,
				     .features = &define->features,
				     .machine = dkt__machine(),
				     .is_event = true,
				     .variable = field_value };
	char *where __cleanup(free) = NULL;
	struct dkt_event *event;
	size_t n = 1;

	if (!define->features.event)
		return dkt_fail(define->ctx, -EOPNOTSUPP,
				"this kernel has no probes on events (5.15 brought them)");
	if (!place->function || place->is_glob || place->on_return || place->offset)
		return dkt_fail(define->ctx, -EINVAL, "write the event as SYSTEM:EVENT");
	event = place->module ? dkt_event_find(define->ctx, place->module, place->function) :
				dkt__event_anywhere(define->ctx, place->function, &n);
	if (n > 1)
		return dkt_fail(define->ctx, -ENOTUNIQ,
				"%zu systems have an event '%s'; write it as SYSTEM:%s", n,
				place->function, place->function);
	if (!event && !place->module)
		return dkt_fail(define->ctx, -EINVAL, "write the event as SYSTEM:EVENT");
	if (!event)
		return dkt__no_event(define->ctx, place->module, place->function);
	scope.data = event;
	scope.where = place->function;
	where = dkt__format("%s.%s", event->system, event->name);
	return where ? dkt__probe_add(define, &scope, where, place->function, "") :
		       dkt__no_memory(define->ctx);
}

/* ---- synthetic events ---- */

/* "u64 lat", "pid_t pid", "char comm[16]": an argument has one or several, separated by ';'. */
static int synthetic_fields(struct probe_define *define, char **fields)
{
	size_t size;
	FILE *f = open_memstream(fields, &size);

	for (size_t i = 0; f && i < define->n; i++)
		fprintf(f, "%s%s", i ? "; " : "", define->args[i]);
	return dkt__with_words(define->ctx, dkt__text_end(f, 0, fields));
}

int dkt__probe_synthetic(struct probe_define *define)
{
	const struct probe_place *place = &define->place;
	DKT_OPTS(dkt_probe, probe, .kind = DKT_PROBE_SYNTHETIC, .group = "synthetic",
		 .name = place->function, .hits = DKT_PROBE_UNKNOWN, .missed = DKT_PROBE_UNKNOWN);
	char *fields __cleanup(free) = NULL;
	char *text __cleanup(free) = NULL;
	int err;

	if (define->opts->group && strcmp(define->opts->group, probe.group))
		return dkt_fail(define->ctx, -EINVAL, "synthetic events are always in the group %s",
				probe.group);
	if (!place->function || place->module || place->on_return || place->offset ||
	    !dkt__probe_is_name(place->function))
		return dkt_fail(define->ctx, -EINVAL, "a synthetic event needs a name");
	if (strlen(place->function) > PROBE_NAME_MAX)
		return dkt_fail(define->ctx, -E2BIG,
				"the event's name has %zu characters; the kernel's limit is %d",
				strlen(place->function), PROBE_NAME_MAX);
	if (!define->n)
		return dkt_fail(define->ctx, -EINVAL,
				"a synthetic event needs fields: 'u64 lat' 'pid_t pid'");
	err = synthetic_fields(define, &fields);
	if (err)
		return err;
	probe.fields = fields;
	err = dkt__probe_text(define->ctx, &probe, &text);
	return err ? err : dkt__with_words(define->ctx, dkt__probes_add(define->probes, &probe));
}
