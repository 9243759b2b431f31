/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes names of events, and the files in sysfs that describe a PMU. Input: four lines, the name, the format of the
 * field "f", the event "e" and its scale.
 */
#include <string.h>

#include "lib/perf_event.h"
#include "recording/stat/events.h"
#include "tests/fuzz/replay.h"
#include "tests/helper/tree.h"

/* Takes the next line, without its newline, and moves *text past it. */
static char *take_line(char **text)
{
	char *line = strsep(text, "\n");

	return line ? line : (char *)"";
}

static void check_event(const struct dkt__perf_event *event)
{
	must(event->scale > 0);
	must(strlen(event->unit) < sizeof(event->unit));
	must(strlen(event->cpus) < sizeof(event->cpus));
}

static void check_pmu(struct dkt_ctx *ctx, const char *dir, const char *name)
{
	struct dkt__perf_event event = { .scale = 1 };

	if (dkt__pmu_find(ctx, dir, name, &event))
		must(*dkt_error(ctx));
	else
		must(event.attr.type == 7);
	check_event(&event);
}

/* A name that is found has a type, and is found again by the same name. */
static void check_name(struct dkt_ctx *ctx, const char *name)
{
	struct perf_event_attr attr, again;

	if (dkt__perf_event_named(ctx, name, &attr)) {
		must(*dkt_error(ctx));
		return;
	}
	must(!dkt__perf_event_named(ctx, name, &again));
	must(!memcmp(&attr, &again, sizeof(attr)));
}

/* All rows but those of classes without events have events. */
static void check_rows(struct dkt_ctx *ctx, const char *text)
{
	const struct stat_wish wish = { .events = text };
	struct stat_events events = { 0 };

	if (stat_events_find(ctx, &wish, &events))
		must(*dkt_error(ctx));
	for (size_t i = 0; i < events.n_rows; i++) {
		must(events.rows[i].is_class || events.rows[i].n <= 1);
		for (size_t k = 0; k < events.rows[i].n; k++)
			must(events.rows[i].events[k] < events.n);
	}
	stat_events_clear(&events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = strndup((const char *)data, size), *text = copy;
	char dir[TREE_NAME];
	struct dkt_ctx *ctx;
	char *name;

	must(copy && !tree_make(dir));
	name = take_line(&text);
	must(!tree_text(dir, "p/type", "7\n"));
	must(!tree_text(dir, "p/format/f", take_line(&text)));
	must(!tree_text(dir, "p/events/e", take_line(&text)));
	must(!tree_text(dir, "p/events/e.scale", take_line(&text)));
	must(!tree_text(dir, "available_events", "block:issue\nblock:plug\nsched:switch\n"));
	must(!tree_event(dir, "block", "issue", 1, "", "\"\""));
	must(!tree_event(dir, "block", "plug", 2, "", "\"\""));
	must(!tree_event(dir, "sched", "switch", 3, "", "\"\""));
	ctx = tree_ctx(dir);
	must(ctx);
	check_pmu(ctx, dir, name);
	check_name(ctx, name);
	check_rows(ctx, name);
	dkt_ctx_free(ctx);
	tree_remove(dir);
	free(copy);
	return 0;
}
