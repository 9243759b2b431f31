/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creates, lists and removes events at run time: probes and synthetic events. */
#include "lib/base/own_name.h"
#include "lib/event.h"
#include "lib/probe.h"
#include "lib/symbol.h"
#include "lib/tracefs.h"

void dkt_events_forget(struct dkt_ctx *ctx)
{
	/* The events of a file do not change. */
	if (!ctx || ctx->given)
		return;
	dkt__events_free(ctx);
	/* libtraceevent keeps formats by event ID, and the kernel reuses the IDs. */
	dkt__tep_free(ctx);
}

/* ---- listing ---- */

/* The beginning of a definition in dynamic_events. It is missing in synthetic_events, which older kernels have alone. */
#define SYNTHETIC "s:synthetic/"

static int read_list(struct dkt_ctx *ctx, const char *file, const char *prefix,
		     struct dkt_probes *probes)
{
	char *text __cleanup(free) = NULL;
	char *line;
	int err = dkt__tfs_read(ctx, &text, NULL, "%s", file);

	if (err)
		return err;
	for (char *rest = text; (line = strsep(&rest, "\n"));) {
		char *whole __cleanup(free) = dkt__format("%s%s", prefix, line);

		err = whole ? dkt__probe_parse(whole, probes) : -ENOMEM;
		if (err && err != -EINVAL)
			return dkt__with_words(ctx, err);
	}
	return 0;
}

/* One line of a profile: "  NAME  HITS  MISSED", of uprobes "  PATH NAME  HITS". */
static bool read_hits(char *line, bool user, struct dkt_probe *probe)
{
	unsigned long long hits, missed = 0;
	char name[128];

	if (user) {
		/* The path may contain spaces and the probe's name. */
		char *path_end = strstr(line, probe->name);

		while (path_end && (path_end == line || path_end[-1] != ' '))
			path_end = strstr(path_end + 1, probe->name);
		if (!path_end || sscanf(path_end, "%127s %llu", name, &hits) != 2)
			return false;
	} else if (sscanf(line, "%127s %llu %llu", name, &hits, &missed) != 3) {
		return false;
	}
	if (strcmp(name, probe->name))
		return false;
	probe->hits = hits;
	probe->missed = user ? DKT_PROBE_UNKNOWN : missed;
	return true;
}

static int is_fault_handler(void *data, const struct dkt__symbol *symbol)
{
	(void)data;
	return !symbol->module && !strcmp(symbol->name, "aggr_fault_handler");
}

/*
 * Kernels before 5.14 also count each address that a probe at work cannot read as a miss, often dozens for one
 * record. They have a function for that.
 */
static bool counts_faults(struct dkt_ctx *ctx)
{
	return dkt__symbols_each(ctx, is_fault_handler, NULL) == 1;
}

uint64_t dkt__probes_missed(struct dkt_ctx *ctx)
{
	unsigned long long hits, missed;
	char *text __cleanup(free) = NULL;
	char *line;
	uint64_t sum = 0;

	if (dkt__tfs_read(ctx, &text, NULL, "kprobe_profile"))
		return 0;
	for (char *rest = text; (line = strsep(&rest, "\n"));)
		if (sscanf(line, "%*s %llu %llu", &hits, &missed) == 2)
			sum += missed;
	return sum && counts_faults(ctx) ? 0 : sum;
}

static void forget_misses(struct dkt_ctx *ctx, struct dkt_probes *probes)
{
	bool any = false;

	for (size_t i = 0; i < probes->n; i++)
		any |= probes->at[i].missed && probes->at[i].missed != DKT_PROBE_UNKNOWN;
	if (!any || !counts_faults(ctx))
		return;
	for (size_t i = 0; i < probes->n; i++)
		if (probes->at[i].missed)
			probes->at[i].missed = DKT_PROBE_UNKNOWN;
}

/* A profile does not name groups, but its lines have the order of the list. */
static void add_hits(struct dkt_ctx *ctx, enum dkt_probe_kind kind, struct dkt_probes *probes)
{
	bool user = kind == DKT_PROBE_UPROBE;
	const char *file = user ? "uprobe_profile" : "kprobe_profile";
	char *text __cleanup(free) = NULL;
	char *line;
	size_t i = 0;

	if (!dkt__tfs_exists(ctx, "%s", file) || dkt__tfs_read(ctx, &text, NULL, "%s", file))
		return;
	for (char *rest = text; (line = strsep(&rest, "\n")) && *line;) {
		while (i < probes->n && probes->at[i].kind != kind)
			i++;
		/* The probes have changed meanwhile, so the other lines cannot be assigned. */
		if (i >= probes->n || !read_hits(line, user, &probes->at[i++]))
			return;
	}
}

int dkt_probes_read(struct dkt_ctx *ctx, struct dkt_probes **out)
{
	dkt__needs(ctx, dkt__clear(out) && ctx);

	static const struct {
		const char *file, *prefix;
	} lists[] = {
		{ "kprobe_events", "" },
		{ "uprobe_events", "" },
		{ "synthetic_events", SYNTHETIC },
	};
	struct dkt_probes *probes = calloc(1, sizeof(*probes));
	int err = 0;

	if (!probes)
		return dkt__no_memory(ctx);
	if (dkt__tfs_exists(ctx, "dynamic_events"))
		err = read_list(ctx, "dynamic_events", "", probes);
	else
		for (size_t i = 0; !err && i < ARRAY_SIZE(lists); i++)
			if (dkt__tfs_exists(ctx, "%s", lists[i].file))
				err = read_list(ctx, lists[i].file, lists[i].prefix, probes);
	if (err) {
		dkt_probes_free(probes);
		return err;
	}
	add_hits(ctx, DKT_PROBE_KPROBE, probes);
	forget_misses(ctx, probes);
	add_hits(ctx, DKT_PROBE_UPROBE, probes);
	*out = probes;
	return 0;
}

/* ---- creating and removing ---- */

/* True for the file of older kernels that takes synthetic events only, without their group. */
static bool is_synthetic_list(const char *file)
{
	return !strcmp(file, "synthetic_events");
}

/* Finds the file that accepts definitions of that kind. */
static int find_file(struct dkt_ctx *ctx, enum dkt_probe_kind kind, const char **file)
{
	static const struct {
		const char *file;
		const char *what;
	} files[] = {
		[DKT_PROBE_KPROBE] = { "kprobe_events", "probes on its functions" },
		[DKT_PROBE_UPROBE] = { "uprobe_events", "probes on programs" },
		[DKT_PROBE_FPROBE] = { "dynamic_events", "function probes" },
		[DKT_PROBE_TRACEPOINT] = { "dynamic_events", "probes on tracepoints" },
		[DKT_PROBE_EVENT] = { "dynamic_events", "probes on events" },
		[DKT_PROBE_SYNTHETIC] = { "dynamic_events", "synthetic events" },
	};

	int err = dkt_tracefs_open(ctx, 0);

	if (err)
		return err;
	if (kind >= ARRAY_SIZE(files) || !files[kind].file)
		return dkt_fail(ctx, -EINVAL, "no kind of probe");
	if (kind == DKT_PROBE_SYNTHETIC && !dkt__tfs_exists(ctx, "dynamic_events") &&
	    dkt__tfs_exists(ctx, "synthetic_events")) {
		*file = "synthetic_events";
		return 0;
	}
	if (!dkt__tfs_exists(ctx, "%s", files[kind].file))
		return dkt_fail(ctx, -EOPNOTSUPP, "this kernel has no %s: there is no %s/%s",
				files[kind].what, dkt_tracefs_dir(ctx), files[kind].file);
	/* dynamic_events accepts them only if the kernel also has this file. */
	if (kind == DKT_PROBE_SYNTHETIC && !dkt__tfs_exists(ctx, "synthetic_events"))
		return dkt_fail(ctx, -EOPNOTSUPP,
				"this kernel has no %s: there is no %s/synthetic_events",
				files[kind].what, dkt_tracefs_dir(ctx));
	*file = files[kind].file;
	return 0;
}

int dkt_probe_create(struct dkt_ctx *ctx, const struct dkt_probe *probe)
{
	dkt__needs(ctx, ctx && probe);

	/* The kernel would add a second place to an event, even to another user's. */
	if (dkt__tfs_exists(ctx, "events/%s/%s", probe->group, probe->name))
		return dkt_fail(ctx, -EEXIST, "event %s:%s already exists", probe->group,
				probe->name);
	return dkt__probe_add_place(ctx, probe);
}

int dkt__probe_add_place(struct dkt_ctx *ctx, const struct dkt_probe *probe)
{
	dkt__needs(ctx, ctx && probe);

	char *text __cleanup(free) = NULL;
	const char *file;
	int err = find_file(ctx, probe->kind, &file);

	if (!err)
		err = dkt__probe_text(ctx, probe, &text);
	if (!err)
		err = dkt__tfs_add(ctx, is_synthetic_list(file) ? text + strlen(SYNTHETIC) : text,
				   "%s", file);
	if (!err)
		dkt_events_forget(ctx);
	return err;
}

static bool is_enabled(struct dkt_ctx *ctx, const char *instance, const char *group,
		       const char *name)
{
	char *text __cleanup(free) = NULL;

	return !dkt__tfs_read(ctx, &text, NULL, "%s%s%sevents/%s/%s/enable",
			      *instance ? "instances/" : "", instance, *instance ? "/" : "", group,
			      name) &&
	       *text == '1';
}

/* Reports which instance has the event enabled. */
static int report_user(struct dkt_ctx *ctx, const char *group, const char *name)
{
	struct dkt__strings all;
	const char *user = NULL;
	char process[48] = "";
	pid_t pid;

	if (is_enabled(ctx, "", group, name))
		return dkt_fail(ctx, -EBUSY, "remove %s:%s: it is enabled in the top instance",
				group, name);
	dkt__tfs_list(ctx, &all, "instances");
	for (size_t i = 0; i < all.n && !user; i++)
		if (is_enabled(ctx, all.list[i], group, name))
			user = all.list[i];
	pid = user ? dkt__own_process(user) : 0;
	if (pid)
		snprintf(process, sizeof(process), ", which process %d has created", (int)pid);
	dkt_fail(ctx, -EBUSY, "remove %s:%s: %s%s%s", group, name,
		 user ? "it is enabled in the instance " : "perf or a trigger uses it", user ?: "",
		 process);
	dkt__strings_clear(&all);
	return -EBUSY;
}

int dkt_probe_remove(struct dkt_ctx *ctx, const char *group, const char *name)
{
	dkt__needs(ctx, ctx && group && name);

	struct dkt_probes *probes;
	const struct dkt_probe *probe;
	char *text __cleanup(free) = NULL;
	const char *file;
	int err = dkt_probes_read(ctx, &probes);

	if (err)
		return err;
	probe = dkt__probes_find(probes, group, name);
	err = probe ? find_file(ctx, probe->kind, &file) :
		      dkt_fail(ctx, -ENOENT, "there is no probe %s:%s", group, name);
	if (!err) {
		text = is_synthetic_list(file) ? dkt__format("!%s", name) :
						 dkt__format("-:%s/%s", group, name);
		err = text ? dkt__tfs_add(ctx, text, "%s", file) : dkt__no_memory(ctx);
	}
	if (err == -EBUSY)
		report_user(ctx, group, name);
	dkt_probes_free(probes);
	if (!err)
		dkt_events_forget(ctx);
	return err;
}
