/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the files of the class map, as dktrace-classes(5) describes them. */
#include "compat/lustre/class/map.h"
#include "lib/base/data_files.h"
#include "lib/base/glob.h"
#include "lib/base/memory.h"
#include "lib/base/util.h"
#include "lib/base/yaml.h"

enum target_kind { TARGET_CLASS, TARGET_SUBSYSTEM, TARGET_MESSAGES };

/* The changes to one class; they are applied after its whole mapping has been read. */
struct target_change {
	enum target_kind kind;
	const char *about;
	const char *none;
	bool replace; /* `entries` or `none`: discard the entries of earlier files */
	struct class_entry *entries, *added, *removed;
	size_t n_entries, n_added, n_removed;
};

/* ---- entries ---- */

enum {
	ENTRY_EVENTS,
	ENTRY_SYSCALLS,
	ENTRY_FUNCTIONS,
	ENTRY_MODULES,
	ENTRY_FILTER,
	ENTRY_NARROW,
	ENTRY_GRAPH
};

static const char *const entry_words[] = {
	"events", "syscalls", "functions", "modules", "filter", "narrow", "graph",
};

static const struct dkt__yaml_keys entry_keys = { "key", entry_words, ARRAY_SIZE(entry_words),
						  NULL };

static int check_glob(struct dkt__yaml *r, const char *glob)
{
	size_t at;
	const char *words = dkt__glob_check(glob, &at);

	return words ? DKT__YAML_REFUSE(r, "glob '%s': %s", glob, words) : 0;
}

static int join(struct dkt__yaml *r, const char *head, const char *tail, const char **out)
{
	size_t head_len = strlen(head), tail_len = strlen(tail);
	char *text = dkt__arena_alloc(r->arena, head_len + tail_len + 1);

	if (!text)
		return dkt__yaml_no_memory(r);
	memcpy(text, head, head_len);
	memcpy(text + head_len, tail, tail_len);
	*out = text;
	return 0;
}

static int read_event_glob(struct dkt__yaml *r, struct class_glob *glob)
{
	const char *colon = strchr(glob->text, ':');
	int err;

	if (!colon)
		return DKT__YAML_REFUSE(r, "'%s' is not of the form system:event", glob->text);
	glob->system = dkt__arena_strndup(r->arena, glob->text, (size_t)(colon - glob->text));
	if (!glob->system)
		return dkt__yaml_no_memory(r);
	glob->names[0] = colon + 1;
	err = check_glob(r, glob->system);
	return err ? err : check_glob(r, glob->names[0]);
}

static int read_syscall_glob(struct dkt__yaml *r, struct class_glob *glob)
{
	int err = check_glob(r, glob->text);

	glob->system = "syscalls";
	if (!err)
		err = join(r, "sys_enter_", glob->text, &glob->names[0]);
	return err ? err : join(r, "sys_exit_", glob->text, &glob->names[1]);
}

static int read_glob(struct dkt__yaml *r, enum class_glob_kind kind, struct class_entry *entry)
{
	struct class_glob *glob;
	const char *text;
	int err = dkt__yaml_text(r, kind == CLASS_EVENT ? "event" : "system call", &text);

	if (err)
		return err;
	entry->globs = dkt__arena_grow(r->arena, entry->globs, entry->n_globs, sizeof(*glob));
	if (!entry->globs)
		return dkt__yaml_no_memory(r);
	glob = &entry->globs[entry->n_globs++];
	glob->kind = kind;
	glob->negative = *text == '-';
	glob->text = text + glob->negative;
	return kind == CLASS_EVENT ? read_event_glob(r, glob) : read_syscall_glob(r, glob);
}

static int read_word(struct dkt__yaml *r, const char *what, const char ***words, size_t *n)
{
	const char *text;
	int err = dkt__yaml_text(r, what, &text);

	if (!err)
		err = check_glob(r, text);
	if (err)
		return err;
	*words = dkt__arena_grow(r->arena, *words, *n, sizeof(**words));
	if (!*words)
		return dkt__yaml_no_memory(r);
	(*words)[(*n)++] = text;
	return 0;
}

/* Reads one word of a list in an entry. */
static int read_entry_word(struct dkt__yaml *r, unsigned int key, void *data)
{
	struct class_entry *entry = data;

	switch (key) {
	case ENTRY_EVENTS:
		return read_glob(r, CLASS_EVENT, entry);
	case ENTRY_SYSCALLS:
		return read_glob(r, CLASS_SYSCALL, entry);
	case ENTRY_FUNCTIONS:
		return read_word(r, "function", &entry->functions, &entry->n_functions);
	default:
		return read_word(r, "module", &entry->modules, &entry->n_modules);
	}
}

static int read_entry_key(struct dkt__yaml *r, unsigned int key, void *data)
{
	struct class_entry *entry = data;
	const char *text;
	int err;

	switch (key) {
	case ENTRY_FILTER:
		return dkt__yaml_text(r, "filter", &entry->filter);
	case ENTRY_NARROW:
		err = dkt__yaml_text(r, "narrow", &text);
		if (!err && strcmp(text, "call_site"))
			err = DKT__YAML_REFUSE(r, "narrow can only be call_site");
		entry->narrow = true;
		return err;
	case ENTRY_GRAPH:
		return dkt__yaml_bool(r, "graph", &entry->graph);
	default:
		if (r->event.type == YAML_SCALAR_EVENT)
			return read_entry_word(r, key, entry);
		return dkt__yaml_list(r, entry_words[key], key, read_entry_word, entry);
	}
}

static bool has_positive(const struct class_entry *entry)
{
	for (size_t i = 0; i < entry->n_globs; i++)
		if (!entry->globs[i].negative)
			return true;
	return false;
}

/* Checks the keys of an entry; which are allowed depends on the kind of its target. */
static int check_entry(struct dkt__yaml *r, const yaml_mark_t *mark, enum target_kind kind,
		       const struct class_entry *entry)
{
	bool narrows = entry->filter || entry->narrow;

	if (kind != TARGET_CLASS && (narrows || entry->graph))
		return dkt__yaml_refuse_at(r, mark,
					   "filter, narrow and graph are for classes only");
	if (kind == TARGET_MESSAGES && (entry->n_functions || entry->n_modules))
		return dkt__yaml_refuse_at(r, mark, "messages can only have events");
	if ((entry->n_globs || narrows) && !has_positive(entry))
		return dkt__yaml_refuse_at(r, mark, "this entry has only negated events");
	if (!entry->n_globs && !entry->n_functions && !entry->n_modules && !entry->graph)
		return dkt__yaml_refuse_at(r, mark, "this entry is empty");
	return 0;
}

static struct class_entry *new_entry(struct dkt__yaml *r, struct class_entry **entries, size_t *n)
{
	*entries = dkt__arena_grow(r->arena, *entries, *n, sizeof(**entries));
	if (!*entries)
		return NULL;
	return &(*entries)[(*n)++];
}

/* ---- classes and subsystems ---- */

enum { TARGET_ABOUT, TARGET_NONE, TARGET_ENTRIES, TARGET_ADD, TARGET_REMOVE };

static const char *const target_words[] = { "about", "none", "entries", "add", "remove" };

static const struct dkt__yaml_keys target_keys = { "key", target_words, ARRAY_SIZE(target_words),
						   NULL };

static int read_entry(struct dkt__yaml *r, unsigned int key, void *data)
{
	struct target_change *change = data;
	const yaml_mark_t mark = r->event.start_mark;
	struct class_entry *entry;
	int err;

	entry = key == TARGET_ADD ? new_entry(r, &change->added, &change->n_added) :
				    new_entry(r, &change->entries, &change->n_entries);
	if (!entry)
		return dkt__yaml_no_memory(r);
	err = dkt__yaml_mapping(r, &entry_keys, read_entry_key, entry);
	return err ? err : check_entry(r, &mark, change->kind, entry);
}

static int read_removed(struct dkt__yaml *r, struct target_change *change)
{
	const yaml_mark_t mark = r->event.start_mark;
	struct class_entry *entry = new_entry(r, &change->removed, &change->n_removed);
	int err;

	if (!entry)
		return dkt__yaml_no_memory(r);
	entry->remove = true;
	err = read_entry_key(r, ENTRY_EVENTS, entry);
	return err ? err : check_entry(r, &mark, change->kind, entry);
}

static int read_target_key(struct dkt__yaml *r, unsigned int key, void *data)
{
	struct target_change *change = data;

	switch (key) {
	case TARGET_ABOUT:
		return dkt__yaml_text(r, "about", &change->about);
	case TARGET_NONE:
		change->replace = true;
		return dkt__yaml_text(r, "none", &change->none);
	case TARGET_REMOVE:
		return read_removed(r, change);
	default:
		change->replace |= key == TARGET_ENTRIES;
		return dkt__yaml_list(r, target_words[key], key, read_entry, change);
	}
}

static int append(struct dkt__yaml *r, struct class_target *target,
		  const struct class_entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct class_entry *entry = new_entry(r, &target->entries, &target->n);

		if (!entry)
			return dkt__yaml_no_memory(r);
		*entry = entries[i];
	}
	return 0;
}

static int read_target(struct dkt__yaml *r, enum target_kind kind, struct class_target *target)
{
	struct target_change change = { .kind = kind };
	const yaml_mark_t mark = r->event.start_mark;
	int err = dkt__yaml_mapping(r, &target_keys, read_target_key, &change);

	if (err)
		return err;
	if (change.none && (change.n_entries || change.n_added || change.n_removed))
		return dkt__yaml_refuse_at(r, &mark, "'none' cannot stand beside entries");
	if (change.about)
		target->about = change.about;
	if (change.replace) {
		target->entries = NULL;
		target->n = 0;
	}
	if (change.replace || change.n_added)
		target->none = change.none;
	err = append(r, target, change.entries, change.n_entries);
	if (!err)
		err = append(r, target, change.removed, change.n_removed);
	return err ? err : append(r, target, change.added, change.n_added);
}

/* ---- the file ---- */

enum { FILE_CLASSES, FILE_SUBSYSTEMS, FILE_MESSAGES };

static const char *const file_words[] = { "classes", "subsystems", "messages" };

static const struct dkt__yaml_keys file_keys = { "key", file_words, ARRAY_SIZE(file_words), NULL };

static int find_class(const char *name)
{
	return dkl_mask_bit(MASK_DEBUG, name, strlen(name));
}

static const struct dkt__yaml_keys class_keys = { .what = "class", .find = find_class };

static int find_subsystem(const char *name)
{
	return dkl_mask_bit(MASK_SUBSYSTEM, name, strlen(name));
}

static const struct dkt__yaml_keys subsystem_keys = { .what = "subsystem", .find = find_subsystem };

static int read_class(struct dkt__yaml *r, unsigned int bit, void *data)
{
	struct class_map *map = data;

	return read_target(r, TARGET_CLASS, &map->classes[bit]);
}

static int read_subsystem(struct dkt__yaml *r, unsigned int bit, void *data)
{
	struct class_map *map = data;

	return read_target(r, TARGET_SUBSYSTEM, &map->subsystems[bit]);
}

static int read_section(struct dkt__yaml *r, unsigned int key, void *data)
{
	struct class_map *map = data;

	switch (key) {
	case FILE_CLASSES:
		return dkt__yaml_mapping(r, &class_keys, read_class, map);
	case FILE_SUBSYSTEMS:
		return dkt__yaml_mapping(r, &subsystem_keys, read_subsystem, map);
	default:
		return read_target(r, TARGET_MESSAGES, &map->messages);
	}
}

static int read_file(struct dkt__yaml *r, unsigned int key, void *data)
{
	(void)key;
	return dkt__yaml_mapping(r, &file_keys, read_section, data);
}

int dkl_class_parse(struct dkt_ctx *ctx, struct class_map *map, const char *file, const char *text,
		    size_t len)
{
	struct dkt__yaml r = {
		.arena = &map->arena,
		.file = file,
		.text = text,
		.len = len,
	};
	int err = dkt__yaml_file(&r, read_file, map);

	if (err)
		dkt_fail(ctx, err, "%s", r.why ? r.why : strerror(-err));
	free(r.why);
	return err;
}

void dkl_class_map_free(struct class_map *map)
{
	if (!map)
		return;
	free(map->bits);
	free(map->conditions);
	dkt__arena_free(&map->arena);
	free(map);
}

/* Stores the new map, or frees it after an error. */
static int finish(struct class_map *map, int err, struct class_map **out)
{
	if (err)
		dkl_class_map_free(map);
	else
		*out = map;
	return err;
}

int dkl_class_map_load_text(struct dkt_ctx *ctx, const char *file, const char *text, size_t len,
			    struct class_map **map)
{
	struct class_map *new = calloc(1, sizeof(*new));

	*map = NULL;
	if (!new)
		return dkt__no_memory(ctx);
	return finish(new, dkl_class_parse(ctx, new, file, text, len), map);
}

/* The map that files are added to. */
struct loading {
	struct dkt_ctx *ctx;
	struct class_map *map;
};

static int add_file(void *data, const char *path, const char *text, size_t len)
{
	const struct loading *loading = data;

	return dkl_class_parse(loading->ctx, loading->map, path, text, len);
}

/* dirs NULL: the usual ones. */
static int load(struct dkt_ctx *ctx, const char *const *dirs, size_t n, struct class_map **map)
{
	struct loading loading = { .ctx = ctx, .map = calloc(1, sizeof(*loading.map)) };
	char *why __cleanup(free) = NULL;
	int err;

	*map = NULL;
	if (!loading.map)
		return dkt__no_memory(ctx);
	err = dirs ? dkt__data_read_dirs(DKT__DATA_CLASSES, dirs, n, add_file, &loading, &why) :
		     dkt__data_read(DKT__DATA_CLASSES, add_file, &loading, &why);
	if (why)
		dkt_fail(ctx, err, "%s", why);
	return finish(loading.map, dkt__with_words(ctx, err), map);
}

int dkl_class_map_load_dirs(struct dkt_ctx *ctx, const char *const *dirs, size_t n,
			    struct class_map **map)
{
	return load(ctx, dirs, n, map);
}

int dkl_class_map_load(struct dkt_ctx *ctx, struct class_map **map)
{
	return load(ctx, NULL, 0, map);
}
