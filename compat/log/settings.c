/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is set, as it is kept in a file beside the instance: lines of a key and its value. */
#include "log/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "lustre/lustre_masks.h"

void settings_init(struct settings *s)
{
	*s = (struct settings){ .debug = mask_initial(MASK_DEBUG),
				.subsystem_debug = mask_initial(MASK_SUBSYSTEM),
				.printk = mask_initial(MASK_PRINTK),
				.sources = lustre_sources(lustre_is_loaded()) };
}

uint32_t *settings_mask(struct settings *s, enum mask_kind kind)
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

void settings_clear(struct settings *s)
{
	names_clear(&s->filtered);
	names_clear(&s->rules);
	names_clear(&s->triggers);
	names_clear(&s->placed);
	names_clear(&s->switched);
	names_clear(&s->functions);
	free(s->filter);
	free(s->pids);
	free(s->cpus);
	free(s->graph);
	free(s->systems);
	free(s->no_graph);
	free(s->no_probe);
	*s = (struct settings){ 0 };
}

int settings_add_filtered(struct settings *s, const struct dkt_event *event)
{
	char *name;

	if (asprintf(&name, "%s:%s", dkt_event_system(event), dkt_event_name(event)) < 0)
		return -ENOMEM;
	return names_take(&s->filtered, name);
}

const char *settings_rest(const char *line)
{
	const char *blank = strchr(line, ' ');

	return blank ? blank + 1 : "";
}

static int copy_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

int settings_copy(struct settings *to, const struct settings *from)
{
	int err;

	*to = *from;
	to->filtered = to->rules = to->triggers = to->placed = to->switched = to->functions =
		(struct names){ 0 };
	to->filter = to->graph = to->pids = to->cpus = NULL;
	to->systems = to->no_graph = to->no_probe = NULL;
	to->recording = to->limited = false;
	err = copy_text(&to->filter, from->filter);
	if (!err)
		err = copy_text(&to->pids, from->pids);
	if (!err)
		err = copy_text(&to->cpus, from->cpus);
	if (!err)
		err = names_copy(&to->rules, &from->rules);
	if (!err)
		err = names_copy(&to->triggers, &from->triggers);
	if (!err)
		err = names_copy(&to->functions, &from->functions);
	if (err)
		settings_clear(to);
	return err;
}

/* ---- the file ---- */

static int read_u32(const char *value, uint32_t *out)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(value, &end, 0);
	if (errno || end == value || *end || v > UINT32_MAX)
		return -EINVAL;
	*out = (uint32_t)v;
	return 0;
}

static int read_bool(const char *value, bool *out)
{
	uint32_t v;
	int err = read_u32(value, &v);

	*out = !err && v;
	return err;
}

static int read_text(const char *value, char **out)
{
	free(*out);
	*out = strdup(value);
	return *out ? 0 : -ENOMEM;
}

/* Keys whose value is a line of text. */
static char **text_of(struct settings *s, const char *key)
{
	return !strcmp(key, "debug_filter") ? &s->filter :
	       !strcmp(key, "graph")        ? &s->graph :
	       !strcmp(key, "pids")         ? &s->pids :
	       !strcmp(key, "cpus")         ? &s->cpus :
	       !strcmp(key, "systems")      ? &s->systems :
	       !strcmp(key, "no_graph")     ? &s->no_graph :
	       !strcmp(key, "no_probe")     ? &s->no_probe :
					      NULL;
}

/* Keys that come as often as they like. */
static struct names *list_of(struct settings *s, const char *key)
{
	return !strcmp(key, "filtered") ? &s->filtered :
	       !strcmp(key, "rule")     ? &s->rules :
	       !strcmp(key, "trigger")  ? &s->triggers :
	       !strcmp(key, "placed")   ? &s->placed :
	       !strcmp(key, "switched") ? &s->switched :
	       !strcmp(key, "function") ? &s->functions :
					  NULL;
}

static int read_line(struct settings *s, const char *key, const char *value)
{
	char **text = text_of(s, key);
	struct names *list = list_of(s, key);

	if (!strcmp(key, "debug"))
		return read_u32(value, &s->debug);
	if (!strcmp(key, "subsystem_debug"))
		return read_u32(value, &s->subsystem_debug);
	if (!strcmp(key, "printk"))
		return read_u32(value, &s->printk);
	if (!strcmp(key, "debug_sources"))
		return read_u32(value, &s->sources);
	if (!strcmp(key, "debug_mb"))
		return read_u32(value, &s->debug_mb);
	if (!strcmp(key, "chosen"))
		return read_u32(value, &s->chosen);
	if (!strcmp(key, "instance"))
		return read_bool(value, &s->made);
	if (!strcmp(key, "lustre"))
		return read_bool(value, &s->lustre);
	if (!strcmp(key, "children"))
		return read_bool(value, &s->children);
	if (!strcmp(key, "limited"))
		return read_bool(value, &s->limited);
	if (!strcmp(key, "recording"))
		return read_bool(value, &s->recording);
	if (text)
		return read_text(value, text);
	return list ? names_add(list, value) : -EINVAL;
}

static int read_lines(FILE *f, struct settings *s, unsigned int *nr)
{
	char *line __cleanup(free) = NULL;
	bool complete = false;
	size_t size = 0;
	int err;

	for (*nr = 1; getline(&line, &size, f) > 0; (*nr)++) {
		char *value = strchr(line, ' ');

		line[strcspn(line, "\n")] = '\0';
		complete = !strcmp(line, "end");
		if (complete)
			break;
		if (!value)
			return -EINVAL;
		*value++ = '\0';
		err = read_line(s, line, value);
		if (err)
			return err;
	}
	/* The last line is there only if all others are. */
	return complete ? 0 : -EINVAL;
}

int settings_load(struct dkt_ctx *ctx, int dirfd, const char *name, struct settings *s)
{
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	unsigned int nr;
	int err;

	*s = (struct settings){ 0 };
	if (!f)
		return dkt_fail(ctx, -errno, "open %s: %s", name, strerror(errno));
	settings_init(s);
	err = read_lines(f, s, &nr);
	fclose(f);
	if (!err)
		return 0;
	settings_clear(s);
	return dkt_fail(ctx, err, "%s: line %u makes no sense", name, nr);
}

static void write_list(FILE *f, const char *key, const struct names *names)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		fprintf(f, "%s %s\n", key, names->list[i]);
}

/* A line is a line: what the kernel said may have more than one. */
static void write_text(FILE *f, const char *key, const char *text)
{
	if (!text)
		return;
	fprintf(f, "%s ", key);
	for (; *text; text++)
		fputc(*text == '\n' ? ' ' : *text, f);
	fputc('\n', f);
}

static int write_lines(FILE *f, const struct settings *s)
{
	fprintf(f, "debug 0x%08" PRIx32 "\nsubsystem_debug 0x%08" PRIx32 "\n", s->debug,
		s->subsystem_debug);
	fprintf(f, "printk 0x%08" PRIx32 "\ndebug_mb %" PRIu32 "\n", s->printk, s->debug_mb);
	fprintf(f, "chosen %" PRIu32 "\ninstance %d\n", s->chosen, s->made);
	fprintf(f, "debug_sources 0x%" PRIx32 "\nlustre %d\n", s->sources, s->lustre);
	write_text(f, "debug_filter", s->filter);
	write_text(f, "pids", s->pids);
	write_text(f, "cpus", s->cpus);
	if (s->children)
		fprintf(f, "children 1\n");
	if (s->limited)
		fprintf(f, "limited 1\n");
	write_list(f, "filtered", &s->filtered);
	write_list(f, "rule", &s->rules);
	write_list(f, "trigger", &s->triggers);
	write_list(f, "placed", &s->placed);
	write_list(f, "switched", &s->switched);
	write_list(f, "function", &s->functions);
	write_text(f, "graph", s->graph);
	write_text(f, "systems", s->systems);
	write_text(f, "no_graph", s->no_graph);
	write_text(f, "no_probe", s->no_probe);
	if (s->recording)
		fprintf(f, "recording 1\n");
	fprintf(f, "end\n");
	return fflush(f) || ferror(f) ? -errno : 0;
}

static char *temp_name(const char *name)
{
	char *temp;

	return asprintf(&temp, "%s.tmp", name) < 0 ? NULL : temp;
}

int settings_stage(struct dkt_ctx *ctx, int dirfd, const char *name, const struct settings *s)
{
	char *temp __cleanup(free) = temp_name(name);
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

int settings_publish(struct dkt_ctx *ctx, int dirfd, const char *name)
{
	char *temp __cleanup(free) = temp_name(name);

	if (!temp)
		return -ENOMEM;
	if (!renameat(dirfd, temp, dirfd, name))
		return 0;
	return dkt_fail(ctx, -errno, "write %s: %s", name, strerror(errno));
}

int settings_save(struct dkt_ctx *ctx, int dirfd, const char *name, const struct settings *s)
{
	int err = settings_stage(ctx, dirfd, name, s);

	return err ? err : settings_publish(ctx, dirfd, name);
}
