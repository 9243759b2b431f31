/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings, stored in a file beside the instance as lines of a key and its value. */
#include "compat/log/settings.h"

#include <fcntl.h>
#include <stddef.h>

#include "compat/lustre/event_names.h"
#include "compat/lustre/lustre_masks.h"
#include "lib/base/buf.h"
#include "lib/base/gained.h"
#include "lib/base/members.h"
#include "lib/base/util.h"

static void entry_clear(struct entry *entry)
{
	free(entry->events);
	free(entry->text);
}

int dkl_entries_add(struct entries *entries, const char *events, const char *text)
{
	struct entry entry = { strdup(events), strdup(text) };
	int err = entry.events && entry.text ? dkt__append(entries->list, entries->n, entry) :
					       -ENOMEM;

	if (err)
		entry_clear(&entry);
	return err;
}

size_t dkl_entries_find(const struct entries *entries, const char *events, const char *text)
{
	size_t i;

	for (i = 0; i < entries->n; i++)
		if (!strcmp(entries->list[i].events, events) &&
		    (!text || !strcmp(entries->list[i].text, text)))
			break;
	return i;
}

bool dkl_entries_have(const struct entries *entries, const struct entry *entry)
{
	return dkl_entries_find(entries, entry->events, entry->text) < entries->n;
}

int dkl_entries_copy(struct entries *to, const struct entries *from)
{
	int err = 0;

	*to = (struct entries){ 0 };
	for (size_t i = 0; !err && i < from->n; i++)
		err = dkl_entries_add(to, from->list[i].events, from->list[i].text);
	return err;
}

void dkl_entries_remove(struct entries *entries, size_t i)
{
	entry_clear(&entries->list[i]);
	entries->n--;
	memmove(entries->list + i, entries->list + i + 1,
		(entries->n - i) * sizeof(*entries->list));
}

void dkl_entries_clear(struct entries *entries)
{
	for (size_t i = 0; i < entries->n; i++)
		entry_clear(&entries->list[i]);
	free(entries->list);
	*entries = (struct entries){ 0 };
}

/* As Lustre's. */
#define MB_PER_CPU 5

uint32_t dkl_settings_default_mb(int cpus)
{
	return MB_PER_CPU * (uint32_t)cpus;
}

void dkl_settings_init(struct settings *s)
{
	*s = (struct settings){ .debug = dkl_mask_initial(MASK_DEBUG),
				.subsystem_debug = dkl_mask_initial(MASK_SUBSYSTEM),
				.printk = dkl_mask_initial(MASK_PRINTK),
				.sources = dkl_lustre_sources(dkl_lustre_is_loaded()) };
}

uint32_t *dkl_settings_mask(struct settings *s, enum mask_kind kind)
{
	switch (kind) {
	case MASK_SUBSYSTEM:
		return &s->subsystem_debug;
	case MASK_PRINTK:
		return &s->printk;
	case MASK_SOURCES:
		return &s->sources;
	case MASK_DEBUG:
	default:
		return &s->debug;
	}
}

/* ---- the members ---- */

static void clear_threads(void *value)
{
	dkl_threads_clear(value);
}

static int copy_threads(void *to, const void *from)
{
	return dkl_threads_copy(to, from);
}

static int read_threads(void *value, const char *text)
{
	dkl_threads_clear(value);
	return dkl_threads_parse(text, value);
}

static void print_threads(const void *value, const char *start, FILE *f)
{
	if (!((const struct threads *)value)->n)
		return;
	fputs(start, f);
	dkl_threads_print(f, value);
	fputc('\n', f);
}

static const struct dkt__member_other threads = { clear_threads, copy_threads, read_threads,
						  print_threads };

static void clear_entries(void *value)
{
	dkl_entries_clear(value);
}

static int copy_entries(void *to, const void *from)
{
	return dkl_entries_copy(to, from);
}

static int read_entry(void *value, const char *text)
{
	const size_t len = strcspn(text, " ");
	char *events __cleanup(free) = strndup(text, len);

	if (!events)
		return -ENOMEM;
	return text[len] ? dkl_entries_add(value, events, text + len + 1) : -EINVAL;
}

static void print_entries(const void *value, const char *start, FILE *f)
{
	const struct entries *entries = value;

	for (size_t i = 0; i < entries->n; i++)
		fprintf(f, "%s%s %s\n", start, entries->list[i].events, entries->list[i].text);
}

static const struct dkt__member_other entries = { clear_entries, copy_entries, read_entry,
						  print_entries };

#define ROW(...)        DKT__MEMBER(settings, __VA_ARGS__)
#define WISH(name, ...) DKT__MEMBER(settings, name, __VA_ARGS__, .mark = true)

/* A user can set the wishes; the other members are results of that. */
static const struct dkt__member list[] = {
	WISH("debug", HEX, debug),
	WISH("subsystem_debug", HEX, subsystem_debug),
	WISH("printk", HEX, printk),
	WISH("debug_sources", HEX, sources),
	WISH("debug_mb", U32, debug_mb),
	WISH("debug_user_data", U32, user_data),
	WISH("chosen", U32, chosen),
	WISH("instance", FLAG, has_instance),
	WISH("lustre", FLAG, lustre),
	WISH("event", TEXTS, events),
	WISH("debug_filter", TEXT, filter),
	WISH("pids", OTHER, threads, .other = &threads),
	WISH("cpus", TEXT, cpus),
	WISH("children", FLAG, children),
	ROW("limited", FLAG, limited),
	ROW("filtered", TEXTS, filtered),
	WISH("rule", OTHER, rules, .other = &entries),
	WISH("trigger", OTHER, triggers, .other = &entries),
	ROW("placed", OTHER, placed, .other = &entries),
	ROW("switched", TEXTS, switched),
	WISH("function tracer", TEXT, functions.tracer),
	WISH("function only", TEXTS, functions.only),
	WISH("function without", TEXTS, functions.without),
	WISH("function root", TEXTS, functions.roots),
	WISH("function depth", U32, functions.depth),
	WISH("function threshold", U32, functions.threshold),
	WISH("function pids", OTHER, functions.threads, .other = &threads),
	WISH("function children", FLAG, functions.children),
	ROW("graph", TEXT, graph),
	ROW("systems", TEXT, systems),
	ROW("no_graph", TEXT, no_graph),
	ROW("no_probe", TEXT, no_probe),
	ROW("recording", FLAG, recording),
};

static const struct dkt__members members = { list, ARRAY_SIZE(list), " " };

void dkl_settings_clear(struct settings *s)
{
	dkt__members_clear(&members, s, NULL);
}

static bool is_wish(const struct dkt__member *member)
{
	return member->mark;
}

static bool is_of_functions(const struct dkt__member *member)
{
	const size_t from = offsetof(struct settings, functions);

	return member->offset >= from && member->offset < from + sizeof(struct settings_functions);
}

int dkl_settings_copy(struct settings *to, const struct settings *from)
{
	int err;

	*to = (struct settings){ 0 };
	err = dkt__members_copy(&members, to, from, is_wish);
	if (err)
		dkl_settings_clear(to);
	return err;
}

int dkl_settings_add_filtered(struct settings *s, const struct dkt_event *event)
{
	return dkt__strings_take(&s->filtered, dkl_event_full_name(event));
}

/* ---- comparing ---- */

/* Users know masks by their words. */
static char *text_of(const struct dkt__member *member, const struct settings *s)
{
	static const struct {
		size_t offset;
		enum mask_kind kind;
	} masks[] = {
		{ offsetof(struct settings, debug), MASK_DEBUG },
		{ offsetof(struct settings, subsystem_debug), MASK_SUBSYSTEM },
		{ offsetof(struct settings, printk), MASK_PRINTK },
		{ offsetof(struct settings, sources), MASK_SOURCES },
	};

	for (size_t i = 0; i < ARRAY_SIZE(masks); i++) {
		char words[MASK_TEXT_SIZE];

		if (masks[i].offset != member->offset)
			continue;
		dkl_mask_format(masks[i].kind,
				*dkl_settings_mask((struct settings *)s, masks[i].kind), words);
		return strdup(words);
	}
	return dkt__member_text(member, s);
}

/* The others tell which masks were set, and what was found at that time. */
static bool is_made_by_user(const struct dkt__member *member)
{
	return member->mark && member->offset != offsetof(struct settings, chosen) &&
	       member->offset != offsetof(struct settings, has_instance) &&
	       member->offset != offsetof(struct settings, lustre);
}

int dkl_settings_compare(const struct settings *before, const struct settings *after,
			 settings_difference *fn, void *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		char *was __cleanup(free) = NULL, *is __cleanup(free) = NULL;

		if (!is_made_by_user(&list[i]))
			continue;
		was = text_of(&list[i], before);
		is = text_of(&list[i], after);
		if (!was || !is)
			return -ENOMEM;
		if (strcmp(was, is))
			fn(list[i].name, was, is, arg);
	}
	return 0;
}

/* ---- functions ---- */

void dkl_settings_clear_functions(struct settings *s)
{
	dkt__members_clear(&members, s, is_of_functions);
}

int dkl_settings_copy_functions(struct settings *to, const struct settings *from)
{
	dkl_settings_clear_functions(to);
	return dkt__members_copy(&members, to, from, is_of_functions);
}

bool dkl_settings_same_functions(const struct settings *one, const struct settings *other)
{
	const struct settings_functions *a = &one->functions, *b = &other->functions;

	return a->tracer && b->tracer && !strcmp(a->tracer, b->tracer) &&
	       dkt__strings_same(&a->only, &b->only) &&
	       dkt__strings_same(&a->without, &b->without) &&
	       dkt__strings_same(&a->roots, &b->roots) && a->depth == b->depth &&
	       a->threshold == b->threshold && dkl_threads_same(&a->threads, &b->threads) &&
	       a->children == b->children;
}

/* ---- the file ---- */

static int read_lines(FILE *f, struct settings *s, unsigned int *nr)
{
	char *line __cleanup(free) = NULL;
	bool complete = false;
	size_t size = 0;
	int err = 0;

	for (*nr = 1; !err && getline(&line, &size, f) > 0; *nr += !err) {
		line[strcspn(line, "\n")] = '\0';
		complete = !strcmp(line, "end");
		if (complete)
			break;
		err = dkt__members_read(&members, s, line);
	}
	/* A truncated file lacks the last line, "end". */
	return err || complete ? err : -EINVAL;
}

int dkl_settings_load(struct dkt_ctx *ctx, int dirfd, const char *name, struct settings *s)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(dirfd);
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	unsigned int nr;
	int err;

	*s = (struct settings){ 0 };
	if (!f)
		return dkt_fail(ctx, -errno, "open %s: %s", name, strerror(errno));
	dkl_settings_init(s);
	err = read_lines(f, s, &nr);
	fclose(f);
	if (!err)
		return 0;
	dkl_settings_clear(s);
	return dkt_fail(ctx, err, "%s: line %u is invalid", name, nr);
}

int dkl_settings_stage(struct dkt_ctx *ctx, int dirfd, const char *name, const struct settings *s)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(dirfd);
	char *temp __cleanup(free) = dkt__format("%s.tmp", name);
	int fd, err;
	FILE *f;

	if (!temp)
		return -ENOMEM;
	fd = openat(dirfd, temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return dkt_fail(ctx, -errno, "write %s: %s", temp, strerror(errno));
	dkt__members_print(&members, s, f);
	fprintf(f, "end\n");
	err = fflush(f) || ferror(f) ? -errno : 0;
	if (fclose(f) && !err)
		err = -errno;
	if (!err)
		return 0;
	unlinkat(dirfd, temp, 0);
	return dkt_fail(ctx, err, "write %s: %s", name, strerror(-err));
}

int dkl_settings_publish(struct dkt_ctx *ctx, int dirfd, const char *name)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(dirfd);
	char *temp __cleanup(free) = dkt__format("%s.tmp", name);

	if (!temp)
		return -ENOMEM;
	if (!renameat(dirfd, temp, dirfd, name))
		return 0;
	return dkt_fail(ctx, -errno, "write %s: %s", name, strerror(errno));
}

int dkl_settings_save(struct dkt_ctx *ctx, int dirfd, const char *name, const struct settings *s)
{
	int err = dkl_settings_stage(ctx, dirfd, name, s);

	return err ? err : dkl_settings_publish(ctx, dirfd, name);
}
