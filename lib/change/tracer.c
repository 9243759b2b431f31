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

#include <fnmatch.h>

#include "lib/base/io.h"
#include "lib/instance.h"
#include "lib/source/live.h"
#include "lib/top_instance.h"
#include "lib/tracefs.h"

#define NONE   "nop"
#define FILTER "set_ftrace_filter"

void dkt__tracer_clear(struct dkt__tracer *tracer)
{
	free(tracer->wanted);
	dkt__strings_clear(&tracer->modules);
	dkt__strings_clear(&tracer->without);
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
	    dkt__names_copy(opts->modules, opts->n_modules, &tracer->modules) ||
	    dkt__names_copy(opts->without, opts->n_without, &tracer->without))
		return -ENOMEM;
	if (!wanted || opts->n_modules)
		return 0;
	tracer->functions = dkt__functions_copy(opts);
	return tracer->functions ? 0 : -ENOMEM;
}

/*
 * ---- modules ----
 *
 * For each ":mod:NAME" the kernel looks up the name of every function that it has. This takes 0.1
 * s, or 2 s in an emulated machine, and with thirty modules it is most of the time of a change.
 * Kernels since 5.1 also accept a function's index in the list of all functions, which needs no
 * lookup. Because indexes shift when a module is unloaded, dktrace reads the result back and writes
 * the names if it is wrong.
 */

/* Returns the index of the module that the line ends with, in brackets; n_modules: not found. */
static size_t find_module(const struct dkt__tracer *tracer, const char *line)
{
	const char *from = strrchr(line, '[');
	size_t i, len = from ? strcspn(++from, "]") : 0;

	for (i = 0; len && i < tracer->modules.n; i++)
		if (strlen(tracer->modules.list[i]) == len &&
		    !strncmp(from, tracer->modules.list[i], len))
			break;
	return len ? i : tracer->modules.n;
}

static bool is_excluded(const struct dkt__tracer *tracer, const char *line)
{
	char *name __cleanup(free) = strndup(line, strcspn(line, " \t"));

	for (size_t i = 0; name && i < tracer->without.n; i++)
		if (!fnmatch(tracer->without.list[i], name, 0))
			return true;
	return false;
}

/*
 * True if the instance is limited to these modules. Ignores commands that wait for a module. False also for "#### all functions enabled ####", which has no module in brackets. For a large
 * module the kernel needs about 10 ms to print this list.
 */
static bool modules_are_set(struct dkt_instance *in, const struct dkt__tracer *tracer)
{
	bool *seen __cleanup(free) = calloc(tracer->modules.n + 1, sizeof(*seen));
	char *text __cleanup(free) = NULL;
	char *save = NULL;
	size_t i;

	if (!seen || dkt__tfs_read(in->ctx, &text, NULL, "%s" FILTER, in->prefix))
		return false;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (strstr(line, ":mod:"))
			continue;
		i = find_module(tracer, line);
		if (i == tracer->modules.n || is_excluded(tracer, line))
			return false;
		seen[i] = true;
	}
	for (i = 0; i < tracer->modules.n; i++)
		if (!seen[i])
			return false;
	return true;
}

/* Lists the indexes of the functions, separated by spaces; NULL: the kernel has no list of them. */
static char *list_indexes(struct dkt_instance *in, const struct dkt__tracer *tracer)
{
	char *list __cleanup(free) = NULL;
	char *line, *end, *indexes = NULL;
	unsigned long nr;
	size_t len;
	FILE *out;

	if (dkt__tfs_read(in->ctx, &list, NULL, "available_filter_functions"))
		return NULL;
	out = open_memstream(&indexes, &len);
	for (line = list, nr = 1; out && *line; line = end, nr++) {
		end = line + strcspn(line, "\n");
		end += *end ? (*end = '\0', 1) : 0;
		if (find_module(tracer, line) < tracer->modules.n && !is_excluded(tracer, line))
			fprintf(out, "%lu ", nr);
	}
	dkt__text_end(out, 0, &indexes);
	return indexes;
}

static int write_indexes(struct dkt_instance *in, const struct dkt__tracer *tracer)
{
	char *indexes __cleanup(free) = list_indexes(in, tracer);
	int err;

	if (!indexes || !*indexes)
		return -ENOENT;
	err = dkt__tfs_add_words(in->ctx, "functions", indexes, "%s" FILTER, in->prefix);
	if (!err && modules_are_set(in, tracer))
		return 0;
	dkt__functions_clear(in);
	return err ? err : -ESTALE;
}

/* Adds the functions of all modules, then removes the excluded ones with "!NAME:mod:MODULE". */
static int write_names(struct dkt_instance *in, const struct dkt__tracer *tracer)
{
	char command[256];
	int err = 0;

	for (size_t i = 0; !err && i < tracer->modules.n; i++) {
		snprintf(command, sizeof(command), ":mod:%s", tracer->modules.list[i]);
		err = dkt__tfs_add(in->ctx, command, "%s" FILTER, in->prefix);
	}
	for (size_t i = 0; !err && i < tracer->modules.n; i++) {
		for (size_t j = 0; !err && j < tracer->without.n; j++) {
			snprintf(command, sizeof(command), "!%s:mod:%s", tracer->without.list[j],
				 tracer->modules.list[i]);
			/* -EINVAL: the module has no such function. */
			err = dkt__tfs_add(in->ctx, command, "%s" FILTER, in->prefix);
			err = err == -EINVAL ? 0 : err;
		}
	}
	return err;
}

/* Limits the instance, which has no limit yet, to the functions of the tracer's modules. */
static int write_modules(struct dkt_instance *in, const struct dkt__tracer *tracer)
{
	int err;

	if (!write_indexes(in, tracer))
		return 0;
	err = write_names(in, tracer);
	if (!err && !dkt__functions_chosen(in, FILTER))
		err = dkt_fail(in->ctx, -EINVAL, "the kernel did not limit it to modules");
	return err;
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
	return !dkt__functions_more(in) && modules_are_set(in, tracer);
}

/* ---- steps ---- */

static int set_functions(const struct dkt__tracer *tracer, struct dkt_instance *in)
{
	const struct dkt__functions *functions = tracer->functions;
	int err = dkt__functions_limit(in, functions);

	if (!err)
		err = dkt__functions_write(in, functions);
	if (!err && functions->only.n && !dkt__functions_chosen(in, FILTER))
		err = dkt_fail(in->ctx, -EINVAL, "the kernel did not limit it to '%s'",
			       functions->only.list[0]);
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
	err = tracer->functions ? set_functions(tracer, in) : write_modules(in, tracer);
	return err ? err : set_current(in, tracer->wanted);
}

/* Undoes the steps that a failed switch has taken. */
static void undo_switch(struct dkt_instance *in)
{
	char *error = dkt__error_take(in->ctx);

	set_current(in, NONE);
	clear_functions(in);
	if (in->spool)
		dkt__functions_return(in->ctx, in->spool);
	dkt__error_give(in->ctx, 0, error);
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

	if (!dkt__instance_borrows_top(in))
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
		words = dkt__error_take(in->ctx);
		if (dkt__top_return(in->ctx, in->spool))
			free(words);
		else
			dkt__error_give(in->ctx, err, words);
	}
	dkt_instance_close(top);
	return err ? dkt__fail_in(in->ctx, err, "this kernel has %s only in the top instance",
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
	tracer->refused = dkt__error_take(in->ctx);
	return 0;
}
