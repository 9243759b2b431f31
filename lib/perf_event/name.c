/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds events of perf_event_open(2) by the names that perf(1) gives them. */
#include "lib/base/parse.h"
#include "lib/event.h"
#include "lib/perf_event.h"

/* Headers of kernels before 5.13 lack it. */
#define CGROUP_SWITCHES 11

#define SOFTWARE(event) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event
#define HARDWARE(event) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event

static const struct fixed {
	const char *name, *other; /* other NULL: one name */
	uint32_t type;
	uint64_t config;
} fixed[] = {
	/* clang-format off */
	{ "cpu-clock",               NULL,                  SOFTWARE(CPU_CLOCK) },
	{ "task-clock",              NULL,                  SOFTWARE(TASK_CLOCK) },
	{ "page-faults",             "faults",              SOFTWARE(PAGE_FAULTS) },
	{ "context-switches",        "cs",                  SOFTWARE(CONTEXT_SWITCHES) },
	{ "cpu-migrations",          "migrations",          SOFTWARE(CPU_MIGRATIONS) },
	{ "minor-faults",            NULL,                  SOFTWARE(PAGE_FAULTS_MIN) },
	{ "major-faults",            NULL,                  SOFTWARE(PAGE_FAULTS_MAJ) },
	{ "alignment-faults",        NULL,                  SOFTWARE(ALIGNMENT_FAULTS) },
	{ "emulation-faults",        NULL,                  SOFTWARE(EMULATION_FAULTS) },
	{ "dummy",                   NULL,                  SOFTWARE(DUMMY) },
	{ "cgroup-switches",         NULL,                  PERF_TYPE_SOFTWARE, CGROUP_SWITCHES },
	{ "cycles",                  "cpu-cycles",          HARDWARE(CPU_CYCLES) },
	{ "instructions",            NULL,                  HARDWARE(INSTRUCTIONS) },
	{ "cache-references",        NULL,                  HARDWARE(CACHE_REFERENCES) },
	{ "cache-misses",            NULL,                  HARDWARE(CACHE_MISSES) },
	{ "branches",                "branch-instructions", HARDWARE(BRANCH_INSTRUCTIONS) },
	{ "branch-misses",           NULL,                  HARDWARE(BRANCH_MISSES) },
	{ "bus-cycles",              NULL,                  HARDWARE(BUS_CYCLES) },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND) },
	{ "stalled-cycles-backend",  "idle-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND) },
	{ "ref-cycles",              NULL,                  HARDWARE(REF_CPU_CYCLES) },
	/* clang-format on */
};

void dkt__perf_event_names(void (*fn)(void *data, const char *name), void *data)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++) {
		fn(data, fixed[i].name);
		if (fixed[i].other)
			fn(data, fixed[i].other);
	}
	dkt__perf_cache_names(fn, data);
}

/* ---- modifiers ---- */

bool dkt__perf_modifiers(const char *letters, struct perf_event_attr *attr)
{
	const bool privilege = strpbrk(letters, "ukh"), host = strpbrk(letters, "GH");

	if (!*letters || letters[strspn(letters, "ukhGHp")])
		return false;
	/* The letters of a kind name what is counted; all others of it are not. */
	if (privilege) {
		attr->exclude_user = !strchr(letters, 'u');
		attr->exclude_kernel = !strchr(letters, 'k');
		attr->exclude_hv = !strchr(letters, 'h');
	}
	if (host) {
		attr->exclude_guest = !strchr(letters, 'G');
		attr->exclude_host = !strchr(letters, 'H');
	}
	for (const char *p = letters; *p; p++)
		if (*p == 'p' && attr->precise_ip < 3)
			attr->precise_ip++;
	return true;
}

/* Cuts modifiers off at the last colon, if that is what follows it. */
static void cut_modifiers(char *name, struct perf_event_attr *attr)
{
	char *colon = strrchr(name, ':');

	if (colon && dkt__perf_modifiers(colon + 1, attr))
		*colon = '\0';
}

/* ---- names ---- */

static bool find_fixed(const char *name, struct perf_event_attr *attr)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++) {
		if (strcmp(name, fixed[i].name) != 0 &&
		    (!fixed[i].other || strcmp(name, fixed[i].other) != 0))
			continue;
		attr->type = fixed[i].type;
		attr->config = fixed[i].config;
		return true;
	}
	return false;
}

/* "r1a8": a number of the processor's manual. */
static bool find_raw(const char *name, struct perf_event_attr *attr)
{
	const char *p = name + 1;
	uint64_t config;

	if (*name != 'r' || p[strspn(p, "0123456789abcdefABCDEF")] ||
	    dkt__parse_u64(p, DKT__HEX, &config))
		return false;
	attr->type = PERF_TYPE_RAW;
	attr->config = config;
	return true;
}

static bool find_cache(const char *name, struct perf_event_attr *attr)
{
	uint64_t config;

	if (dkt__perf_cache(name, &config))
		return false;
	attr->type = PERF_TYPE_HW_CACHE;
	attr->config = config;
	return true;
}

static void start(struct dkt__perf_event *event)
{
	*event = (struct dkt__perf_event){ .attr.size = sizeof(event->attr), .scale = 1 };
}

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

int dkt__perf_event_fixed(struct dkt_ctx *ctx, const char *name, struct dkt__perf_event *event)
{
	char *copy __cleanup(free) = strdup(name);

	start(event);
	if (!copy)
		return dkt__no_memory(ctx);
	if (strchr(name, '/'))
		return dkt__pmu_find(ctx, DKT__PMU_DIR, name, event);
	cut_modifiers(copy, &event->attr);
	if (!find_fixed(copy, &event->attr) && !find_raw(copy, &event->attr) &&
	    !find_cache(copy, &event->attr))
		return -ENOENT;
	if (is_clock(&event->attr))
		snprintf(event->unit, sizeof(event->unit), "ns");
	return 0;
}

static void try_name(void *data, const char *name)
{
	dkt__guess_try(data, name);
}

static int unknown(struct dkt_ctx *ctx, const char *name)
{
	struct dkt_event *const *all;
	struct dkt__guess guess;
	size_t n;
	int err = dkt_events(ctx, &all, &n);

	dkt__guess_start(&guess, name, strlen(name));
	dkt__perf_event_names(try_name, &guess);
	if (err) {
		char *words __cleanup(free) = dkt__error_take(ctx);

		return dkt_fail(ctx, err,
				"'%s' is neither a hardware nor a software event%s; "
				"tracepoints are not known here: %s",
				name, dkt__guess_words(&guess), words ? words : strerror(-err));
	}
	dkt__guess_events(&guess, ctx);
	return dkt_fail(ctx, -ENOENT, "there is no event '%s'%s", name, dkt__guess_words(&guess));
}

/* "system:name" is cut at its colon, which is not that of modifiers. */
static int find_tracepoint(struct dkt_ctx *ctx, char *name, struct dkt_event **found)
{
	struct dkt_event *const *all;
	char *colon = strchr(name, ':');
	size_t n;
	int err;

	*found = NULL;
	if (!colon) {
		*found = dkt__event_anywhere(ctx, name, &n);
		if (n > 1)
			return dkt_fail(ctx, -ENOTUNIQ,
					"'%s' is an event of several systems; write SYSTEM:%s",
					name, name);
		return *found ? 0 : unknown(ctx, name);
	}
	*colon = '\0';
	err = dkt_events(ctx, &all, &n);
	if (err)
		return dkt__fail_in(ctx, err, "tracepoint %s:%s", name, colon + 1);
	*found = dkt_event_find(ctx, name, colon + 1);
	return *found ? 0 : dkt__no_event(ctx, name, colon + 1);
}

int dkt__perf_event_find(struct dkt_ctx *ctx, const char *name, struct dkt__perf_event *event)
{
	char *copy __cleanup(free) = strdup(name);
	int id, err = dkt__perf_event_fixed(ctx, name, event);
	struct dkt_event *found;

	if (err != -ENOENT || strchr(name, '/'))
		return err;
	if (!copy)
		return dkt__no_memory(ctx);
	start(event);
	cut_modifiers(copy, &event->attr);
	err = find_tracepoint(ctx, copy, &found);
	if (err)
		return err;
	id = dkt_event_id(found);
	if (id < 0)
		return id;
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.config = (uint64_t)id;
	return 0;
}

int dkt__perf_event_named(struct dkt_ctx *ctx, const char *name, struct perf_event_attr *attr)
{
	struct dkt__perf_event event;
	int err = dkt__perf_event_find(ctx, name, &event);

	*attr = event.attr;
	return err;
}
