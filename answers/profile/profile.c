/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A profile: finds the stacks that belong to each record. */
#include "answers/profile/hit.h"
#include "lib/inside.h"

/* The last event of a CPU, whose stacks may follow. */
struct profile_pending {
	struct profile_hit hit;
	bool open; /* there is one */
	uint8_t *bytes[2]; /* copies of the user's stack and the kernel's */
	uint32_t room[2];
};

int profile_init(struct profile *profile, const struct profile_opts *opts)
{
	*profile =
		(struct profile){ .opts = *opts, .known_map.n_words = 1, .pending_map.n_words = 1 };
	profile_names_init(&profile->names);
	profile_frames_init(&profile->frames, &profile->names);
	profile_heat_init(&profile->heat);
	return profile_tree_init(&profile->tree, PROFILE_NODES_MAX);
}

/* Frees what is only needed while records are added. */
static void end_reading(struct profile *profile)
{
	profile_cache_clear(profile);
	for (uint32_t i = 0; i < profile->n_pending; i++)
		for (size_t j = 0; j < ARRAY_SIZE(profile->pending->bytes); j++)
			free(profile->pending[i].bytes[j]);
	free(profile->pending);
	profile->pending = NULL;
	profile->n_pending = 0;
	dkt__keymap_clear(&profile->pending_map);
	dkt__keymap_clear(&profile->known_map);
	free(profile->known);
	profile->known = NULL;
	profile->n_known = 0;
	free(profile->cpus);
	profile->cpus = NULL;
	profile->n_cpus = 0;
}

void profile_clear(struct profile *profile)
{
	end_reading(profile);
	for (uint32_t i = 0; i < profile->n_events; i++) {
		free((char *)profile->events[i]->name);
		free(profile->events[i]);
	}
	free(profile->events);
	profile_tree_clear(&profile->tree);
	profile_heat_clear(&profile->heat);
	profile_frames_clear(&profile->frames);
	profile_names_clear(&profile->names);
}

/* The function or file of a sample that nothing is known about. */
#define UNKNOWN "[unknown]"

/* ---- events ---- */

static struct profile_known known_of(struct dkt_event *event)
{
	struct profile_known known = { .event = event };
	const char *name = dkt_event_name(event);
	const struct dkt_field *callers = dkt_event_field(event, "caller");
	const bool is_user = !strcmp(name, "user_stack");

	if (!strcmp(dkt_event_system(event), "ftrace") &&
	    (is_user || !strcmp(name, "kernel_stack"))) {
		known.is_stack = true;
		known.is_user = is_user;
		known.callers = callers ? callers->offset : 0;
		known.width = callers ? callers->element : 0;
	} else if (profile_is_of_perf(event)) {
		known.period = dkt_event_field(event, "period");
		known.process = dkt_event_field(event, "tgid");
		known.sym = dkt_event_field(event, "sym");
		known.dso = dkt_event_field(event, "dso");
	}
	return known;
}

/* Events that are compared one by one: a profile mostly has one, and those of its stacks. */
#define FIRST 4

/* Returns the number of the event, plus 1. 0: memory is out. */
static uint32_t find_known(struct profile *profile, struct dkt_event *event)
{
	const uint64_t key = (uintptr_t)event;
	uint32_t entry;
	bool added;

	for (uint32_t i = 0; i < profile->n_known && i < FIRST; i++)
		if (profile->known[i].event == event)
			return i + 1;
	entry = dkt__keymap_add(&profile->known_map, &key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return 0;
	if (!added || !dkt__append(profile->known, profile->n_known, known_of(event)))
		return entry + 1;
	dkt__keymap_remove(&profile->known_map, &key);
	return 0;
}

/* ---- records ---- */

static struct profile_pending *find_pending(struct profile *profile, uint32_t part, uint32_t cpu)
{
	const uint64_t key = (uint64_t)part << 32 | cpu;
	bool added;
	uint32_t entry = dkt__keymap_add(&profile->pending_map, &key, &added);

	return entry == DKT__KEYMAP_NONE ? NULL :
					   dkt__reach(profile->pending, profile->n_pending, entry);
}

static int end_pending(struct profile *profile, struct profile_pending *pending)
{
	struct profile_hit *hit = &pending->hit;
	int err = 0;

	if (pending->open && (hit->user.any || hit->kernel.any))
		err = profile_count(profile, hit);
	pending->open = false;
	return err;
}

/* The thread of a CPU's last sample often has the next one too. */
static uint32_t comm_of(struct profile *profile, const char *comm, uint32_t last)
{
	struct profile_names *names = &profile->names;

	if (last < names->n && names->list[last].kind == PROFILE_GROUP &&
	    !strcmp(profile_names_text(names, last), comm))
		return last;
	return profile_names_add(names, PROFILE_GROUP, comm, strlen(comm), "");
}

static int begin_hit(struct profile *profile, struct dkt_ctx *ctx, uint32_t part,
		     struct dkt_source *source, const struct dkt_record *record, uint32_t known,
		     struct profile_hit *hit)
{
	const char *comm = dkt_source_comm(source, record);
	const struct profile_known *event = known ? &profile->known[known - 1] : NULL;
	const struct dkt_field *period = event ? event->period : NULL;
	const struct dkt_field *process = event ? event->process : NULL;
	const uint32_t name = comm_of(profile, comm, hit->comm);

	*hit = (struct profile_hit){
		.known = known,
		.comm = name,
		.part = part,
		.ctx = ctx,
		.ts = record->ts,
		.period = period ? (uint64_t)dkt_record_int(record, period) : 1,
		.cpu = record->cpu,
		.pid = process ? (int32_t)dkt_record_int(record, process) : record->pid,
		.tid = record->pid
	};
	return name == UINT32_MAX ? -ENOMEM : 0;
}

/* Sets the addresses of a stack; false: the record has none. */
static bool read_stack(const struct profile_known *known, const struct dkt_record *record,
		       struct profile_stack *stack)
{
	if ((known->width != 4 && known->width != 8) || record->size < known->callers ||
	    record->size - known->callers < known->width)
		return false;
	*stack = (struct profile_stack){ .event = known->event,
					 .data = (const uint8_t *)record->data + known->callers,
					 .size = (record->size - known->callers) / known->width *
						 known->width,
					 .width = known->width,
					 .is_user = known->is_user,
					 .any = true };
	return true;
}

/* A record that is a stack: it belongs to the event before it, of the same thread. */
static int add_stack(struct profile *profile, struct profile_pending *pending, struct dkt_ctx *ctx,
		     uint32_t part, struct dkt_source *source, const struct dkt_record *record,
		     const struct profile_known *known)
{
	struct profile_stack *stack = known->is_user ? &pending->hit.user : &pending->hit.kernel;
	uint8_t *bytes;
	int err = 0;

	if (pending->open && (stack->any || pending->hit.tid != record->pid))
		err = end_pending(profile, pending);
	if (!err && !pending->open)
		err = begin_hit(profile, ctx, part, source, record, 0, &pending->hit);
	pending->open = true;
	if (err || !read_stack(known, record, stack))
		return err;
	if (pending->room[known->is_user] < stack->size) {
		bytes = realloc(pending->bytes[known->is_user], stack->size);
		if (!bytes)
			return -ENOMEM;
		pending->bytes[known->is_user] = bytes;
		pending->room[known->is_user] = stack->size;
	}
	memcpy(pending->bytes[known->is_user], stack->data, stack->size);
	stack->data = pending->bytes[known->is_user];
	return 0;
}

/* A record that carries its stacks, as a sample of perf does. */
static int add_carrier(struct profile *profile, const struct dkt_record *record,
		       struct profile_hit *hit)
{
	struct dkt_record stack;
	uint32_t which[2];
	struct dkt_record stacks[2];
	size_t n = 0;

	/* Finding an event may move the list of them. */
	for (size_t i = 0; n < ARRAY_SIZE(stacks) && !dkt_record_stack(record, i, &stack); i++) {
		which[n] = find_known(profile, stack.event);
		if (!which[n])
			return -ENOMEM;
		stacks[n++] = stack;
	}
	for (size_t i = 0; i < n; i++) {
		const struct profile_known *known = &profile->known[which[i] - 1];
		struct profile_stack *to = known->is_user ? &hit->user : &hit->kernel;

		if (read_stack(known, &stacks[i], to))
			to->number = dkt__record_stack_number(record, i, &to->own);
	}
	return hit->user.any || hit->kernel.any ? profile_count(profile, hit) : 0;
}

/* Gets the text in the record's field; empty for "[unknown]". */
static size_t text_in(const struct dkt_record *record, const struct dkt_field *field,
		      const char **text)
{
	size_t len;

	*text = dkt_record_bytes(record, field, &len);
	len = *text ? strnlen(*text, len) : 0;
	return len == strlen(UNKNOWN) && !memcmp(*text, UNKNOWN, len) ? 0 : len;
}

/* A sample that was taken without its callers has only the function at its address. */
static int add_place(struct profile *profile, const struct dkt_record *record,
		     struct profile_hit *hit)
{
	const struct profile_known *known = &profile->known[hit->known - 1];
	const char *sym, *dso;
	const size_t n_sym = text_in(record, known->sym, &sym);
	const size_t n_dso = text_in(record, known->dso, &dso);
	const bool kernel = n_dso && dso[0] == '[' && dso[1] != 'v';
	const enum profile_kind kind = kernel ? PROFILE_KERNEL : PROFILE_USER;
	char where[128] = "";
	uint32_t name;

	/* "[module]", and "[kernel.kallsyms]" for the kernel itself. */
	if (kernel && strncmp(dso, "[kernel", strlen("[kernel")) != 0)
		snprintf(where, sizeof(where), "%.*s", (int)n_dso - 2, dso + 1);
	else if (!kernel)
		snprintf(where, sizeof(where), "%.*s", (int)n_dso, dso);
	name = n_sym ? profile_names_add(&profile->names, kind, sym, n_sym, where) :
		       profile_names_unknown(&profile->names, kind, where, strlen(where));
	if (name == UINT32_MAX)
		return -ENOMEM;
	hit->place = name + 1;
	return profile_count(profile, hit);
}

/* Sets the name of the caller's group, plus 1; 0: it has none; UINT32_MAX: the record does not count. */
static int ask_group(struct profile *profile, const struct dkt_record *record, uint32_t *group)
{
	const char *text;

	*group = 0;
	if (!profile->opts.group)
		return 0;
	*group = UINT32_MAX;
	text = profile->opts.group(profile->opts.data, record);
	if (!text)
		return 0;
	*group = profile_names_add(&profile->names, PROFILE_GROUP, text, strlen(text), "") + 1;
	return *group ? 0 : -ENOMEM;
}

int profile_add(struct profile *profile, struct dkt_ctx *ctx, uint32_t part,
		struct dkt_source *source, const struct dkt_record *record)
{
	struct profile_pending *pending = find_pending(profile, part, record->cpu);
	uint32_t known = record->event ? find_known(profile, record->event) : 0;
	uint32_t group;
	int err;

	if (!pending || (record->event && !known))
		return -ENOMEM;
	if (known && profile->known[known - 1].is_stack)
		return add_stack(profile, pending, ctx, part, source, record,
				 &profile->known[known - 1]);
	err = end_pending(profile, pending);
	if (!err && record->event)
		err = ask_group(profile, record, &group);
	if (err || !record->event || group == UINT32_MAX)
		return err;
	err = begin_hit(profile, ctx, part, source, record, known, &pending->hit);
	if (err)
		return err;
	pending->hit.group = group;
	pending->hit.carried = record->stacks;
	if (record->stacks)
		return add_carrier(profile, record, &pending->hit);
	if (known && profile->known[known - 1].sym && profile->known[known - 1].dso)
		return add_place(profile, record, &pending->hit);
	pending->open = true;
	return 0;
}

int profile_settle(struct profile *profile, uint32_t part, uint32_t cpu)
{
	struct profile_pending *pending = find_pending(profile, part, cpu);

	return pending ? end_pending(profile, pending) : -ENOMEM;
}

int profile_end(struct profile *profile)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < profile->n_pending; i++)
		err = end_pending(profile, &profile->pending[i]);
	end_reading(profile);
	profile_frames_forget(&profile->frames);
	profile_tree_sum(&profile->tree);
	return err;
}
