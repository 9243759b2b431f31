/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings, stored in a file beside the instance as lines of a key and its value. */
#include "compat/log/settings.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>

#include "compat/lustre/event_names.h"
#include "compat/lustre/lustre_masks.h"
#include "lib/base/buf.h"
#include "lib/base/gained.h"
#include "lib/base/parse.h"

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

/* ---- the rows: a key of the file, and the member with its value ---- */

enum row_type {
	ROW_HEX,
	ROW_NUMBER, /* not written if 0 */
	ROW_FLAG, /* not written if false */
	ROW_TEXT,
	ROW_THREADS,
	ROW_NAMES, /* one line per name */
	ROW_ENTRIES, /* one line per entry */
};

struct row {
	const char *key;
	enum row_type type;
	size_t offset; /* in struct settings */
	bool wish; /* a user can set it; the other rows are results of that */
};

#define AT(member) offsetof(struct settings, member)

static const struct row rows[] = {
	{ "debug", ROW_HEX, AT(debug), true },
	{ "subsystem_debug", ROW_HEX, AT(subsystem_debug), true },
	{ "printk", ROW_HEX, AT(printk), true },
	{ "debug_sources", ROW_HEX, AT(sources), true },
	{ "debug_mb", ROW_NUMBER, AT(debug_mb), true },
	{ "chosen", ROW_NUMBER, AT(chosen), true },
	{ "instance", ROW_FLAG, AT(has_instance), true },
	{ "lustre", ROW_FLAG, AT(lustre), true },
	{ "event", ROW_NAMES, AT(events), true },
	{ "debug_filter", ROW_TEXT, AT(filter), true },
	{ "pids", ROW_THREADS, AT(threads), true },
	{ "cpus", ROW_TEXT, AT(cpus), true },
	{ "children", ROW_FLAG, AT(children), true },
	{ "limited", ROW_FLAG, AT(limited), false },
	{ "filtered", ROW_NAMES, AT(filtered), false },
	{ "rule", ROW_ENTRIES, AT(rules), true },
	{ "trigger", ROW_ENTRIES, AT(triggers), true },
	{ "placed", ROW_ENTRIES, AT(placed), false },
	{ "switched", ROW_NAMES, AT(switched), false },
	{ "function tracer", ROW_TEXT, AT(functions.tracer), true },
	{ "function only", ROW_NAMES, AT(functions.only), true },
	{ "function without", ROW_NAMES, AT(functions.without), true },
	{ "function root", ROW_NAMES, AT(functions.roots), true },
	{ "function depth", ROW_NUMBER, AT(functions.depth), true },
	{ "function threshold", ROW_NUMBER, AT(functions.threshold), true },
	{ "function pids", ROW_THREADS, AT(functions.threads), true },
	{ "function children", ROW_FLAG, AT(functions.children), true },
	{ "graph", ROW_TEXT, AT(graph), false },
	{ "systems", ROW_TEXT, AT(systems), false },
	{ "no_graph", ROW_TEXT, AT(no_graph), false },
	{ "no_probe", ROW_TEXT, AT(no_probe), false },
	{ "recording", ROW_FLAG, AT(recording), false },
};

union value {
	void *any;
	uint32_t *number;
	bool *flag;
	char **text;
	struct threads *threads;
	struct dkt__strings *names;
	struct entries *entries;
};

static union value value_of(const struct settings *s, const struct row *row)
{
	return (union value){ (char *)(uintptr_t)s + row->offset };
}

static void clear_value(const struct row *row, union value v)
{
	switch (row->type) {
	case ROW_HEX:
	case ROW_NUMBER:
		*v.number = 0;
		break;
	case ROW_FLAG:
		*v.flag = false;
		break;
	case ROW_TEXT:
		free(*v.text);
		*v.text = NULL;
		break;
	case ROW_THREADS:
		dkl_threads_clear(v.threads);
		break;
	case ROW_NAMES:
		dkt__strings_clear(v.names);
		break;
	case ROW_ENTRIES:
		dkl_entries_clear(v.entries);
		break;
	}
}

/* The target must be empty. */
static int copy_value(const struct row *row, union value to, union value from)
{
	switch (row->type) {
	case ROW_HEX:
	case ROW_NUMBER:
		*to.number = *from.number;
		return 0;
	case ROW_FLAG:
		*to.flag = *from.flag;
		return 0;
	case ROW_TEXT:
		*to.text = *from.text ? strdup(*from.text) : NULL;
		return *from.text && !*to.text ? -ENOMEM : 0;
	case ROW_THREADS:
		return dkl_threads_copy(to.threads, from.threads);
	case ROW_NAMES:
		return dkt__strings_copy(to.names, from.names);
	case ROW_ENTRIES:
		return dkl_entries_copy(to.entries, from.entries);
	}
	return -EINVAL;
}

void dkl_settings_clear(struct settings *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		clear_value(&rows[i], value_of(s, &rows[i]));
}

static bool is_wish(const struct row *row)
{
	return row->wish;
}

static bool is_of_functions(const struct row *row)
{
	return row->offset >= AT(functions) &&
	       row->offset < AT(functions) + sizeof(struct settings_functions);
}

static int copy_rows(struct settings *to, const struct settings *from,
		     bool (*is_copied)(const struct row *row))
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(rows); i++)
		if (is_copied(&rows[i]))
			err = copy_value(&rows[i], value_of(to, &rows[i]),
					 value_of(from, &rows[i]));
	return err;
}

int dkl_settings_copy(struct settings *to, const struct settings *from)
{
	int err;

	*to = (struct settings){ 0 };
	err = copy_rows(to, from, is_wish);
	if (err)
		dkl_settings_clear(to);
	return err;
}

int dkl_settings_add_filtered(struct settings *s, const struct dkt_event *event)
{
	return dkt__strings_take(&s->filtered, dkl_event_full_name(event));
}

/* ---- functions ---- */

void dkl_settings_clear_functions(struct settings *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (is_of_functions(&rows[i]))
			clear_value(&rows[i], value_of(s, &rows[i]));
}

int dkl_settings_copy_functions(struct settings *to, const struct settings *from)
{
	dkl_settings_clear_functions(to);
	return copy_rows(to, from, is_of_functions);
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

static int read_number(const char *text, uint32_t *number)
{
	uint64_t v;

	if (dkt__parse_u64(text, DKT__AS_C, &v) || v > UINT32_MAX)
		return -EINVAL;
	*number = (uint32_t)v;
	return 0;
}

static int read_entry(const char *text, struct entries *entries)
{
	const size_t len = strcspn(text, " ");
	char *events __cleanup(free) = strndup(text, len);

	if (!events)
		return -ENOMEM;
	return text[len] ? dkl_entries_add(entries, events, text + len + 1) : -EINVAL;
}

static int read_value(const struct row *row, const char *text, union value v)
{
	uint32_t number = 0;
	int err;

	switch (row->type) {
	case ROW_HEX:
	case ROW_NUMBER:
		return read_number(text, v.number);
	case ROW_FLAG:
		err = read_number(text, &number);
		*v.flag = number;
		return err;
	case ROW_TEXT:
		free(*v.text);
		*v.text = strdup(text);
		return *v.text ? 0 : -ENOMEM;
	case ROW_THREADS:
		dkl_threads_clear(v.threads);
		return dkl_threads_parse(text, v.threads);
	case ROW_NAMES:
		return dkt__strings_add(v.names, text);
	case ROW_ENTRIES:
		return read_entry(text, v.entries);
	}
	return -EINVAL;
}

static int read_line(struct settings *s, const char *line)
{
	size_t len;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		len = strlen(rows[i].key);
		if (!strncmp(line, rows[i].key, len) && line[len] == ' ')
			return read_value(&rows[i], line + len + 1, value_of(s, &rows[i]));
	}
	return -EINVAL;
}

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
		err = read_line(s, line);
	}
	/* A truncated file lacks the last line, "end". */
	return err || complete ? err : -EINVAL;
}

/* Error messages of the kernel may have several lines. */
static void write_text(FILE *f, const char *key, const char *text)
{
	fprintf(f, "%s ", key);
	for (; *text; text++)
		fputc(*text == '\n' ? ' ' : *text, f);
	fputc('\n', f);
}

static void write_value(const struct row *row, union value v, FILE *f)
{
	switch (row->type) {
	case ROW_HEX:
		fprintf(f, "%s 0x%08" PRIx32 "\n", row->key, *v.number);
		break;
	case ROW_NUMBER:
		if (*v.number)
			fprintf(f, "%s %" PRIu32 "\n", row->key, *v.number);
		break;
	case ROW_FLAG:
		if (*v.flag)
			fprintf(f, "%s 1\n", row->key);
		break;
	case ROW_TEXT:
		if (*v.text)
			write_text(f, row->key, *v.text);
		break;
	case ROW_THREADS:
		if (v.threads->n) {
			fprintf(f, "%s ", row->key);
			dkl_threads_print(f, v.threads);
			fputc('\n', f);
		}
		break;
	case ROW_NAMES:
		for (size_t i = 0; i < v.names->n; i++)
			fprintf(f, "%s %s\n", row->key, v.names->list[i]);
		break;
	case ROW_ENTRIES:
		for (size_t i = 0; i < v.entries->n; i++)
			fprintf(f, "%s %s %s\n", row->key, v.entries->list[i].events,
				v.entries->list[i].text);
		break;
	}
}

static int write_lines(FILE *f, const struct settings *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		write_value(&rows[i], value_of(s, &rows[i]), f);
	fprintf(f, "end\n");
	return fflush(f) || ferror(f) ? -errno : 0;
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
	err = write_lines(f, s);
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
