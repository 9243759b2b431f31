/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sources of the log's records, and the reason why a source is not used. */
#include "compat/set/sources.h"

#include <inttypes.h>

#include "compat/lustre/lustre_masks.h"
#include "compat/lustre/message/cdebug.h"
#include "compat/set/param/tree.h"
#include "lib/base/buf.h"
#include "lib/inside.h"

#define NOT_LOADED "Lustre's libcfs is not loaded"
#define NOT_SET    "none before set_param debug=..."
#define NOT_CHOSEN "debug_sources is without %s"

static bool is_on(struct debuglog *log, const char *system, const char *name)
{
	struct dkt_event *event = dkt_event_find(log->ctx, system, name);
	struct dkt_event *const *on;
	size_t n;

	if (!event || dkl_debuglog_on(log, &on, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (on[i] == event)
			return true;
	return false;
}

static DKT_PRINTF(3, 4) int say(struct source_state *source, bool used, const char *fmt, ...)
{
	va_list ap;

	source->used = used;
	va_start(ap, fmt);
	source->note = dkt__vformat(fmt, ap);
	va_end(ap);
	return source->note ? 0 : -ENOMEM;
}

static int describe_kernel(struct debuglog *log, struct source_state *source)
{
	struct dkt_event *const *on;
	size_t n_on, n = 0;
	int err = dkl_debuglog_map(log);

	if (!err)
		err = dkl_debuglog_on(log, &on, &n_on);
	if (err)
		return err;
	/* Lustre's messages are a separate source. */
	for (size_t i = 0; i < n_on; i++)
		n += !dkl_class_map_event(log->map, on[i])->fields;
	if (!n && !(log->set.sources & MASK_FROM_KERNEL))
		return say(source, false, NOT_CHOSEN, "kernel");
	return say(source, n, n ? "%zu events" : "no event is enabled", n);
}

static int describe_functions(struct debuglog *log, struct source_state *source)
{
	const char *graph = log->set.graph;

	if (log->in && graph)
		return say(source, true, "entry and exit, of %s%s", graph,
			   dkt__instance_borrows_top(log->in) ?
				   ", in the kernel's top instance, which is borrowed for it" :
				   "");
	if (log->in && log->set.no_graph)
		return say(source, false, "%s", log->set.no_graph);
	if (!(log->set.sources & MASK_FROM_FUNCTIONS))
		return say(source, false, NOT_CHOSEN, "functions");
	return say(source, false, "debug is without trace");
}

/*
 * True if the user chose sources without Lustre. If nobody chose, Lustre was loaded after the last
 * change, and the next one adds its messages.
 */
static bool is_excluded(const struct debuglog *log)
{
	return log->in && log->set.chosen & 1u << MASK_SOURCES &&
	       !(log->set.sources & MASK_FROM_LUSTRE);
}

static int describe_event(struct debuglog *log, struct source_state *source)
{
	if (is_on(log, "lustre_debug", "lustre_debug_msg"))
		return say(source, true, "Lustre's own trace event for its messages");
	if (!dkl_lustre_is_loaded())
		return say(source, false, NOT_LOADED);
	if (is_excluded(log))
		return say(source, false, NOT_CHOSEN, "lustre");
	if (dkt_event_find(log->ctx, "lustre_debug", "lustre_debug_msg"))
		return say(source, false, NOT_SET);
	return say(source, false, "this Lustre has no trace event");
}

static int describe_enabled_probe(struct debuglog *log, struct source_state *source)
{
	uint64_t missed = dkl_cdebug_missed(log->ctx);
	const char *also = "";

	if (!dkl_lustre_is_loaded())
		also = ", when libcfs is loaded again";
	else if (dkl_cdebug_is_heavy(log->ctx))
		also = ", each message in one record because ptlrpc was loaded later; after dktrace reset"
		       " the next set_param creates lighter probes";
	if (missed)
		return say(source, true,
			   "a probe on Lustre's messages%s; not recorded because it was"
			   " busy: %" PRIu64 ", Lustre's own buffer has them",
			   also, missed);
	return say(source, true, "a probe on Lustre's messages%s", also);
}

static int describe_probe(struct debuglog *log, struct source_state *source)
{
	if (is_on(log, CDEBUG_GROUP, CDEBUG_NAME))
		return describe_enabled_probe(log, source);
	if (!dkl_lustre_is_loaded())
		return say(source, false, NOT_LOADED);
	if (is_excluded(log))
		return say(source, false, NOT_CHOSEN, "lustre");
	if (dkt_event_find(log->ctx, "lustre_debug", "lustre_debug_msg"))
		return say(source, false, "not needed: Lustre has a trace event");
	if (log->in && log->set.no_probe)
		return say(source, false, "%s", log->set.no_probe);
	return say(source, false, NOT_SET);
}

static int describe_buffer(struct source_state *source)
{
	struct tree tree = { .tried_debugfs = true };
	char *path;

	if (!dkl_lustre_is_loaded())
		return say(source, false, NOT_LOADED);
	if (dkl_tree_first(&tree, "dump_kernel", &path))
		return say(source, false, "Lustre's dump_kernel is missing; is debugfs mounted?");
	free(path);
	return say(source, true, "Lustre's own buffer, which lctl dk merges in");
}

int dkl_debuglog_sources(struct debuglog *log, struct source_state sources[SOURCES])
{
	static const char *const names[] = {
		[SOURCE_KERNEL] = "kernel",
		[SOURCE_FUNCTIONS] = "functions",
		[SOURCE_LUSTRE_DEBUG] = "lustre_debug",
		[SOURCE_CDEBUG] = "cdebug",
		[SOURCE_LIBCFS] = "libcfs",
	};
	int err;

	for (int i = 0; i < SOURCES; i++)
		sources[i] = (struct source_state){ .name = names[i] };
	err = describe_kernel(log, &sources[SOURCE_KERNEL]);
	if (!err)
		err = describe_functions(log, &sources[SOURCE_FUNCTIONS]);
	if (!err)
		err = describe_event(log, &sources[SOURCE_LUSTRE_DEBUG]);
	if (!err)
		err = describe_probe(log, &sources[SOURCE_CDEBUG]);
	return err ? err : describe_buffer(&sources[SOURCE_LIBCFS]);
}

void dkl_sources_clear(struct source_state sources[SOURCES])
{
	for (int i = 0; i < SOURCES; i++)
		free(sources[i].note);
}
