/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* doctor: shows what this kernel, the user's privileges and this Lustre support, one line each. */
#include "compat/apply/apply.h"
#include "compat/lustre/class.h"
#include "compat/lustre/devices.h"
#include "compat/lustre/mask.h"
#include "compat/set/sources.h"
#include "ctl/app/commands.h"
#include "ctl/app/print.h"
#include "lib/base/buf.h"
#include "lib/base/cage.h"
#include "lib/inside.h"

struct doctor {
	struct app *app;
	struct rows *rows;
};

static void add(struct doctor *doc, const char *name, bool ok, const char *note)
{
	rows_add(doc->rows, val_text(name), val_bool(ok), val_words(note));
}

/* ---- privileges ---- */

/* The library's answer is also true if tracefs is mounted. */
static bool may_mount(struct dkt_ctx *ctx)
{
	struct dkt__cap cap;

	for (size_t i = 0; !dkt__caps_get(ctx, i, &cap, sizeof(cap)); i++)
		if (!strcmp(cap.name, "cap_sys_admin"))
			return cap.have;
	return false;
}

static void check_privileges(struct doctor *doc)
{
	static const struct {
		const char *name;
		unsigned int needs;
	} privileges[] = {
		{ "may read tracefs", DKT_NEED_READ },
		{ "may control tracefs", DKT_NEED_CONTROL },
		{ "may mount tracefs", DKT_NEED_MOUNT },
	};
	struct dkt_ctx *ctx = doc->app->ctx;
	struct dkt__cap cap;

	for (size_t i = 0; i < ARRAY_SIZE(privileges); i++) {
		int err = dkt_caps_check(ctx, privileges[i].needs);

		if (err || privileges[i].needs != DKT_NEED_MOUNT || may_mount(ctx))
			add(doc, privileges[i].name, !err, err ? dkt_error(ctx) : "");
		else
			add(doc, privileges[i].name, false, "not needed: it is mounted");
	}
	for (size_t i = 0; !dkt__caps_get(ctx, i, &cap, sizeof(cap)); i++)
		add(doc, cap.name, cap.have, cap.use);
}

/* ---- confinement ---- */

/* The parts of the kernel that keep a command that reads data of others from doing more. */
static void check_confinement(struct doctor *doc)
{
	int version = dkt__cage_landlock();
	char words[80];

	snprintf(words, sizeof(words),
		 "version %d: commands that read data of others open no other files", version);
	add(doc, "landlock", version,
	    version ?
		    words :
		    "not in this kernel: commands that read data of others open all files of the user");
	add(doc, "seccomp", dkt__cage_has_filters(),
	    dkt__cage_has_filters() ?
		    "commands that read data of others run no programs and open no sockets" :
		    "not in this kernel: commands that read data of others can run programs");
}

/* ---- this program ---- */

/* The libraries that a build can leave out. */
static void check_build(struct doctor *doc)
{
	add(doc, "libraries", !*BUILT_WITHOUT,
	    *BUILT_WITHOUT ? "built with " BUILT_WITH "; without " BUILT_WITHOUT :
			     "built with " BUILT_WITH);
}

/* ---- kernel ---- */

static void check_kernel(struct doctor *doc)
{
	struct dkt_ctx *ctx = doc->app->ctx;
	struct dkt_feature feature;

	for (size_t i = 0; !dkt_feature_get(ctx, i, &feature, sizeof(feature)); i++)
		add(doc, feature.name, feature.have, feature.words);
}

static void check_classes(struct doctor *doc)
{
	struct dkt_ctx *ctx = doc->app->ctx;
	struct class_map *map = NULL;
	struct dkt_event *const *events;
	char *words __cleanup(free) = NULL;
	char none[MASK_TEXT_SIZE];
	uint32_t empty = 0;
	size_t n, mapped = 0;
	int err = dkl_class_map_open(ctx, NULL, &map);

	if (!err)
		err = dkt_events(ctx, &events, &n);
	if (err) {
		add(doc, "class map", false, dkt_error(ctx));
		dkl_class_map_free(map);
		return;
	}
	for (size_t i = 0; i < n; i++)
		mapped += dkl_class_map_event(map, events[i])->classes != 0;
	for (unsigned int bit = 0; bit < MASK_BITS; bit++)
		if (!dkl_class_map_count(map, MASK_DEBUG, bit))
			empty |= 1u << bit;
	dkl_mask_format(MASK_DEBUG, empty, none);
	words = dkt__format("%zu of %zu events are mapped to a class%s%s", mapped, n,
			    empty ? "; none for " : "", empty ? none : "");
	add(doc, "class map", true, words);
	dkl_class_map_free(map);
}

/* ---- Lustre ---- */

static void check_family(struct doctor *doc, const char *family)
{
	struct dkt_ctx *ctx = doc->app->ctx;
	int have = dkt__netlink_family(ctx, family);
	char name[40];

	snprintf(name, sizeof(name), "%s loaded", family);
	add(doc, name, have > 0,
	    have < 0 ? dkt_error(ctx) :
	    have     ? "generic netlink has its family" :
		       "no such generic netlink family: modules not loaded");
}

static void check_devices(struct doctor *doc)
{
	struct dkt_ctx *ctx = doc->app->ctx;
	struct devices devices = { 0 };
	char words[40];
	int err;

	if (dkt__netlink_family(ctx, "lustre") <= 0)
		return;
	err = dkl_devices_read(ctx, &devices);
	snprintf(words, sizeof(words), "%zu", err ? (size_t)0 : devices.n);
	add(doc, "lustre devices", !err, err ? dkt_error(ctx) : words);
	dkl_devices_clear(&devices);
}

/* ---- the log ---- */

static void add_source(struct doctor *doc, const struct source_state *source)
{
	char name[40];

	snprintf(name, sizeof(name), "source %s", source->name);
	add(doc, name, source->used, source->note);
}

/* Reports each difference between the settings and the kernel, like status. */
static void check_log(struct doctor *doc)
{
	struct source_state sources[SOURCES] = { 0 };
	char *drift __cleanup(free) = NULL;
	char *save = NULL;
	struct debuglog *log;

	if (dkl_debuglog_open(doc->app->ctx, doc->app->instance, 0, &log))
		return;
	if (!dkl_debuglog_sources(log, sources))
		for (int i = 0; i < SOURCES; i++)
			add_source(doc, &sources[i]);
	if (!dkl_debuglog_drift(log, &drift))
		for (char *line = drift ? strtok_r(drift, "\n", &save) : NULL; line;
		     line = strtok_r(NULL, "\n", &save))
			add(doc, "as it is set", false, line);
	dkl_sources_clear(sources);
	dkl_debuglog_close(log);
}

int cmd_doctor(struct app *app, int argc, char **argv)
{
	static const struct column columns[] = { { .key = "what" },
						 { .key = "ok", .type = COL_BOOL },
						 { .key = "note", .flags = COL_FOLD } };
	struct doctor doc = { .app = app };
	int found;

	(void)argc, (void)argv;
	doc.rows = rows_new("checks", columns, ARRAY_SIZE(columns));
	found = dkt_tracefs_open(app->ctx, 0);
	add(&doc, "tracefs", !found, found ? dkt_error(app->ctx) : dkt_tracefs_dir(app->ctx));
	check_privileges(&doc);
	check_confinement(&doc);
	check_build(&doc);
	if (!found) {
		check_kernel(&doc);
		check_classes(&doc);
		check_log(&doc);
	}
	check_family(&doc, "lustre");
	check_family(&doc, "lnet");
	check_devices(&doc);
	return print_rows(app, 0, doc.rows, NULL) ? app_usage("out of memory") : 0;
}
