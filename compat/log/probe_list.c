/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of probes that a user created, and the file that stores it. */
#include "log/probe_list.h"

#include <fcntl.h>

#include "base/glob.h"
#include "base/util.h"

/* Begins the line of words. */
#define WORDS ": "

static const char letters[] = { [PROBE_OFF] = '-', [PROBE_WAS_ON] = '=', [PROBE_ON] = '+' };

/* ---- the list ---- */

void probes_free(struct probes *probes)
{
	if (!probes)
		return;
	for (size_t i = 0; i < probes->n; i++) {
		dkt_probes_free(probes->list[i].definition);
		free(probes->list[i].words);
	}
	free(probes->list);
	free(probes);
}

int probes_append(struct probes *probes, struct dkt_probes *definition, char *words,
		  enum probe_state state)
{
	const struct probe_made made = {
		.definition = definition, .words = words, .state = state, .before = state
	};
	int err = dkt__append(probes->list, probes->n, made);

	if (err) {
		dkt_probes_free(definition);
		free(words);
	}
	return err;
}

void probes_drop(struct probes *probes, size_t i)
{
	dkt_probes_free(probes->list[i].definition);
	free(probes->list[i].words);
	memmove(&probes->list[i], &probes->list[i + 1], (--probes->n - i) * sizeof(*probes->list));
}

struct probe_made *probes_find(const struct probes *probes, const char *group, const char *name)
{
	for (size_t i = 0; i < probes->n; i++)
		if (!strcmp(probes_at(probes, i)->group, group) &&
		    !strcmp(probes_at(probes, i)->name, name))
			return &probes->list[i];
	return NULL;
}

bool probes_match(const char *pattern, const struct dkt_probe *probe)
{
	char *both __cleanup(free) = NULL;

	if (!strchr(pattern, ':'))
		return dkt__glob(pattern, probe->name);
	if (asprintf(&both, "%s:%s", probe->group, probe->name) < 0)
		both = NULL;
	return both && dkt__glob(pattern, both);
}

/* ---- the file ---- */

/* Belongs to the probe on the line before. */
static int read_words(struct probes *probes, const char *words)
{
	struct probe_made *made = probes->n ? &probes->list[probes->n - 1] : NULL;

	if (!made || made->words)
		return 0;
	made->words = strdup(words);
	return made->words ? 0 : -ENOMEM;
}

static int read_line(struct debuglog *log, struct probes *probes, char *line)
{
	struct dkt_probes *definition;
	size_t state;
	int err;

	line[strcspn(line, "\n")] = '\0';
	if (!strncmp(line, WORDS, sizeof(WORDS) - 1))
		return read_words(probes, line + sizeof(WORDS) - 1);
	for (state = 0; state < sizeof(letters); state++)
		if (line[0] == letters[state])
			break;
	if (state == sizeof(letters) || line[1] != ' ')
		return 0;
	err = dkt_probe_parse(log->ctx, line + 2, &definition);
	if (err)
		return err == -EINVAL ? 0 : err;
	return probes_append(probes, definition, NULL, (enum probe_state)state);
}

int probes_load(struct debuglog *log)
{
	int fd = log->dirfd < 0 ?
			 -1 :
			 openat(log->dirfd, PROBES_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char *line __cleanup(free) = NULL;
	size_t size = 0;
	int err = 0;

	if (log->probes) {
		if (f)
			fclose(f);
		return 0;
	}
	log->probes = calloc(1, sizeof(*log->probes));
	if (!log->probes)
		err = -ENOMEM;
	while (!err && f && getline(&line, &size, f) > 0)
		err = read_line(log, log->probes, line);
	if (f)
		fclose(f);
	return err;
}

static int write_file(struct debuglog *log, FILE *f)
{
	int err = 0;

	for (size_t i = 0; !err && i < log->probes->n; i++) {
		const struct probe_made *made = &log->probes->list[i];
		char *text __cleanup(free) = NULL;

		err = dkt_probe_text(log->ctx, probes_at(log->probes, i), &text);
		if (!err && fprintf(f, "%c %s\n", letters[made->state], text) < 0)
			err = -errno;
		if (!err && made->words && fprintf(f, WORDS "%s\n", made->words) < 0)
			err = -errno;
	}
	return err;
}

static int replace_file(struct debuglog *log)
{
	static const char temp[] = PROBES_FILE ".new";
	int fd = openat(log->dirfd, temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
			0600);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	int err = f ? write_file(log, f) : -errno;

	if (f && fclose(f) && !err)
		err = -errno;
	return !err && renameat(log->dirfd, temp, log->dirfd, PROBES_FILE) ? -errno : err;
}

static int remove_file(const struct debuglog *log)
{
	return unlinkat(log->dirfd, PROBES_FILE, 0) && errno != ENOENT ? -errno : 0;
}

int probes_save(struct debuglog *log)
{
	int err = log->probes->n ? replace_file(log) : remove_file(log);

	return err ? dkt_fail(log->ctx, err, "save the list of probes: %s", strerror(-err)) : 0;
}

/* ---- what the events and the kernel have of them ---- */

void probes_mark(struct debuglog *log)
{
	if (probes_load(log))
		return;
	for (size_t i = 0; i < log->probes->n; i++) {
		const struct dkt_probe *probe = probes_at(log->probes, i);
		struct dkt_event *event;

		if (log->probes->list[i].state != PROBE_ON)
			continue;
		event = dkt_event_find(log->ctx, probe->group, probe->name);
		if (event)
			class_map_want(log->map, event);
	}
}

/* True if the kernel still has what was made, and not another's of that name. */
static bool is_there(const struct dkt_probes *there, const struct dkt_probe *probe)
{
	const struct dkt_probe *it = dkt_probes_find(there, probe->group, probe->name);

	return it && dkt_probe_same(it, probe);
}

int probes_remove_at(struct debuglog *log, const struct dkt_probes *there, size_t i)
{
	const struct dkt_probe *probe = probes_at(log->probes, i);
	int err = is_there(there, probe) ? dkt_probe_remove(log->ctx, probe->group, probe->name) :
					   0;

	if (err == -EBUSY)
		return dkt_fail(log->ctx, err,
				"%s:%s is in use: it is enabled in another instance, or by perf",
				probe->group, probe->name);
	if (err && err != -ENOENT)
		return err;
	probes_drop(log->probes, i);
	return 0;
}

int probes_reset(struct debuglog *log)
{
	struct dkt_probes *there = NULL;
	int err = probes_load(log);

	if (err || !log->probes->n)
		return err;
	err = dkt_probes_read(log->ctx, &there);
	while (!err && log->probes->n)
		err = probes_remove_at(log, there, log->probes->n - 1);
	dkt_probes_free(there);
	/* Those that could not be are found by the next reset. */
	if (err && log->dirfd >= 0) {
		char *words = dkt_error_take(log->ctx);

		probes_save(log);
		dkt_error_give(log->ctx, err, words);
	}
	return err;
}
