/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions whose calls a change records: those of the tracer that was set, or those of the
 * modules of class trace.
 */
#include "compat/apply/applying.h"
#include "lib/base/buf.h"

/* The tracer that records entry and exit of functions. */
#define GRAPH_TRACER "function_graph"

static bool wants_graph(const struct class_map *map, uint32_t classes)
{
	const struct class_entry *entries;
	size_t n;

	for (unsigned int bit = 0; bit < MASK_BITS; bit++) {
		entries = dkl_class_map_entries(map, MASK_DEBUG, bit, &n);
		for (size_t i = 0; i < n && classes & 1u << bit; i++)
			if (entries[i].graph)
				return true;
	}
	return false;
}

/*
 * Lustre's calls to log a message: a tenth of all calls of its modules. They say nothing about a
 * request, and recording them is slow.
 */
static const char *const not_recorded[] = {
	"libcfs_debug_*msg*",      "cfs_trace_*",           "cfs_tage_*", "cfs_tcd_*",
	"cfs_set_ptldebug_header", "cfs_*print_to_console",
};

/* Adds the tracer that the user set. */
static int add_tracer(struct applying *a)
{
	const struct settings_functions *f = &a->set->functions;
	DKT_OPTS(dkt_tracer_opts, opts, .only = (const char *const *)f->only.list,
		 .n_only = f->only.n, .without = (const char *const *)f->without.list,
		 .n_without = f->without.n, .roots = (const char *const *)f->roots.list,
		 .n_roots = f->roots.n, .pids = f->threads.list, .n_pids = f->threads.n,
		 .children = f->children, .depth = f->depth, .threshold = f->threshold,
		 .keep = dkl_settings_same_functions(a->set, &a->log->set) && !a->log->interrupted);

	return dkt_change_tracer(a->change, f->tracer, &opts);
}

/* Without a loaded module there is no tracer: it would record the whole kernel. */
int dkl_applying_graph(struct applying *a)
{
	size_t n = a->modules.n;
	const char **names __cleanup(free) = calloc(n + 1, sizeof(*names));
	DKT_OPTS(dkt_tracer_opts, opts, .modules = names, .n_modules = n, .without = not_recorded,
		 .n_without = ARRAY_SIZE(not_recorded), .optional = true);
	int err = 0;

	if (!names)
		return -ENOMEM;
	if (a->set->functions.tracer)
		return add_tracer(a);
	for (size_t i = 0; i < n; i++)
		names[i] = a->modules.list[i].name;
	a->graph = a->set->sources & MASK_FROM_FUNCTIONS && wants_graph(a->log->map, a->set->debug);
	if (a->graph && n)
		err = dkl_modules_names(&a->modules, &a->done->graph);
	return err ? err :
		     dkt_change_tracer(a->change, a->done->graph ? GRAPH_TRACER : NULL, &opts);
}

/* Returns why the recorded functions are not those that were set; NULL: they are. */
static const char *graph_refused(const struct applying *a)
{
	const char *why = dkt_change_refused(a->change);

	if (!why && a->graph && !a->modules.n)
		why = "no module of the chosen subsystems is loaded";
	return why;
}

int dkl_applying_note_graph(struct applying *a)
{
	const char *why = graph_refused(a);
	struct settings *done = a->done;
	char **note = &a->log->note;

	free(*note);
	*note = NULL;
	if (!why)
		return 0;
	*note = dkt__format("entry and exit of functions are %s recorded: %s",
			    a->graph ? "not" : "still", why);
	if (!*note)
		return -ENOMEM;
	free(done->graph);
	done->graph = NULL;
	done->no_graph = a->graph ? strdup(why) : NULL;
	return dkl_settings_stage(a->log->ctx, a->log->dirfd, DEBUGLOG_SETTINGS, done);
}
