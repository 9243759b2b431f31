/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of the kernel's records dk's options choose. */
#include "pipeline/dk/choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

int dk_choice_open(struct dk_choice *choice)
{
	const char *filter = choice->opts->filter;

	return filter ? mask_expr(choice->ctx, filter, &choice->filter) : 0;
}

void dk_choice_clear(struct dk_choice *choice)
{
	dkt_expr_free(choice->filter);
	free(choice->asked);
	free(choice->misfit);
}

/* ---- before anything is read ---- */

static int check_filter(struct dk_choice *choice, struct dkt_instance *in, struct dk_lustre *lustre)
{
	struct dkt_event **on __cleanup(free) = NULL;
	struct dkt_event *const *all;
	size_t n;
	int err = dkt_events(choice->ctx, &all, &choice->n_events);

	choice->asked = err ? NULL : calloc(choice->n_events + 1, sizeof(*choice->asked));
	if (!choice->asked)
		return err ? err : -ENOMEM;
	if (lustre && !dk_lustre_check(lustre)) {
		choice->fits = true;
		return 0;
	}
	err = dkt_instance_get_events(in, &on, &n);
	/* What is on is asked first: its formats are few. A saved tree may not say what was on. */
	if (!err && !dkt_expr_check_any(choice->filter, on, n, DKT_EXPR_MATCH))
		return 0;
	return dkt_expr_check_any(choice->filter, all, choice->n_events, DKT_EXPR_MATCH);
}

int dk_choice_check(struct dk_choice *choice, struct dkt_instance *in, struct dk_lustre *lustre)
{
	const struct dk_opts *opts = choice->opts;

	if (opts->cpu >= dkt_instance_cpus(in))
		return dkt_fail(choice->ctx, -EINVAL, "there is no cpu %d: they are 0 to %d",
				opts->cpu, dkt_instance_cpus(in) - 1);
	return choice->filter ? check_filter(choice, in, lustre) : 0;
}

/* ---- each record ---- */

/* Tells of an event that the filter is about and cannot be put to, once. */
static void ask_filter(struct dk_choice *choice, struct dkt_event *event)
{
	size_t i = dkt_event_index(event);
	int err;

	if (i >= choice->n_events || choice->asked[i])
		return;
	choice->asked[i] = true;
	err = dkt_expr_check_match(choice->filter, event);
	choice->fits |= !err || err == -EOPNOTSUPP;
	if (err == -EOPNOTSUPP && !choice->result->unmatched)
		choice->result->unmatched = dkt_error_take(choice->ctx);
	/* A value that is wrong says more than a field that most events lack anyway. */
	if (!err || err == -EOPNOTSUPP || choice->misfit_err == -EINVAL ||
	    (choice->misfit && err != -EINVAL))
		return;
	free(choice->misfit);
	choice->misfit = dkt_error_take(choice->ctx);
	choice->misfit_err = err;
}

static bool matches(struct dk_choice *choice, const struct dkt_record *rec,
		    struct dkt_source *source)
{
	if (dkt_expr_match(choice->filter, rec, dkt_source_comm(source, rec)))
		return true;
	ask_filter(choice, rec->event);
	return false;
}

bool dk_choice_takes(struct dk_choice *choice, const struct dkt_record *rec, int64_t time,
		     struct dkt_source *source)
{
	const struct dk_opts *opts = choice->opts;

	if (opts->cpu >= 0 && rec->cpu != (uint32_t)opts->cpu)
		return false;
	if ((opts->since && time < opts->since) || (opts->until && time > opts->until))
		return false;
	/* A gap is told whatever else is asked for: what was lost could have been it. */
	if (!rec->event)
		return true;
	if (opts->pid >= 0 && rec->pid != opts->pid)
		return false;
	if (opts->types || opts->subsystems || opts->hidden_types || opts->hidden_subsystems) {
		struct class_bits bits = legacy_style_bits(choice->legacy, rec);

		if (mask_hides(opts->hidden_types, bits.types) ||
		    mask_hides(opts->hidden_subsystems, bits.subsystems))
			return false;
		if ((opts->types && !(bits.types & opts->types)) ||
		    (opts->subsystems && !(bits.subsystems & opts->subsystems)))
			return false;
	}
	return !choice->filter || matches(choice, rec, source);
}

void dk_choice_explain(struct dk_choice *choice)
{
	struct dk_result *result = choice->result;

	if (choice->misfit && !choice->fits && !result->kept &&
	    asprintf(&result->unmatched, "--filter fits no event of the log: %s", choice->misfit) <
		    0)
		result->unmatched = NULL;
}
