/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of probes that a user created, and the file that stores it. */
#include "compat/log/probe_list.h"

#include <fcntl.h>

#include "lib/base/buf.h"
#include "lib/base/gained.h"
#include "lib/base/glob.h"
#include "lib/inside.h"

/* Start of a line of words. */
#define WORDS ": "

static const char letters[] = { [PROBE_OFF] = '-', [PROBE_WAS_ON] = '=', [PROBE_ON] = '+' };

/* ---- the list ---- */

void dkl_probes_free(struct probes *probes)
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

int dkl_probes_append(struct probes *probes, struct dkt_probes *definition, char *words,
		      enum probe_state state)
{
	const struct user_probe probe = {
		.definition = definition, .words = words, .state = state, .before = state
	};
	int err = dkt__append(probes->list, probes->n, probe);

	if (err) {
		dkt_probes_free(definition);
		free(words);
	}
	return err;
}

void dkl_probes_erase(struct probes *probes, size_t i)
{
	dkt_probes_free(probes->list[i].definition);
	free(probes->list[i].words);
	memmove(&probes->list[i], &probes->list[i + 1], (--probes->n - i) * sizeof(*probes->list));
}

struct user_probe *dkl_probes_find(const struct probes *probes, const char *group, const char *name)
{
	for (size_t i = 0; i < probes->n; i++)
		if (!strcmp(probes_at(probes, i)->group, group) &&
		    !strcmp(probes_at(probes, i)->name, name))
			return &probes->list[i];
	return NULL;
}

bool dkl_probes_match(const char *pattern, const struct dkt_probe *probe)
{
	char *both __cleanup(free) = NULL;

	if (!strchr(pattern, ':'))
		return dkt__glob(pattern, probe->name);
	both = dkt__format("%s:%s", probe->group, probe->name);
	return both && dkt__glob(pattern, both);
}

/* ---- the file ---- */

/* The words belong to the probe of the previous line. */
static int read_words(struct probes *probes, const char *words)
{
	struct user_probe *probe = probes->n ? &probes->list[probes->n - 1] : NULL;

	if (!probe || probe->words)
		return 0;
	probe->words = strdup(words);
	return probe->words ? 0 : -ENOMEM;
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
	err = dkt__probe_from_text(log->ctx, line + 2, &definition);
	if (err)
		return err == -EINVAL ? 0 : err;
	return dkl_probes_append(probes, definition, NULL, (enum probe_state)state);
}

int dkl_probes_load(struct debuglog *log)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(log->dirfd);
	FILE *f __cleanup(fclose) = NULL;
	char *line __cleanup(free) = NULL;
	size_t size = 0;
	int fd, err = 0;

	if (log->probes)
		return 0;
	log->probes = calloc(1, sizeof(*log->probes));
	if (!log->probes)
		return -ENOMEM;
	fd = openat(log->dirfd, PROBES_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	f = fd < 0 ? NULL : fdopen(fd, "r");
	while (!err && f && getline(&line, &size, f) > 0)
		err = read_line(log, log->probes, line);
	return err;
}

static int write_file(struct debuglog *log, FILE *f)
{
	int err = 0;

	for (size_t i = 0; !err && i < log->probes->n; i++) {
		const struct user_probe *probe = &log->probes->list[i];
		char *text __cleanup(free) = NULL;

		err = dkt__probe_text(log->ctx, probes_at(log->probes, i), &text);
		if (!err && fprintf(f, "%c %s\n", letters[probe->state], text) < 0)
			err = -errno;
		if (!err && probe->words && fprintf(f, WORDS "%s\n", probe->words) < 0)
			err = -errno;
	}
	return err;
}

static int replace_file(struct debuglog *log)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(log->dirfd);
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
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(log->dirfd);

	return unlinkat(log->dirfd, PROBES_FILE, 0) && errno != ENOENT ? -errno : 0;
}

int dkl_probes_save(struct debuglog *log)
{
	int err = log->probes->n ? replace_file(log) : remove_file(log);

	return err ? dkt_fail(log->ctx, err, "save the list of probes: %s", strerror(-err)) : 0;
}

/* ---- their events ---- */

void dkl_probes_mark(struct debuglog *log)
{
	if (dkl_probes_load(log))
		return;
	for (size_t i = 0; i < log->probes->n; i++) {
		const struct dkt_probe *probe = probes_at(log->probes, i);
		struct dkt_event *event;

		if (log->probes->list[i].state != PROBE_ON)
			continue;
		event = dkt_event_find(log->ctx, probe->group, probe->name);
		if (event)
			dkl_class_map_want(log->map, event);
	}
}

int dkl_probes_remove_at(struct debuglog *log, const struct dkt_probes *in_kernel, size_t i)
{
	const struct dkt_probe *probe = probes_at(log->probes, i);
	const struct dkt_probe *now = dkt__probes_find(in_kernel, probe->group, probe->name);
	int err = 0;

	/* Another program may have created a different probe of that name. */
	if (now && dkt__probe_same(now, probe))
		err = dkt_probe_remove(log->ctx, probe->group, probe->name);
	if (err && err != -ENOENT)
		return err;
	dkl_probes_erase(log->probes, i);
	return 0;
}

int dkl_probes_reset(struct debuglog *log)
{
	struct dkt_probes *in_kernel = NULL;
	int err = dkl_probes_load(log);

	if (err || !log->probes->n)
		return err;
	err = dkt_probes_read(log->ctx, &in_kernel);
	while (!err && log->probes->n)
		err = dkl_probes_remove_at(log, in_kernel, log->probes->n - 1);
	dkt_probes_free(in_kernel);
	/* The next reset tries the remaining probes again. */
	if (err && log->dirfd >= 0) {
		char *message = dkt__error_take(log->ctx);

		dkl_probes_save(log);
		dkt__error_give(log->ctx, err, message);
	}
	return err;
}
