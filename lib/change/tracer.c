/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sets an instance's function tracer, limited to modules.
 *
 * With an empty set_ftrace_filter, or one that names only a module that is not loaded, the kernel
 * traces all functions. So dktrace writes the filter, reads it back, and only then starts the
 * tracer. The kernel empties the instance's buffers whenever the tracer changes, and refuses the
 * change while a process reads them.
 */
#include "lib/change/tracer.h"
#include "lib/change/modules.h"
#include "lib/instance.h"
#include "lib/source/live.h"
#include "lib/top_instance.h"
#include "lib/tracefs.h"

#define NONE   "nop"
#define FILTER "set_ftrace_filter"

void dkt__tracer_clear(struct dkt__tracer *tracer)
{
	free(tracer->wanted);
	dkt__names_free(tracer->modules, tracer->n_modules);
	dkt__names_free(tracer->without, tracer->n_without);
	dkt__functions_free(tracer->functions);
	free(tracer->refused);
	*tracer = (struct dkt__tracer){ 0 };
}

int dkt__tracer_want(struct dkt__tracer *tracer, const char *wanted,
		     const struct dkt_tracer_opts *opts)
{
	tracer->touched = true;
	tracer->wanted = wanted ? strdup(wanted) : NULL;
	tracer->required = !opts->optional;
	tracer->keep = opts->keep;
	if ((wanted && !tracer->wanted) ||
	    dkt__names_copy(opts->modules, opts->n_modules, &tracer->modules, &tracer->n_modules) ||
	    dkt__names_copy(opts->without, opts->n_without, &tracer->without, &tracer->n_without))
		return -ENOMEM;
	if (!wanted || opts->n_modules)
		return 0;
	tracer->functions = dkt__functions_copy(opts);
	return tracer->functions ? 0 : -ENOMEM;
}

/* ---- reading ---- */

static bool has_word(const char *text, const char *word)
{
	const size_t len = strlen(word);

	for (; *text; text += strcspn(text, " \n"), text += *text != '\0')
		if (!strncmp(text, word, len) && strchr(" \n", text[len]))
			return true;
	return false;
}

static bool is_as_wanted(struct dkt_instance *in, const struct dkt__tracer *tracer)
{
	if (tracer->functions)
		return tracer->keep;
	return !dkt__functions_more(in) && dkt__modules_are_set(in, tracer);
}

/* ---- steps ---- */

static int set_functions(const struct dkt__tracer *tracer, struct dkt_instance *in)
{
	const struct dkt__functions *functions = tracer->functions;
	int err = dkt__functions_limit(in, functions);

	if (!err)
		err = dkt__functions_write(in, functions);
	if (!err && functions->n_only && !dkt__functions_chosen(in, FILTER))
		err = dkt_fail(in->ctx, -EINVAL, "the kernel did not limit it to '%s'",
			       functions->only[0]);
	return err;
}

static int set_current(struct dkt_instance *in, const char *tracer)
{
	return dkt__tfs_set(in->ctx, tracer, "%scurrent_tracer", in->prefix);
}

/* Does not write without need: a kernel that cannot choose functions lacks the files. */
static int clear_functions(struct dkt_instance *in)
{
	return dkt__functions_chosen(in, FILTER) || dkt__functions_more(in) ?
		       dkt__functions_clear(in) :
		       0;
}

static int switch_tracer(const struct dkt__tracer *tracer, struct dkt_instance *in, const char *now)
{
	int err = strcmp(now, NONE) ? set_current(in, NONE) : 0;

	if (err)
		return err;
	err = clear_functions(in);
	if (err || !tracer->wanted)
		return err;
	err = tracer->functions ? set_functions(tracer, in) : dkt__modules_write(in, tracer);
	return err ? err : set_current(in, tracer->wanted);
}

/* Undoes the steps that a failed switch has taken. */
static void undo_switch(struct dkt_instance *in)
{
	char *error = dkt_error_take(in->ctx);

	set_current(in, NONE);
	clear_functions(in);
	if (in->spool)
		dkt__functions_return(in->ctx, in->spool);
	dkt_error_give(in->ctx, 0, error);
}

/* ---- switching ---- */

struct switching {
	const struct dkt__tracer *tracer;
	struct dkt_instance *in;
	const char *now;
};

static int switch_or_undo(void *data)
{
	const struct switching *to = data;
	int err = switch_tracer(to->tracer, to->in, to->now);

	if (err && to->tracer->wanted)
		undo_switch(to->in);
	return err;
}

/* base is the instance of the change. in has the tracer: it is base or the top instance. */
static int switch_and_save(const struct dkt__tracer *tracer, struct dkt_instance *base,
			   struct dkt_instance *in, const char *now)
{
	struct switching to = { .tracer = tracer, .in = in, .now = now };

	return dkt__rest(base, in, switch_or_undo, &to);
}

/* -EOPNOTSUPP: the instance does not support the tracer, or cannot limit it. */
static int check_wanted(const struct dkt__tracer *tracer, struct dkt_instance *in)
{
	char *all __cleanup(free) = NULL;
	int err = dkt__tfs_read(in->ctx, &all, NULL, "%savailable_tracers", in->prefix);

	if (err)
		return err;
	if (!has_word(all, tracer->wanted))
		return dkt_fail(in->ctx, -EOPNOTSUPP, "this kernel has no %s%s", tracer->wanted,
				in->name ? " in instances" : "");
	if (!dkt__tfs_exists(in->ctx, "%sset_ftrace_filter", in->prefix))
		return dkt_fail(in->ctx, -EOPNOTSUPP, "this kernel cannot limit %s to modules",
				tracer->wanted);
	return 0;
}

static int apply_in(const struct dkt__tracer *tracer, struct dkt_instance *base,
		    struct dkt_instance *in)
{
	const char *wanted = tracer->wanted ? tracer->wanted : NONE;
	char *now __cleanup(free) = NULL;
	int err = dkt__tfs_read(in->ctx, &now, NULL, "%scurrent_tracer", in->prefix);

	if (err)
		return err;
	now[strcspn(now, "\n")] = '\0';
	if (strcmp(now, wanted) || (tracer->wanted && !is_as_wanted(in, tracer)))
		return switch_and_save(tracer, base, in, now);
	return tracer->wanted || !dkt__functions_chosen(in, FILTER) ? 0 : dkt__functions_clear(in);
}

/* ---- in the top instance ---- */

/* Restores the top instance if it is borrowed, and first saves its records in the spool. */
static int return_top(struct dkt_instance *in)
{
	struct dkt__live *live = NULL;
	int err;

	if (!dkt_instance_borrows_top(in))
		return 0;
	err = dkt__live_open(in, NULL, &live);
	if (!err && live->top)
		err = dkt_instance_set_on(live->top, false);
	if (!err)
		err = dkt__live_save(live, true);
	dkt__live_free(live);
	return err ? err : dkt__top_return(in->ctx, in->spool);
}

static int check_top(const struct dkt__tracer *tracer, struct dkt_instance *in)
{
	struct dkt_instance *top;
	int err = dkt_instance_open(in->ctx, NULL, NULL, &top);

	if (!err)
		err = check_wanted(tracer, top);
	dkt_instance_close(top);
	return err;
}

static int apply_top(const struct dkt__tracer *tracer, struct dkt_instance *in)
{
	char *words;
	struct dkt_instance *top = NULL;
	int err = check_top(tracer, in);

	if (err)
		return err;
	err = dkt__top_borrow(in, &top);
	if (!err) {
		err = apply_in(tracer, in, top);
		if (!err)
			err = dkt__stops_follow(in, top, tracer->stops);
	}
	if (err && top) {
		words = dkt_error_take(in->ctx);
		if (dkt__top_return(in->ctx, in->spool))
			free(words);
		else
			dkt_error_give(in->ctx, err, words);
	}
	dkt_instance_close(top);
	return err ? dkt_fail_in(in->ctx, err, "this kernel has %s only in the top instance",
				 tracer->wanted) :
		     0;
}

static int apply(const struct dkt__tracer *tracer, struct dkt_instance *in)
{
	int err = tracer->wanted ? check_wanted(tracer, in) : 0, back = 0;

	if (!tracer->functions && in->spool)
		back = dkt__functions_return(in->ctx, in->spool);
	if (err == -EOPNOTSUPP && in->name && in->spool)
		return back ? back : apply_top(tracer, in);
	err = err ? err : back;
	if (!err)
		err = return_top(in);
	return err ? err : apply_in(tracer, in, in);
}

int dkt__tracer_apply(struct dkt__tracer *tracer, struct dkt_instance *in)
{
	int err;

	if (!tracer->touched)
		return 0;
	err = apply(tracer, in);
	/* A kernel without tracers has no tracer to stop. */
	if (!err || (!tracer->wanted && (err == -ENOENT || err == -EPERM)))
		return 0;
	if (tracer->required)
		return err;
	tracer->refused = dkt_error_take(in->ctx);
	return 0;
}
