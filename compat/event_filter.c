/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which events settings switch on, and with which filter. */
#include "event_filter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "util.h"

bool debuglog_wants(const struct class_bits *bits, const struct settings *set)
{
	/* Some messages cannot be masked; their filter knows. */
	return bits->fields || class_bits_on(bits, set->debug, set->subsystem_debug);
}

/* ---- words as constants: msg_mask & rpctrace ---- */

static int mask_constant(void *data, const char *field, const char *word, uint64_t *value)
{
	enum mask_kind kind = strstr(field, "subsys") ? MASK_SUBSYSTEM : MASK_DEBUG;
	int bit = mask_bit(kind, word, strlen(word));

	(void)data;
	if (bit < 0)
		return bit;
	*value = UINT64_C(1) << bit;
	return 0;
}

int debuglog_expr(struct dkt_ctx *ctx, const char *text, struct dkt_expr **expr)
{
	DKT_OPTS(dkt_expr_opts, opts, .constant = mask_constant);

	return dkt_expr_new(ctx, text, &opts, expr);
}

/* ---- filters ---- */

/* The text of debug_filter for the event; NULL if the event has not its fields. */
static int user_filter(const struct event_filter *filter, struct dkt_event *event, char **text)
{
	struct dkt_ctx *ctx = filter->log->ctx;
	int err;

	*text = NULL;
	if (!filter->expr)
		return 0;
	err = dkt_expr_check(filter->expr, event);
	if (err == -ENOENT || err == -EINVAL) {
		if (filter->missed) {
			fprintf(filter->missed, "%s%s:%s", filter->report->n_missed ? ", " : "",
				dkt_event_system(event), dkt_event_name(event));
			filter->report->n_missed++;
		}
		return 0;
	}
	if (!err)
		err = dkt_expr_text(filter->expr, event, text);
	if (!err && filter->report)
		filter->report->took++;
	return err ? dkt_fail_in(ctx, err, "debug_filter") : 0;
}

/* The filter that the class map puts on the event; NULL: none. */
static int own_filter(const struct event_filter *filter, struct dkt_event *event, char **text)
{
	const struct class_bits *bits = class_map_event(filter->log->map, event);
	uint32_t types = bits->types & filter->set->debug;

	*text = NULL;
	if (bits->fields)
		return message_filter(filter->set->debug, filter->set->subsystem_debug, text);
	if (bits->filtered & types || bits->narrowed & types)
		return class_map_filter(filter->log->map, event, types, filter->sites, text);
	return 0;
}

int event_filter(const struct event_filter *filter, struct dkt_event *event, char **text)
{
	char *own __cleanup(free) = NULL;
	char *user __cleanup(free) = NULL;
	int err = own_filter(filter, event, &own);

	*text = NULL;
	if (!err)
		err = user_filter(filter, event, &user);
	if (err || (!user && (!own || !*own)))
		return err;
	if (user && own && *own)
		return asprintf(text, "(%s) && (%s)", own, user) < 0 ? -ENOMEM : 0;
	*text = strdup(user ? user : own);
	return *text ? 0 : -ENOMEM;
}
