/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions that a tracer records, and to which depth of calls. */
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>

#include "lib/functions.h"
#include "lib/instance.h"
#include "lib/note.h"
#include "lib/tracefs.h"

#define AVAILABLE "available_filter_functions"

/* This note is in the spool directory while dktrace has set roots, depth or threshold. */
#define NOTE "graph"

/* The files that apply to the whole kernel. */
static const struct {
	const char *file;
	char initial; /* first byte of the initial value */
	const char *reset; /* write this to restore it; opening a list with O_TRUNC empties it */
} global_files[] = {
	{ "max_graph_depth", '0', "0" },
	{ "tracing_thresh", '0', "0" },
	{ "set_graph_function", '#', "\n" },
};

/* ---- copies ---- */

int dkt__names_copy(const char *const *names, size_t n, struct dkt__strings *to)
{
	int err = 0;

	for (size_t i = 0; !err && i < n; i++)
		err = dkt__strings_add(to, names[i]);
	return err;
}

struct dkt__functions *dkt__functions_copy(const struct dkt_tracer_opts *from)
{
	struct dkt__functions *to = calloc(1, sizeof(*to));

	if (!to)
		return NULL;
	to->pids = calloc(from->n_pids + 1, sizeof(*to->pids));
	if (!to->pids || dkt__names_copy(from->only, from->n_only, &to->only) ||
	    dkt__names_copy(from->without, from->n_without, &to->without) ||
	    dkt__names_copy(from->roots, from->n_roots, &to->roots)) {
		dkt__functions_free(to);
		return NULL;
	}
	if (from->n_pids)
		memcpy(to->pids, from->pids, from->n_pids * sizeof(*to->pids));
	to->n_pids = from->n_pids;
	to->children = from->children;
	to->depth = from->depth;
	to->threshold = from->threshold;
	return to;
}

void dkt__functions_free(struct dkt__functions *functions)
{
	if (!functions)
		return;
	dkt__strings_clear(&functions->only);
	dkt__strings_clear(&functions->without);
	dkt__strings_clear(&functions->roots);
	free(functions->pids);
	free(functions);
}

/* ---- checking ---- */

/* True if the glob, "vfs_*", ":mod:xfs" or "xfs_*:mod:xfs", matches; module is NULL if built in. */
static bool matches(const char *glob, const char *name, const char *module)
{
	static const char mod[] = ":mod:";
	const char *of = strstr(glob, mod);
	size_t len = of ? (size_t)(of - glob) : strlen(glob);
	char function[512]; /* KSYM_NAME_LEN */

	if (len >= sizeof(function) ||
	    (of && (!module || fnmatch(of + sizeof(mod) - 1, module, 0))))
		return false;
	memcpy(function, glob, len);
	function[len] = '\0';
	return !*function || !fnmatch(function, name, 0);
}

/* The globs that match no function so far; those that match one are taken out of the list. */
struct search {
	const char **globs;
	size_t n;
};

static int add_globs(struct dkt_ctx *ctx, const struct dkt__strings *globs, struct search *search)
{
	for (size_t i = 0; i < globs->n; i++) {
		if (!*globs->list[i] || strpbrk(globs->list[i], " \t\n\r"))
			return dkt_fail(ctx, -EINVAL, "'%.60s' cannot be the name of a function",
					globs->list[i]);
		search->globs[search->n++] = globs->list[i];
	}
	return 0;
}

/* Looks for the function of the line, "NAME" or "NAME [MODULE]". */
static void match_line(char *line, struct search *search)
{
	char *bracket = strchr(line, '[');
	char *module = bracket ? bracket + 1 : NULL;
	size_t left = 0;

	line[strcspn(line, " \t")] = '\0';
	if (module)
		module[strcspn(module, "]")] = '\0';
	for (size_t i = 0; i < search->n; i++)
		if (!matches(search->globs[i], line, module))
			search->globs[left++] = search->globs[i];
	search->n = left;
}

int dkt__functions_check(struct dkt_ctx *ctx, const struct dkt__functions *functions)
{
	const size_t n = functions->only.n + functions->without.n + functions->roots.n;
	const char **globs __cleanup(free) = calloc(n + 1, sizeof(*globs));
	struct search search = { .globs = globs };
	char *text __cleanup(free) = NULL;
	char *rest, *line;
	int err;

	if (!globs)
		return dkt__no_memory(ctx);
	err = dkt__tfs_read(ctx, &text, NULL, AVAILABLE);
	if (err)
		return dkt__fail_in(ctx, err, "functions cannot be traced on this kernel");
	err = add_globs(ctx, &functions->only, &search);
	if (!err)
		err = add_globs(ctx, &functions->without, &search);
	if (!err)
		err = add_globs(ctx, &functions->roots, &search);
	/* The list has some 50,000 functions: one pass for all globs, up to the last that matches. */
	for (rest = text; !err && search.n && (line = strsep(&rest, "\n"));)
		match_line(line, &search);
	return err || !search.n ?
		       err :
		       dkt_fail(ctx, -ENOENT, "no function that this kernel can trace matches '%s'",
				*search.globs);
}

/* ---- files of the instance ---- */

static int write_names(struct dkt_instance *in, const char *file, const struct dkt__strings *names)
{
	int err = 0;

	for (size_t i = 0; !err && i < names->n; i++)
		err = dkt__tfs_add(in->ctx, names->list[i], "%s%s", in->prefix, file);
	return err;
}

int dkt__functions_write(struct dkt_instance *in, const struct dkt__functions *functions)
{
	char text[16];
	int err = write_names(in, "set_ftrace_filter", &functions->only);

	if (!err)
		err = write_names(in, "set_ftrace_notrace", &functions->without);
	if (!err && functions->n_pids)
		err = dkt__tfs_set(in->ctx, functions->children ? "1" : "0",
				   "%soptions/function-fork", in->prefix);
	for (size_t i = 0; !err && i < functions->n_pids; i++) {
		snprintf(text, sizeof(text), "%d", (int)functions->pids[i]);
		err = dkt__tfs_add(in->ctx, text, "%sset_ftrace_pid", in->prefix);
	}
	return err;
}

int dkt__functions_clear(struct dkt_instance *in)
{
	/* Opening a list with O_TRUNC empties it. */
	static const char *const empty[][2] = {
		{ "set_ftrace_filter", "\n" },
		{ "set_ftrace_notrace", "\n" },
		{ "set_ftrace_pid", "" },
		{ "options/function-fork", "0" },
	};
	int err = 0, one;

	/* After a failure, still reset the other files. */
	for (size_t i = 0; i < ARRAY_SIZE(empty); i++) {
		if (i && !dkt__tfs_exists(in->ctx, "%s%s", in->prefix, empty[i][0]))
			continue;
		one = dkt__tfs_set(in->ctx, empty[i][1], "%s%s", in->prefix, empty[i][0]);
		err = err ? err : one;
	}
	return err;
}

/* Returns the first byte of a file; '\0': the file is empty or missing. */
static char first_of(struct dkt_ctx *ctx, const char *prefix, const char *file)
{
	int fd __cleanup(close) = dkt__tfs_open(ctx, O_RDONLY, "%s%s", prefix, file);
	char first = '\0';

	return fd >= 0 && read(fd, &first, 1) == 1 ? first : '\0';
}

bool dkt__functions_chosen(struct dkt_instance *in, const char *file)
{
	char first = first_of(in->ctx, in->prefix, file);

	return first && first != '#';
}

bool dkt__functions_more(struct dkt_instance *in)
{
	char pid = first_of(in->ctx, in->prefix, "set_ftrace_pid");

	/* Without PIDs, the file says "no pid". */
	return first_of(in->ctx, in->prefix, "set_ftrace_notrace") || (pid && pid != 'n');
}

/* ---- files of the whole kernel ---- */

static int check_initial(struct dkt_ctx *ctx)
{
	for (size_t i = 0; i < ARRAY_SIZE(global_files); i++) {
		char first = first_of(ctx, "", global_files[i].file);

		if (first && first != global_files[i].initial)
			return dkt_fail(
				ctx, -EBUSY,
				"another program has set %s, which applies to the whole kernel",
				global_files[i].file);
	}
	return 0;
}

static int write_limits(struct dkt_ctx *ctx, const struct dkt__functions *functions)
{
	char text[16];
	int err = 0;

	if (functions->depth) {
		snprintf(text, sizeof(text), "%u", functions->depth);
		err = dkt__tfs_set(ctx, text, "max_graph_depth");
	}
	if (!err && functions->threshold) {
		snprintf(text, sizeof(text), "%u", functions->threshold);
		err = dkt__tfs_set(ctx, text, "tracing_thresh");
	}
	for (size_t i = 0; !err && i < functions->roots.n; i++)
		err = dkt__tfs_add(ctx, functions->roots.list[i], "set_graph_function");
	return err;
}

int dkt__functions_limit(struct dkt_instance *in, const struct dkt__functions *functions)
{
	bool wanted = functions->depth || functions->threshold || functions->roots.n;
	int err = in->spool ? dkt__functions_return(in->ctx, in->spool) : 0;

	if (err || !wanted)
		return err;
	if (!in->spool)
		return dkt_fail(in->ctx, -EINVAL,
				"depth, threshold and roots need a spool directory");
	err = check_initial(in->ctx);
	if (!err)
		err = dkt__note_write(in->ctx, in->spool, NOTE, "");
	return err ? err : write_limits(in->ctx, functions);
}

int dkt__functions_return(struct dkt_ctx *ctx, const char *spool)
{
	int err, one;

	if (!dkt__note_exists(spool, NOTE))
		return 0;
	err = dkt_tracefs_open(ctx, 0);
	if (err)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(global_files); i++) {
		if (!dkt__tfs_exists(ctx, "%s", global_files[i].file))
			continue;
		one = dkt__tfs_set(ctx, global_files[i].reset, "%s", global_files[i].file);
		err = err ? err : one;
	}
	return err ? err : dkt__note_remove(ctx, spool, NOTE);
}
