/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the definitions of periods against the events of a kernel. */
#include "answers/analyze/period_def.h"
#include "answers/analyze/period_field.h"
#include "answers/analyze/requests.h"
#include "lib/base/guess.h"
#include "lib/base/util.h"
#include "lib/inside.h"

/* Some event of the words must have the field. */
static int check_field(struct dkt_ctx *ctx, const struct period_def *def, const struct named *named,
		       const char *name, const char *what)
{
	struct dkt_event *const *all;
	const struct dkt_field *const *fields;
	struct dkt__guess guess;
	size_t n, n_fields;
	int err = dkt_events(ctx, &all, &n);

	dkt__guess_start(&guess, name, strlen(name));
	for (size_t i = 0; !err && i < n; i++) {
		if (!dkl_named_chooses(named, all[i]))
			continue;
		if (period_has_field(all[i], name))
			return 0;
		if (dkt_event_fields(all[i], &fields, &n_fields))
			continue;
		for (size_t j = 0; j < n_fields; j++)
			dkt__guess_try(&guess, fields[j]->name);
	}
	return err ? err :
		     dkt_fail(ctx, -ENOENT, "%s: no event after '%s' has a field '%s'%s", def->name,
			      what, name, dkt__guess_words(&guess));
}

static int check_def(struct dkt_ctx *ctx, const struct period_def *def)
{
	int err = dkl_named_check(ctx, &def->begin);

	if (!err)
		err = dkl_named_check(ctx, &def->end);
	if (err)
		return dkt__fail_in(ctx, err, "%s", def->name);
	for (uint32_t i = 0; !err && i < def->n_fields; i++)
		err = check_field(ctx, def, &def->begin, def->fields[i]->name, "begin");
	for (size_t i = 0; def->requests && !err && i < REQUEST_FIELDS; i++) {
		err = check_field(ctx, def, &def->begin, request_fields[i], "begin");
		if (!err)
			err = check_field(ctx, def, &def->end, request_fields[i], "end");
	}
	for (size_t i = 0; !err && i < def->end_fields.n; i++)
		err = check_field(ctx, def, &def->end, def->end_fields.list[i], "end");
	return err;
}

int period_defs_check(struct dkt_ctx *ctx, const struct period_defs *defs)
{
	struct dkt_event *const *all;
	size_t n;
	int err = dkt_events(ctx, &all, &n);

	/* The events of a saved text come with its records. */
	for (size_t i = 0; !err && n && i < defs->n; i++)
		err = check_def(ctx, defs->list[i]);
	return err ? dkt__fail_in(ctx, err, "--period") : 0;
}
