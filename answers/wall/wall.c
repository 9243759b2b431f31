/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A profile of wall-clock time: where threads run, where they wait, and who ends their waits. */
#include "answers/wall/wall.h"

#include "answers/profile/hit.h"
#include "answers/wall/walls.h"

int wall_new(const struct wall_opts *opts, struct wall **out)
{
	struct wall *wall = calloc(1, sizeof(*wall));
	int err;

	*out = wall;
	if (!wall)
		return -ENOMEM;
	wall->opts = *opts;
	wall->event_map.n_words = wall->cpu_map.n_words = wall->thread_map.n_words = 1;
	wall->link_map.n_words = wall->row_map.n_words = wall->share_map.n_words = 2;
	wall->group_map.n_words = wall->stack_map.n_words = 1;
	err = profile_init(&wall->profile, &(struct profile_opts){ .by = PROFILE_BY_EVENT,
								   .weigh = PROFILE_BY_CALLER,
								   .counted = wall_counted,
								   .data = wall });
	return err ?: profile_tree_init(&wall->tree, PROFILE_NODES_MAX);
}

/* Frees what is only needed while the records of a side are read. */
static void end_reading(struct wall *wall)
{
	wall_states_clear(&wall->states);
	dkt__keymap_empty(&wall->event_map);
	dkt__keymap_empty(&wall->cpu_map);
	dkt__keymap_empty(&wall->thread_map);
	dkt__keymap_empty(&wall->row_map);
	free(wall->events);
	free(wall->cpus);
	free(wall->numbers);
	free(wall->threads);
	free(wall->rows);
	wall->events = NULL;
	wall->cpus = NULL;
	wall->numbers = NULL;
	wall->threads = NULL;
	wall->rows = NULL;
	wall->n_events = wall->n_cpus = wall->n_numbers = wall->n_threads = wall->n_rows = 0;
	wall->breaks = wall->gaps = 0;
	wall->sampled = 0;
	wall->turns = false;
}

void wall_free(struct wall *wall)
{
	if (!wall)
		return;
	end_reading(wall);
	dkt__keymap_clear(&wall->event_map);
	dkt__keymap_clear(&wall->cpu_map);
	dkt__keymap_clear(&wall->thread_map);
	dkt__keymap_clear(&wall->row_map);
	dkt__keymap_clear(&wall->link_map);
	dkt__keymap_clear(&wall->group_map);
	dkt__keymap_clear(&wall->stack_map);
	dkt__keymap_clear(&wall->share_map);
	free(wall->links);
	for (uint32_t i = 0; i < wall->n_groups; i++)
		free(wall->groups[i].name);
	free(wall->groups);
	free(wall->stacks);
	free(wall->shares);
	profile_tree_clear(&wall->raw);
	profile_tree_clear(&wall->tree);
	profile_clear(&wall->profile);
	free(wall);
}

struct profile *wall_profile(struct wall *wall)
{
	return &wall->profile;
}

void wall_begin(struct wall *wall, enum profile_side side, const struct wall_window *window,
		const struct wall_within *within)
{
	wall->side = wall->profile.side = side;
	wall->window = *window;
	wall->within = within;
}

/* ---- records ---- */

static bool find_fields(struct dkt_event *event, struct wall_event *fields)
{
	fields->prev_comm = dkt_event_field(event, "prev_comm");
	fields->prev_pid = dkt_event_field(event, "prev_pid");
	fields->prev_state = dkt_event_field(event, "prev_state");
	fields->next_comm = dkt_event_field(event, "next_comm");
	fields->next_pid = dkt_event_field(event, "next_pid");
	return fields->prev_pid && fields->prev_state && fields->next_pid;
}

static struct wall_event of_sched(struct dkt_event *event)
{
	const char *name = dkt_event_name(event);
	struct wall_event fields = { 0 };

	if (!strcmp(name, "sched_switch") && find_fields(event, &fields)) {
		fields.kind = WALL_SWITCH;
	} else if (!strcmp(name, "sched_waking") || !strcmp(name, "sched_wakeup")) {
		fields.pid = dkt_event_field(event, "pid");
		fields.kind = fields.pid ? WALL_WAKEUP : WALL_IGNORED;
	}
	return fields;
}

/* The samples of the first counter, if there are several, tell where threads run. */
static struct wall_event of_perf(struct wall *wall, struct dkt_event *event)
{
	struct wall_event fields = { 0 };

	if (!strcmp(dkt_event_name(event), "switch")) {
		fields.out = dkt_event_field(event, "out");
		fields.preempt = dkt_event_field(event, "preempt");
		fields.kind = fields.out && fields.preempt ? WALL_TURN : WALL_IGNORED;
	} else if (!wall->sampled) {
		wall->sampled = wall->n_events + 1;
		fields.kind = WALL_SAMPLE;
	}
	return fields;
}

static struct wall_event kind_of(struct wall *wall, struct dkt_ctx *ctx, struct dkt_event *event)
{
	const char *system = dkt_event_system(event), *name = dkt_event_name(event);

	/* A file that has turns begins with a switch. */
	wall->turns |= dkt_event_find(ctx, "perf", "switch") != NULL;
	if (!strcmp(system, "sched"))
		return of_sched(event);
	if (profile_is_of_perf(event))
		return of_perf(wall, event);
	return (struct wall_event){ .kind = !strcmp(system, "ftrace") &&
							    (!strcmp(name, "kernel_stack") ||
							     !strcmp(name, "user_stack")) ?
						    WALL_STACK :
						    WALL_IGNORED };
}

static const struct wall_event *find_event(struct wall *wall, struct dkt_ctx *ctx,
					   struct dkt_event *event)
{
	const uint64_t key = (uintptr_t)event;
	bool added;
	const uint32_t entry = dkt__keymap_add(&wall->event_map, &key, &added);

	if (entry == DKT__KEYMAP_NONE ||
	    (added && dkt__append(wall->events, wall->n_events, kind_of(wall, ctx, event))))
		return NULL;
	return &wall->events[entry];
}

int wall_add(struct wall *wall, struct dkt_ctx *ctx, uint32_t part, struct dkt_source *source,
	     const struct dkt_record *record)
{
	struct wall_facts *facts = &wall->facts[wall->side];
	const struct wall_event *event = NULL;
	const char *comm;
	int err;

	facts->first = facts->first ? DKT__MIN(facts->first, record->ts) : record->ts;
	facts->last = DKT__MAX(facts->last, record->ts);
	if (record->event) {
		event = find_event(wall, ctx, record->event);
		if (!event)
			return -ENOMEM;
	}
	if (event && event->kind == WALL_STACK)
		return profile_add(&wall->profile, ctx, part, source, record) ?: wall->err;
	err = profile_settle(&wall->profile, part, record->cpu);
	if (!err && !event)
		return wall_gap(wall, part, record);
	comm = dkt_source_comm(source, record);
	if (!err)
		err = wall_take(wall, part, event, record, comm);
	if (!err && event->kind != WALL_IGNORED && event->kind != WALL_TURN)
		err = profile_add(&wall->profile, ctx, part, source, record);
	return err ?: wall->err;
}

/* ---- the end ---- */

int wall_end(struct wall *wall)
{
	int err = profile_end(&wall->profile);

	if (!err)
		err = wall->err ?: wall_close(wall);
	if (!err)
		err = wall_build(wall);
	end_reading(wall);
	return err;
}

/* Sleep comes last, unless all of it is asked for. */
static uint64_t weight_of(const struct wall_group *group, bool idle)
{
	return group->all - (idle ? 0 : group->ns[WALL_SLEEPING]);
}

static int by_weight(const void *a, const void *b, void *data)
{
	const struct wall *wall = data;
	const struct wall_group *p = a, *q = b;
	const uint64_t x = weight_of(p, wall->opts.idle), y = weight_of(q, wall->opts.idle);

	return x != y ? (x > y ? -1 : 1) : strcmp(p->name, q->name);
}

static int by_time(const void *a, const void *b, void *data)
{
	const struct wall *wall = data;
	const struct wall_stack *p = a, *q = b;
	const int later = (p->state == WALL_SLEEPING) - (q->state == WALL_SLEEPING);

	if (later && !wall->opts.idle)
		return later;
	return p->ns != q->ns ? (p->ns > q->ns ? -1 : 1) :
				(p->node > q->node) - (p->node < q->node);
}

void wall_finish(struct wall *wall)
{
	struct profile *profile = &wall->profile;

	wall->raw = profile->tree;
	profile->tree = wall->tree;
	wall->tree = (struct profile_tree){ 0 };
	profile_tree_sum(&profile->tree);
	profile->weighs = profile->is_time = true;
	profile->opts.by = wall->opts.by;
	for (int side = 0; side < PROFILE_SIDES; side++) {
		struct profile_facts *facts = &profile->facts[side];

		facts->all = profile->tree.nodes[0].total[side];
		facts->first = wall->facts[side].first;
		facts->last = wall->facts[side].last;
		facts->cut = wall->facts[side].cut;
	}
	if (wall->n_groups)
		qsort_r(wall->groups, wall->n_groups, sizeof(*wall->groups), by_weight, wall);
	if (wall->n_stacks)
		qsort_r(wall->stacks, wall->n_stacks, sizeof(*wall->stacks), by_time, wall);
}

const struct wall_facts *wall_facts(const struct wall *wall, enum profile_side side)
{
	return &wall->facts[side];
}

const struct wall_group *wall_groups(const struct wall *wall, size_t *n)
{
	*n = wall->n_groups;
	return wall->groups;
}

const struct wall_stack *wall_stacks(const struct wall *wall, size_t *n)
{
	*n = wall->n_stacks;
	return wall->stacks;
}

const struct profile_tree *wall_raw(const struct wall *wall)
{
	return &wall->raw;
}
