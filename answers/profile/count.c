/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts samples in the tree of a profile. */
#include <inttypes.h>

#include "answers/profile/hit.h"
#include "lib/base/buf.h"

/* The functions of one stack; the kernel records fewer. */
#define DEPTH_MAX 1024u

/* CPU numbers above this are damage. */
#define CPUS_MAX 65536u

/* Stacks that are remembered, by the lower bits of their hash, and the longest one of them. */
#define CACHE_BITS   13
#define CACHE_LENGTH 2048u

/* Steps down the tree that are remembered, by the lower bits of their hash. */
#define STEP_BITS 16

/* A way from a node to another one. */
struct profile_step {
	const struct dkt_event *event; /* of the stack; NULL: nothing is here */
	uint64_t number; /* of the callers, or an address */
	uint32_t from, to; /* nodes; to 0: it is not known yet */
};

/* A stack that was found before. */
struct profile_cached {
	const struct dkt_event *event;
	uint32_t from, to; /* nodes; to 0: nothing is here */
	uint32_t part;
	uint32_t size, room;
	uint8_t *bytes;
};

void profile_cache_clear(struct profile *profile)
{
	for (size_t i = 0; profile->cache && i < 1u << CACHE_BITS; i++)
		free(profile->cache[i].bytes);
	free(profile->cache);
	profile->cache = NULL;
	free(profile->callers);
	free(profile->places);
	profile->callers = profile->places = NULL;
}

/* ---- events ---- */

/* A stack whose event is missing is counted among those of tracepoints. */
static char *name_of(const struct dkt_event *event)
{
	if (!event)
		return strdup("[missing]");
	if (profile_is_of_perf(event))
		return strdup(dkt_event_name(event));
	return dkt__format("%s:%s", dkt_event_system(event), dkt_event_name(event));
}

/*
 * The periods of different counters do not add up, so that of all samples of perf only those of the first event are
 * shown; those of tracepoints are counted, and so are shown together.
 */
static bool is_shown(const struct profile *profile, const struct dkt_event *event, const char *name)
{
	const bool is_perf = event && profile_is_of_perf(event);
	const struct profile_event *first = profile->n_events ? profile->events[0] : NULL;

	if (!first || profile->opts.by & PROFILE_BY_EVENT)
		return true;
	return is_perf || first->is_perf ? !strcmp(first->name, name) : true;
}

/* True for the event's name, also with modifiers: "cpu_clock_u". */
static bool is_clock(const char *name, const char *clock)
{
	const size_t len = strlen(clock);

	if (strncmp(name, clock, len) != 0)
		return false;
	name += len;
	return !*name || (*name == '_' && !name[1 + strspn(name + 1, "ukhI")]);
}

static struct profile_event *counts_of(struct profile *profile, const struct dkt_event *event)
{
	char *name __cleanup(free) = name_of(event);
	struct profile_event *counts __cleanup(free) = calloc(1, sizeof(*counts)), *found;

	if (!name || !counts)
		return NULL;
	for (uint32_t i = 0; i < profile->n_events; i++)
		if (!strcmp(profile->events[i]->name, name))
			return profile->events[i];
	counts->shown = is_shown(profile, event, name);
	counts->is_perf = event && profile_is_of_perf(event);
	counts->is_time = is_clock(name, "cpu_clock") || is_clock(name, "task_clock");
	counts->name = name;
	if (dkt__append(profile->events, profile->n_events, counts))
		return NULL;
	found = counts;
	name = NULL;
	counts = NULL;
	return found;
}

/* ---- stacks ---- */

static uint64_t hash_of(const struct profile_stack *stack, uint32_t from)
{
	const uint8_t *p = stack->data;
	uint64_t h = (uint64_t)from << 32 | stack->size, word;
	uint32_t i = 0;

	for (; stack->size - i >= sizeof(word); i += (uint32_t)sizeof(word)) {
		memcpy(&word, p + i, sizeof(word));
		h = dkt__mix(h, word);
	}
	for (; i < stack->size; i++)
		h = dkt__mix(h, p[i]);
	return h;
}

/* The place of a stack in the cache; its key is set. NULL: it has none. */
static struct profile_cached *cached_at(struct profile *profile, const struct profile_hit *hit,
					const struct profile_stack *stack, uint32_t from)
{
	struct profile_cached *cached;

	if (!profile->cache)
		profile->cache = calloc(1u << CACHE_BITS, sizeof(*profile->cache));
	if (!profile->cache || stack->size > CACHE_LENGTH)
		return NULL;
	cached = &profile->cache[hash_of(stack, from) & ((1u << CACHE_BITS) - 1)];
	if (cached->to && cached->from == from && cached->size == stack->size &&
	    cached->event == stack->event && cached->part == hit->part &&
	    !memcmp(cached->bytes, stack->data, stack->size))
		return cached;
	cached->to = 0;
	if (cached->room < stack->size) {
		uint8_t *bytes = realloc(cached->bytes, stack->size);

		if (!bytes)
			return NULL;
		cached->bytes = bytes;
		cached->room = stack->size;
	}
	memcpy(cached->bytes, stack->data, stack->size);
	cached->from = from;
	cached->size = stack->size;
	cached->event = stack->event;
	cached->part = hit->part;
	return cached;
}

static uint64_t address_at(const struct profile_stack *stack, uint32_t i)
{
	const uint8_t *p = stack->data + (size_t)i * stack->width;
	uint64_t wide;
	uint32_t half;

	if (stack->width == sizeof(wide)) {
		memcpy(&wide, p, sizeof(wide));
		/* Older kernels end a stack so, with garbage after it. */
		return wide == UINT64_MAX ? 0 : wide;
	}
	memcpy(&half, p, sizeof(half));
	return half == UINT32_MAX ? 0 : half;
}

/* Goes from node *at down the functions of a stack, the outermost first. Returns 1 if it is cut. */
static int descend(struct profile *profile, const struct profile_hit *hit,
		   const struct profile_stack *stack, uint32_t *at)
{
	const uint32_t all = stack->size / stack->width;
	/* The tracer's own stacks begin with it. */
	bool tracer = !stack->is_user && !hit->carried;
	uint32_t names[DEPTH_MAX], n, from = 0, end = 0;
	int err = 0;

	/* Finds the functions from the innermost on, and keeps the last ones. */
	for (; end < all && address_at(stack, end); end++) {
		const uint32_t name = profile_frames_find(&profile->frames, hit->ctx, hit->part,
							  address_at(stack, end), stack->is_user);

		if (name == UINT32_MAX)
			return -ENOMEM;
		tracer = tracer && profile->names.list[name].tracer;
		from = tracer ? end + 1 : from;
		names[end % DEPTH_MAX] = name;
	}
	/* A stack of nothing else stays. */
	from = from == end ? 0 : from;
	from = end - from > DEPTH_MAX ? end - DEPTH_MAX : from;
	for (n = end; !err && n-- > from;)
		err = profile_tree_down(&profile->tree, at, names[n % DEPTH_MAX]);
	return err ?: end > DEPTH_MAX;
}

/* Finds where the callers with a number, or the function at an address, lead to from a node. */
static struct profile_step *step_at(struct profile_step **steps, uint64_t number,
				    const struct profile_stack *stack, uint32_t from)
{
	struct profile_step *step;

	if (!*steps)
		*steps = calloc(1u << STEP_BITS, sizeof(**steps));
	if (!*steps)
		return NULL;
	step = &(*steps)[dkt__mix(number, from) & ((1u << STEP_BITS) - 1)];
	if (step->event == stack->event && step->number == number && step->from == from)
		return step;
	*step = (struct profile_step){ stack->event, number, from, 0 };
	return step;
}

/* Goes down a part of a stack that may have been there before. */
static int follow_step(struct profile *profile, const struct profile_hit *hit,
		       const struct profile_stack *stack, struct profile_step *step, uint32_t *at)
{
	int err;

	if (!step)
		return -ENOMEM;
	/* No stack leads to the root. */
	if (step->to) {
		*at = step->to;
		return 0;
	}
	err = descend(profile, hit, stack, at);
	if (!err)
		step->to = *at;
	return err;
}

/* The same as descend(), for callers with a number. */
static int follow_numbered(struct profile *profile, const struct profile_hit *hit,
			   const struct profile_stack *stack, uint32_t *at)
{
	const uint32_t own = stack->own * stack->width;
	struct profile_stack callers = *stack, first = *stack;
	int err = 0;

	callers.data += own;
	callers.size -= own;
	first.size = own;
	if (callers.size)
		err = follow_step(profile, hit, &callers,
				  step_at(&profile->callers, stack->number, stack, *at), at);
	if (err || !own)
		return err;
	if (stack->own > 1)
		return descend(profile, hit, &first, at);
	return follow_step(profile, hit, &first,
			   step_at(&profile->places, address_at(stack, 0), stack, *at), at);
}

/* The same, but looks first whether this stack was there before. */
static int follow(struct profile *profile, const struct profile_hit *hit,
		  const struct profile_stack *stack, uint32_t *at)
{
	struct profile_cached *cached;
	int err;

	if (!stack->any)
		return 0;
	/* A stack that is cut must be seen whole. */
	if (stack->number && hit->carried && stack->size / stack->width <= DEPTH_MAX)
		return follow_numbered(profile, hit, stack, at);
	cached = cached_at(profile, hit, stack, *at);
	if (cached && cached->to) {
		*at = cached->to;
		return 0;
	}
	err = descend(profile, hit, stack, at);
	if (!err && cached)
		cached->to = *at;
	return err;
}

/* ---- samples ---- */

static int go_down(struct profile *profile, enum profile_by by, const char *text, uint32_t *at)
{
	uint32_t name;

	if (!(profile->opts.by & by))
		return 0;
	name = profile_names_add(&profile->names, PROFILE_GROUP, text, strlen(text), "");
	return name == UINT32_MAX ? -ENOMEM : profile_tree_down(&profile->tree, at, name);
}

/* Finds the node of what the stacks are grouped by. */
static int find_group(struct profile *profile, const struct profile_hit *hit,
		      const struct profile_event *counts, uint32_t *at)
{
	char pid[32] = "", tid[32] = "", cpu[32] = "";
	int err = hit->group ? profile_tree_down(&profile->tree, at, hit->group - 1) : 0;

	if (!err)
		err = go_down(profile, PROFILE_BY_EVENT, counts->name, at);
	if (!err && profile->opts.by & PROFILE_BY_COMM)
		err = profile_tree_down(&profile->tree, at, hit->comm);
	if (profile->opts.by & PROFILE_BY_PID)
		snprintf(pid, sizeof(pid), "pid %" PRId32, hit->pid);
	if (!err)
		err = go_down(profile, PROFILE_BY_PID, pid, at);
	if (profile->opts.by & PROFILE_BY_TID)
		snprintf(tid, sizeof(tid), "tid %" PRId32, hit->tid);
	if (!err)
		err = go_down(profile, PROFILE_BY_TID, tid, at);
	if (profile->opts.by & PROFILE_BY_CPU)
		snprintf(cpu, sizeof(cpu), "cpu %" PRIu32, hit->cpu);
	return err ?: go_down(profile, PROFILE_BY_CPU, cpu, at);
}

static int add_facts(struct profile *profile, const struct profile_hit *hit,
		     const struct profile_value *value)
{
	struct profile_facts *facts = &profile->facts[profile->side];
	bool *cpu;

	facts->first = facts->all.samples ? DKT__MIN(facts->first, hit->ts) : hit->ts;
	facts->last = DKT__MAX(facts->last, hit->ts);
	profile_value_add(&facts->all, value);
	if (hit->cpu >= CPUS_MAX)
		return 0;
	cpu = dkt__reach(profile->cpus, profile->n_cpus, hit->cpu);
	if (!cpu)
		return -ENOMEM;
	facts->cpus += !*cpu;
	*cpu = true;
	return profile->side == PROFILE_NOW ? profile_heat_add(&profile->heat, hit->ts) : 0;
}

/* Sets what a sample weighs, and what that is. */
static void weigh(struct profile *profile, const struct profile_hit *hit,
		  const struct profile_event *counts, struct profile_value *value)
{
	const struct profile_known *known = hit->known ? &profile->known[hit->known - 1] : NULL;

	value->samples = 1;
	value->weight = profile->opts.weigh != PROFILE_BY_CALLER;
	if (profile->opts.weigh != PROFILE_BY_PERIOD || !known || !known->period)
		return;
	value->weight = hit->period;
	profile->is_time = counts->is_time && (profile->is_time || !profile->weighs);
	profile->weighs = true;
}

static void tell(const struct profile *profile, const struct profile_hit *hit, uint32_t node)
{
	const struct profile_counted counted = {
		.event = hit->known ? profile->known[hit->known - 1].event : NULL,
		.part = hit->part,
		.cpu = hit->cpu,
		.tid = hit->tid,
		.ts = hit->ts,
		.node = node
	};

	if (profile->opts.counted)
		profile->opts.counted(profile->opts.data, &counted);
}

int profile_count(struct profile *profile, const struct profile_hit *hit)
{
	struct profile_known *known = hit->known ? &profile->known[hit->known - 1] : NULL;
	struct profile_event *counts = known ? known->counts : NULL;
	struct profile_value value;
	uint32_t at = 0;
	int err;

	if (!counts)
		counts = counts_of(profile, known ? known->event : NULL);
	if (!counts)
		return -ENOMEM;
	if (known)
		known->counts = counts;
	counts->samples[profile->side]++;
	if (!counts->shown)
		return 0;
	weigh(profile, hit, counts, &value);
	err = find_group(profile, hit, counts, &at);
	if (!err)
		err = follow(profile, hit, &hit->user, &at);
	if (!err)
		err = follow(profile, hit, &hit->kernel, &at);
	if (!err && hit->place)
		err = profile_tree_down(&profile->tree, &at, hit->place - 1);
	if (err < 0)
		return err;
	profile->facts[profile->side].cut += err == 1;
	profile_value_add(&profile->tree.nodes[at].self[profile->side], &value);
	tell(profile, hit, at);
	return add_facts(profile, hit, &value);
}
