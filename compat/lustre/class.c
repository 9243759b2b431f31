/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Resolves the class map to this kernel's events, and looks up events by class and the reverse. */
#include "compat/lustre/binary/event.h"
#include "compat/lustre/class/map.h"
#include "lib/base/glob.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/util.h"
#include "lib/inside.h"

/* The bits of an event whose records have their own class and subsystem. */
static const struct class_bits per_record = {
	.classes = UINT32_MAX,
	.subsystems = UINT32_MAX,
	.fields = true,
};

/* Finds events by globs: compares the systems first, then the names within a system. */
struct catalogue {
	struct dkt_event *const *events;
	size_t n;
	struct system {
		const char *name;
		size_t first, end;
	} * systems;
	size_t n_systems;
};

/* ---- matching ---- */

static int catalogue_init(struct catalogue *c, struct dkt_event *const *events, size_t n)
{
	struct system *last;

	*c = (struct catalogue){ .events = events, .n = n };
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(dkt_event_system(events[i - 1]), dkt_event_system(events[i])))
			c->n_systems++;
	c->systems = calloc(c->n_systems + 1, sizeof(*c->systems));
	if (!c->systems)
		return -ENOMEM;
	last = c->systems;
	for (size_t i = 0; i < n; i++) {
		const char *name = dkt_event_system(events[i]);

		if (last->name && strcmp(last->name, name))
			last++;
		if (!last->name)
			*last = (struct system){ .name = name, .first = i };
		last->end = i + 1;
	}
	return 0;
}

/* Returns the system's first event whose name does not sort before the first len bytes of name. */
static size_t lower_bound(const struct catalogue *c, const struct system *system, const char *name,
			  size_t len)
{
	size_t first = system->first, end = system->end;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (strncmp(dkt_event_name(c->events[middle]), name, len) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

static void match_names(const struct catalogue *c, const struct system *system, const char *glob,
			bool negative, bool *matched)
{
	size_t prefix = dkt__glob_prefix(glob);

	for (size_t i = lower_bound(c, system, glob, prefix); i < system->end; i++) {
		const char *name = dkt_event_name(c->events[i]);

		if (strncmp(name, glob, prefix))
			break;
		if (dkt__glob(glob + prefix, name + prefix))
			matched[i] = !negative;
	}
}

static void match_glob(const struct catalogue *c, bool *matched, const struct class_glob *glob)
{
	size_t prefix = dkt__glob_prefix(glob->system);

	for (size_t i = 0; i < c->n_systems; i++) {
		const struct system *system = &c->systems[i];

		if (strncmp(system->name, glob->system, prefix) ||
		    !dkt__glob(glob->system + prefix, system->name + prefix))
			continue;
		match_names(c, system, glob->names[0], glob->negative, matched);
		if (glob->names[1])
			match_names(c, system, glob->names[1], glob->negative, matched);
	}
}

/* Sets which events the entry matches. */
static void match_entry(const struct catalogue *c, bool *matched, const struct class_entry *entry)
{
	memset(matched, 0, c->n * sizeof(*matched));
	for (size_t i = 0; i < entry->n_globs; i++)
		if (!entry->globs[i].negative)
			match_glob(c, matched, &entry->globs[i]);
	for (size_t i = 0; i < entry->n_globs; i++)
		if (entry->globs[i].negative)
			match_glob(c, matched, &entry->globs[i]);
}

/* ---- applying entries in order ---- */

static void drop_condition(struct class_map *map, size_t event, unsigned int class)
{
	size_t kept = 0;

	for (size_t i = 0; i < map->n_conditions; i++) {
		const struct class_condition *condition = &map->conditions[i];

		if (condition->event != event || condition->class != class)
			map->conditions[kept++] = *condition;
	}
	map->n_conditions = kept;
}

/* An entry without a condition overrides those with one, because the class has every record. */
static int apply_class(struct class_map *map, size_t event, unsigned int class,
		       const struct class_entry *entry)
{
	struct class_bits *bits = &map->bits[event];
	const uint32_t bit = 1u << class;
	const bool conditional = entry->filter || entry->narrow;
	const bool was_conditional = (bits->filtered | bits->narrowed) & bit;

	if (conditional && bits->classes & bit && !was_conditional)
		return 0;
	if (was_conditional && !conditional) {
		drop_condition(map, event, class);
		bits->filtered &= ~bit;
		bits->narrowed &= ~bit;
	}
	if (entry->remove) {
		bits->classes &= ~bit;
		return 0;
	}
	bits->classes |= bit;
	if (!conditional)
		return 0;
	if (entry->filter)
		bits->filtered |= bit;
	if (entry->narrow)
		bits->narrowed |= bit;
	return dkt__append(map->conditions, map->n_conditions,
			   (struct class_condition){ event, class, entry });
}

static int apply_subsystem(struct class_map *map, size_t event, unsigned int bit,
			   const struct class_entry *entry)
{
	if (entry->remove)
		map->bits[event].subsystems &= ~(1u << bit);
	else
		map->bits[event].subsystems |= 1u << bit;
	return 0;
}

static int apply_message(struct class_map *map, size_t event, unsigned int bit,
			 const struct class_entry *entry)
{
	(void)bit;
	map->bits[event].fields = !entry->remove;
	return 0;
}

typedef int apply_fn(struct class_map *map, size_t event, unsigned int bit,
		     const struct class_entry *entry);

static int resolve(struct class_map *map, const struct catalogue *c, bool *matched,
		   const struct class_target *target, unsigned int bit, apply_fn *apply)
{
	int err = 0;

	for (size_t i = 0; i < target->n && !err; i++) {
		match_entry(c, matched, &target->entries[i]);
		for (size_t event = 0; event < c->n && !err; event++)
			if (matched[event])
				err = apply(map, event, bit, &target->entries[i]);
	}
	return err;
}

/* Returns the subsystems that have modules. */
static uint32_t subsystems_with_modules(const struct class_map *map)
{
	uint32_t subsystems = 0;

	for (unsigned int bit = 0; bit < MASK_BITS; bit++)
		for (size_t i = 0; i < map->subsystems[bit].n; i++)
			if (map->subsystems[bit].entries[i].n_modules)
				subsystems |= 1u << bit;
	return subsystems;
}

static void finish_bits(struct class_map *map)
{
	const uint32_t with_modules = subsystems_with_modules(map);

	for (unsigned int bit = 0; bit < MASK_BITS; bit++)
		map->classes[bit].events = map->subsystems[bit].events = 0;
	for (size_t i = 0; i < map->n_bits; i++) {
		struct class_bits *bits = &map->bits[i];

		if (bits->fields)
			*bits = per_record;
		if (bits->narrowed)
			bits->sites = with_modules;
		if (!bits->subsystems)
			bits->subsystems = 1;
		for (unsigned int bit = 0; bit < MASK_BITS; bit++) {
			map->classes[bit].events += bits->classes >> bit & 1;
			map->subsystems[bit].events += bits->subsystems >> bit & 1;
		}
	}
}

int dkl_class_map_resolve(struct class_map *map, struct dkt_event *const *events, size_t n)
{
	bool *matched __cleanup(free) = calloc(n + 1, sizeof(*matched));
	struct system *systems __cleanup(free) = NULL;
	struct catalogue c;
	int err;

	free(map->bits);
	map->n_conditions = 0;
	map->n_bits = 0;
	map->bits = calloc(n + 1, sizeof(*map->bits));
	if (!map->bits || !matched)
		return -ENOMEM;
	map->n_bits = n;
	err = catalogue_init(&c, events, n);
	systems = c.systems;
	for (unsigned int bit = 0; bit < MASK_BITS && !err; bit++) {
		err = resolve(map, &c, matched, &map->classes[bit], bit, apply_class);
		resolve(map, &c, matched, &map->subsystems[bit], bit, apply_subsystem);
	}
	if (err)
		return err;
	resolve(map, &c, matched, &map->messages, 0, apply_message);
	finish_bits(map);
	return 0;
}

/* Copies a map without its arena; the original owns the content of the files. */
static int share(const struct class_map *map, struct class_map **shared)
{
	struct class_map *copy = calloc(1, sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	*copy = *map;
	copy->arena = (struct dkt__arena){ 0 };
	copy->bits = NULL;
	copy->conditions = NULL;
	*shared = copy;
	return 0;
}

int dkl_class_map_open(struct dkt_ctx *ctx, const struct class_map *like, struct class_map **map)
{
	struct dkt_event *const *events;
	size_t n;
	int err = dkt_events(ctx, &events, &n);

	*map = NULL;
	if (!err)
		err = like ? dkt__with_words(ctx, share(like, map)) : dkl_class_map_load(ctx, map);
	if (!err)
		err = dkt__with_words(ctx, dkl_class_map_resolve(*map, events, n));
	if (err) {
		dkl_class_map_free(*map);
		*map = NULL;
	}
	return err;
}

/* ---- questions ---- */

static const struct class_target *target_of(const struct class_map *map, enum mask_kind kind,
					    unsigned int bit)
{
	static const struct class_target nothing;

	if (bit >= MASK_BITS)
		return &nothing;
	return kind == MASK_SUBSYSTEM ? &map->subsystems[bit] : &map->classes[bit];
}

const struct class_bits *dkl_class_map_event(const struct class_map *map,
					     const struct dkt_event *event)
{
	static const struct class_bits nothing = { .subsystems = 1 };
	size_t index = dkt__event_index(event);

	if (index < map->n_bits)
		return &map->bits[index];
	/* The event of Lustre's own log is not an event of the kernel. */
	return dkl_record_is_event(event) ? &per_record : &nothing;
}

void dkl_class_map_want(struct class_map *map, const struct dkt_event *event)
{
	size_t index = dkt__event_index(event);

	if (index < map->n_bits)
		map->bits[index].wanted = true;
}

bool dkl_class_bits_on(const struct class_bits *bits, uint32_t debug, uint32_t subsystem_debug)
{
	uint32_t subsystems = bits->subsystems;

	if (bits->narrowed & debug)
		subsystems |= bits->sites;
	return bits->classes & debug && subsystems & subsystem_debug;
}

size_t dkl_class_map_count(const struct class_map *map, enum mask_kind kind, unsigned int bit)
{
	return target_of(map, kind, bit)->events;
}

/* Appends "filter && sites" of one entry, or only the filter if it is not narrowed. */
static void add_condition(FILE *out, const struct class_entry *entry, const char *sites)
{
	const char *filter = entry->filter;

	if (entry->narrow && sites)
		fprintf(out, filter ? "((%s) && (%s))" : "(%s)", filter ? filter : sites, sites);
	else
		fprintf(out, "(%s)", filter);
}

/* True if the condition accepts every record, because there are no call sites to narrow it to. */
static bool is_void(const struct class_entry *entry, const char *sites)
{
	return !entry->filter && !(entry->narrow && sites);
}

int dkl_class_map_filter(const struct class_map *map, const struct dkt_event *event,
			 uint32_t classes, const char *sites, char **filter)
{
	const struct class_bits *bits = dkl_class_map_event(map, event);
	const size_t index = dkt__event_index(event);
	bool open = classes & bits->classes & ~(bits->filtered | bits->narrowed);
	size_t n = 0, len;
	FILE *out = open_memstream(filter, &len);
	int err;

	for (size_t i = 0; out && i < map->n_conditions && !open; i++) {
		const struct class_condition *condition = &map->conditions[i];

		if (condition->event != index || !(classes & 1u << condition->class))
			continue;
		open = is_void(condition->entry, sites);
		if (open)
			break;
		fputs(n++ ? " || " : "", out);
		add_condition(out, condition->entry, sites);
	}
	err = dkt__text_end(out, 0, filter);
	if (!err && open)
		**filter = '\0';
	return err;
}

const char *dkl_class_map_about(const struct class_map *map, enum mask_kind kind, unsigned int bit)
{
	const char *about = target_of(map, kind, bit)->about;

	return about ? about : "";
}

const char *dkl_class_map_none(const struct class_map *map, enum mask_kind kind, unsigned int bit)
{
	return target_of(map, kind, bit)->none;
}

const struct class_entry *dkl_class_map_entries(const struct class_map *map, enum mask_kind kind,
						unsigned int bit, size_t *n)
{
	*n = target_of(map, kind, bit)->n;
	return target_of(map, kind, bit)->entries;
}

const struct class_entry *dkl_class_map_messages(const struct class_map *map, size_t *n)
{
	*n = map->messages.n;
	return map->messages.entries;
}

static int name_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Copies the modules of the subsystems to names, unless it is NULL; returns their number. */
static size_t collect_modules(const struct class_map *map, uint32_t subsystems, const char **names)
{
	size_t n = 0;

	for (unsigned int bit = 0; bit < MASK_BITS; bit++) {
		const struct class_target *target = &map->subsystems[bit];

		for (size_t i = 0; i < target->n && subsystems & 1u << bit; i++)
			for (size_t j = 0; j < target->entries[i].n_modules; j++, n++)
				if (names)
					names[n] = target->entries[i].modules[j];
	}
	return n;
}

int dkl_class_map_modules(const struct class_map *map, uint32_t subsystems, const char ***modules,
			  size_t *n)
{
	size_t all = collect_modules(map, subsystems, NULL);
	const char **names = calloc(all + 1, sizeof(*names));

	*modules = names;
	*n = 0;
	if (!names)
		return -ENOMEM;
	collect_modules(map, subsystems, names);
	qsort(names, all, sizeof(*names), name_cmp);
	for (size_t i = 0; i < all; i++)
		if (!*n || strcmp(names[*n - 1], names[i]))
			names[(*n)++] = names[i];
	return 0;
}

static bool has_module(const struct class_target *target, const char *module)
{
	for (size_t i = 0; i < target->n; i++)
		for (size_t j = 0; j < target->entries[i].n_modules; j++)
			if (!strcmp(target->entries[i].modules[j], module))
				return true;
	return false;
}

uint32_t dkl_class_map_module(const struct class_map *map, const char *module)
{
	uint32_t subsystems = 0;

	for (unsigned int bit = 0; bit < MASK_BITS; bit++)
		if (has_module(&map->subsystems[bit], module))
			subsystems |= 1u << bit;
	return subsystems;
}
