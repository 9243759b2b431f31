/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the features of this kernel's tracer from its files, never from the version. */
#include <fcntl.h>

#include "lib/symbol.h"
#include "lib/tracefs.h"

/* A kernel has a feature if it has the knob, and the file contains the word. */
static const struct {
	const char *name;
	const char *use;
	const char *knob; /* a file that must open for writing; NULL: none */
	const char *file; /* NULL: none */
	const char *word;
	const char *function; /* of the kernel, for a feature without a file in tracefs */
} features[] = {
	/* clang-format off */
	{ "trace events",     "classes and filters", "set_event", NULL, NULL, NULL },
	{ "instances",        "a private buffer", NULL, "README", "mkdir instances/foo", NULL },
	{ "error_log",        "reasons why the kernel refuses something", "error_log", NULL, NULL, NULL },
	{ "clock mono",       "wall-clock times", NULL, "trace_clock", "mono", NULL },
	{ "set_event_pid",    "events of chosen processes", "set_event_pid", NULL, NULL, NULL },
	{ "uprobe events",    "probes on programs", "uprobe_events", NULL, NULL, NULL },
	{ "kprobe events",    "probes on kernel functions", "kprobe_events", NULL, NULL, NULL },
	{ "fprobe events",    "cheaper probes on kernel functions", NULL, "README", " f[:", NULL },
	{ "synthetic events", "latencies in the kernel", "synthetic_events", NULL, NULL, NULL },
	{ "histograms",       "counts in the kernel", NULL, "README", "hist trigger", NULL },
	{ "function_graph",   "entry and exit of functions", "set_graph_function", "available_tracers", "function_graph", NULL },
	{ "function tracer",  "calls of functions", "set_ftrace_filter", "available_tracers", "function", NULL },
	{ "snapshot",         "keeping the buffer at a moment", "snapshot", NULL, NULL, NULL },
	{ "sub-buffer size",  "records larger than a page", "buffer_subbuf_size_kb", NULL, NULL, NULL },
	{ "buffers across reboots", "records from before a crash", NULL, NULL, NULL, "reserve_mem_find_by_name" },
	/* clang-format on */
};

/* Returns why the knob cannot be written to, or NULL if it can. */
static const char *knob_trouble(struct dkt_ctx *ctx, const char *knob)
{
	int fd __cleanup(close) = -1;

	if (!dkt__tfs_exists(ctx, "%s", knob))
		return "not in this kernel";
	/* Without O_TRUNC opening changes nothing. */
	fd = dkt__tfs_open(ctx, O_WRONLY | O_APPEND, "%s", knob);
	if (fd >= 0)
		return NULL;
	if (fd == -EPERM)
		return "the kernel refuses it (EPERM)";
	return fd == -EACCES ? "no permission" : "cannot be opened";
}

static bool file_has(struct dkt_ctx *ctx, const char *file, const char *word)
{
	char *text __cleanup(free) = NULL;

	return !dkt__tfs_read(ctx, &text, NULL, "%s", file) && strstr(text, word);
}

static int is_function(void *data, const struct dkt__symbol *symbol)
{
	return !symbol->module && !strcmp(symbol->name, data);
}

/* Returns why the kernel has no such function, or NULL if it has. */
static const char *function_trouble(struct dkt_ctx *ctx, const char *function)
{
	int err = dkt__symbols_each(ctx, is_function, (void *)function);

	return err == 1 ? NULL :
	       err      ? "unknown: /proc/kallsyms cannot be read" :
			  "not in this kernel";
}

int dkt_feature_get(struct dkt_ctx *ctx, size_t i, struct dkt_feature *feature, size_t sz)
{
	dkt__needs(ctx, dkt__blank(feature, sz) && ctx);

	const char *trouble = NULL;
	int err;

	if (i >= ARRAY_SIZE(features))
		return 1;
	err = ctx->given ? 0 : dkt_tracefs_open(ctx, 0);
	if (err)
		return err;
	if (features[i].file && !file_has(ctx, features[i].file, features[i].word))
		trouble = "not in this kernel";
	else if (features[i].knob)
		trouble = knob_trouble(ctx, features[i].knob);
	else if (features[i].function)
		trouble = function_trouble(ctx, features[i].function);
	return dkt__fill(feature, sz,
			 &((struct dkt_feature){ .name = features[i].name,
						 .have = !trouble,
						 .words = trouble ? trouble : features[i].use }));
}
