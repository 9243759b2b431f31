/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes that a user made: the file that remembers them, their making, switching and removal. */
#include "probes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "glob.h"
#include "util.h"

static const char letters[] = { [PROBE_OFF] = '-', [PROBE_WAS_ON] = '=', [PROBE_ON] = '+' };

/* ---- the list ---- */

void probes_free(struct probes *probes)
{
	size_t i;

	if (!probes)
		return;
	for (i = 0; i < probes->n; i++)
		dkt_probes_free(probes->list[i].definition);
	free(probes->list);
	free(probes);
}

/* Takes the definition over. */
static int append(struct probes *probes, struct dkt_probes *definition, enum probe_state state)
{
	struct probe_made *more = reallocarray(probes->list, probes->n + 1, sizeof(*more));

	if (!more) {
		dkt_probes_free(definition);
		return -ENOMEM;
	}
	probes->list = more;
	more[probes->n++] = (struct probe_made){ .definition = definition, .state = state };
	return 0;
}

static void drop(struct probes *probes, size_t i)
{
	dkt_probes_free(probes->list[i].definition);
	memmove(&probes->list[i], &probes->list[i + 1], (--probes->n - i) * sizeof(*probes->list));
}

struct probe_made *probes_find(const struct probes *probes, const char *group, const char *name)
{
	size_t i;

	for (i = 0; i < probes->n; i++)
		if (!strcmp(probes_at(probes, i)->group, group) &&
		    !strcmp(probes_at(probes, i)->name, name))
			return &probes->list[i];
	return NULL;
}

bool probes_match(const char *pattern, const struct dkt_probe *probe)
{
	char *both __cleanup(free) = NULL;

	if (!strchr(pattern, ':'))
		return glob_match(pattern, probe->name);
	if (asprintf(&both, "%s:%s", probe->group, probe->name) < 0)
		both = NULL;
	return both && glob_match(pattern, both);
}

/* ---- the file ---- */

static int read_line(struct debuglog *log, struct probes *probes, char *line)
{
	struct dkt_probes *definition;
	size_t state;
	int err;

	line[strcspn(line, "\n")] = '\0';
	for (state = 0; state < sizeof(letters); state++)
		if (line[0] == letters[state])
			break;
	if (state == sizeof(letters) || line[1] != ' ')
		return 0;
	err = dkt_probe_parse(log->ctx, line + 2, &definition);
	if (err)
		return err == -EINVAL ? 0 : err;
	return append(probes, definition, (enum probe_state)state);
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
	size_t i;
	int err = 0;

	for (i = 0; !err && i < log->probes->n; i++) {
		char *text __cleanup(free) = NULL;

		err = dkt_probe_text(log->ctx, probes_at(log->probes, i), &text);
		if (!err && fprintf(f, "%c %s\n", letters[log->probes->list[i].state], text) < 0)
			err = -errno;
	}
	return err;
}

/* Whole or not at all. */
static int save(struct debuglog *log)
{
	static const char temp[] = PROBES_FILE ".new";
	int fd = openat(log->dirfd, temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
			0600);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	int err;

	if (!f)
		return dkt_fail(log->ctx, -errno, "remember the probes: %s", strerror(errno));
	err = write_file(log, f);
	if (fclose(f) && !err)
		err = -errno;
	if (!err && renameat(log->dirfd, temp, log->dirfd, PROBES_FILE))
		err = -errno;
	return err ? dkt_fail(log->ctx, err, "remember the probes: %s", strerror(-err)) : 0;
}

/* ---- switching ---- */

/* Events come and go: what was worked out for them goes with them. */
static void forget_events(struct debuglog *log)
{
	class_map_free(log->map);
	log->map = NULL;
	dkt_events_forget(log->ctx);
}

void probes_mark(struct debuglog *log)
{
	size_t i;

	if (probes_load(log))
		return;
	for (i = 0; i < log->probes->n; i++) {
		const struct dkt_probe *probe = probes_at(log->probes, i);
		struct dkt_event *event;

		if (log->probes->list[i].state != PROBE_ON)
			continue;
		event = dkt_event_find(log->ctx, probe->group, probe->name);
		if (event)
			class_map_want(log->map, event);
	}
}

/* The log becomes what the settings and the list say. */
static int apply(struct debuglog *log)
{
	struct settings asked;
	int err;

	forget_events(log);
	err = settings_copy(&asked, &log->set);
	if (!err)
		err = debuglog_apply(log, &asked, NULL);
	settings_clear(&asked);
	return err;
}

/* ---- making ---- */

/* Takes back what is new in the list from there on, and those of it that were made. The words stay. */
static void take_back(struct debuglog *log, size_t from, size_t made)
{
	char *words __cleanup(free) = strdup(dkt_error(log->ctx));

	while (log->probes->n > from) {
		size_t i = log->probes->n - 1;
		const struct dkt_probe *probe = probes_at(log->probes, i);

		if (i < from + made)
			dkt_probe_remove(log->ctx, probe->group, probe->name);
		drop(log->probes, i);
	}
	save(log);
	forget_events(log);
	dkt_fail(log->ctx, 0, "%s", words ? words : "");
}

/* None of them may be there; one of ours that has gone by another's hand is forgotten. */
static int check_new(struct debuglog *log, const struct dkt_probes *wanted)
{
	const struct dkt_probe *probe;
	struct probe_made *made;
	size_t i;

	for (i = 0; (probe = dkt_probes_at(wanted, i)); i++) {
		if (dkt_event_find(log->ctx, probe->group, probe->name))
			return dkt_fail(log->ctx, -EEXIST, "there is an event %s:%s already",
					probe->group, probe->name);
		made = probes_find(log->probes, probe->group, probe->name);
		if (made)
			drop(log->probes, (size_t)(made - log->probes->list));
	}
	return 0;
}

/* All are remembered before the first is made. */
static int remember(struct debuglog *log, const struct dkt_probes *wanted)
{
	const struct dkt_probe *probe;
	size_t i;
	int err = 0;

	for (i = 0; !err && (probe = dkt_probes_at(wanted, i)); i++) {
		char *text __cleanup(free) = NULL;
		struct dkt_probes *definition = NULL;

		err = dkt_probe_text(log->ctx, probe, &text);
		if (!err)
			err = dkt_probe_parse(log->ctx, text, &definition);
		if (!err)
			err = append(log->probes, definition, PROBE_OFF);
	}
	return err ? err : save(log);
}

/* What the kernel does not take of several is no reason to do without the others. */
static bool may_skip(const struct probes_opts *opts, size_t n, int err)
{
	return opts->skip && n > 1 && (err == -EINVAL || err == -ENOENT || err == -EADDRNOTAVAIL);
}

static int make_all(struct debuglog *log, size_t from, const struct probes_opts *opts,
		    struct probes_result *result)
{
	size_t n = log->probes->n - from, done, i = from;
	int err = 0;

	for (done = 0; !err && done < n; done++) {
		err = dkt_probe_create(log->ctx, probes_at(log->probes, i));
		if (err && !result->refused)
			dkt_probe_refused(log->ctx, probes_at(log->probes, i), err);
		if (err && may_skip(opts, n, err)) {
			if (!result->refused++)
				result->words = strdup(dkt_error(log->ctx));
			drop(log->probes, i);
			err = 0;
		} else if (!err) {
			result->made++;
			i++;
		}
		if (opts->progress)
			opts->progress(opts->data, done + 1, n);
	}
	if (!err && !result->made)
		err = dkt_fail(log->ctx, -EINVAL, "%s", result->words ? result->words : "");
	return err;
}

int probes_add(struct debuglog *log, const struct dkt_probes *wanted,
	       const struct probes_opts *opts, struct probes_result *result)
{
	size_t from, i;
	int err = probes_load(log);

	*result = (struct probes_result){ 0 };
	if (err)
		return err;
	dkt_events_forget(log->ctx);
	err = check_new(log, wanted);
	if (err)
		return err;
	from = log->probes->n;
	err = remember(log, wanted);
	if (!err)
		err = make_all(log, from, opts, result);
	for (i = from; !err && opts->enable && i < log->probes->n; i++)
		log->probes->list[i].state = PROBE_ON;
	if (!err && opts->enable)
		err = apply(log);
	if (!err)
		err = save(log);
	if (err)
		take_back(log, from, result->made);
	forget_events(log);
	return err;
}

int probes_switch(struct debuglog *log, const char *pattern, bool on, size_t *changed)
{
	size_t i;
	int err = probes_load(log);

	*changed = 0;
	for (i = 0; !err && i < log->probes->n; i++) {
		if (!probes_match(pattern, probes_at(log->probes, i)))
			continue;
		log->probes->list[i].state = on                                      ? PROBE_ON :
					     log->probes->list[i].state == PROBE_OFF ? PROBE_OFF :
										       PROBE_WAS_ON;
		++*changed;
	}
	if (!err && !*changed)
		return dkt_fail(log->ctx, -ENOENT, "no probe of dktrace is called '%s'", pattern);
	if (!err)
		err = apply(log);
	return err ? err : save(log);
}

/* ---- removing ---- */

/*
 * Records of an event that is gone cannot be printed. Looking at them all brings them to where they
 * are kept, as show does.
 */
static int count_unread(struct debuglog *log, const struct dkt_probe *probe, uint64_t *n)
{
	struct dkt_event *event = dkt_event_find(log->ctx, probe->group, probe->name);
	char *spool __cleanup(free) = NULL;
	DKT_OPTS(dkt_capture_opts, opts, .flags = DKT_CAPTURE_KEEP);
	struct dkt_capture *capture = NULL;
	struct dkt_record record;
	int err;

	*n = 0;
	if (!log->in || !event)
		return 0;
	err = debuglog_spool(log, &spool);
	opts.spool = spool;
	if (!err)
		err = dkt_capture_open(log->in, &opts, &capture);
	while (!err && !dkt_capture_next(capture, &record))
		*n += record.event == event;
	dkt_capture_close(capture);
	return err;
}

static int check_unread(struct debuglog *log, const struct dkt_probe *probe)
{
	uint64_t n;
	int err = count_unread(log, probe, &n);

	if (err || !n)
		return err;
	return dkt_fail(log->ctx, -EBUSY,
			"%llu record%s of %s:%s %s in the log, and cannot be printed without it; dk"
			" prints them first, --force empties the log",
			(unsigned long long)n, n == 1 ? "" : "s", probe->group, probe->name,
			n == 1 ? "is" : "are");
}

/* True if the kernel still has what was made, and not another's of that name. */
static bool is_there(const struct dkt_probes *there, const struct dkt_probe *probe)
{
	const struct dkt_probe *it = dkt_probes_find(there, probe->group, probe->name);

	return it && dkt_probe_same(it, probe);
}

static int remove_one(struct debuglog *log, const struct dkt_probes *there, size_t i)
{
	const struct dkt_probe *probe = probes_at(log->probes, i);
	int err = is_there(there, probe) ? dkt_probe_remove(log->ctx, probe->group, probe->name) :
					   0;

	if (err == -EBUSY)
		return dkt_fail(log->ctx, err,
				"%s:%s is on elsewhere: in another instance, or by perf",
				probe->group, probe->name);
	if (err && err != -ENOENT)
		return err;
	drop(log->probes, i);
	return 0;
}

/* As they were, after a failure whose words stay. */
static void put_back(struct debuglog *log, const enum probe_state *states)
{
	char *words __cleanup(free) = strdup(dkt_error(log->ctx));
	size_t i;

	for (i = 0; i < log->probes->n; i++)
		log->probes->list[i].state = states[i];
	if (!apply(log))
		save(log);
	dkt_fail(log->ctx, 0, "%s", words ? words : "");
}

/* Those that match are off first, and nothing of them is unread. */
static int prepare(struct debuglog *log, const char *pattern, bool force, bool *empty)
{
	enum probe_state *states __cleanup(free) = calloc(log->probes->n + 1, sizeof(*states));
	bool was_on = false;
	size_t i, n = 0;
	int err = states ? 0 : -ENOMEM;

	for (i = 0; !err && i < log->probes->n; i++) {
		states[i] = log->probes->list[i].state;
		if (!probes_match(pattern, probes_at(log->probes, i)))
			continue;
		n++;
		was_on |= states[i] == PROBE_ON;
	}
	if (!err && !n)
		return dkt_fail(log->ctx, -ENOENT, "no probe of dktrace is called '%s'", pattern);
	*empty = false;
	if (!err && was_on)
		err = probes_switch(log, pattern, false, &n);
	for (i = 0; !err && i < log->probes->n; i++) {
		if (log->probes->list[i].state != PROBE_WAS_ON ||
		    !probes_match(pattern, probes_at(log->probes, i)))
			continue;
		err = check_unread(log, probes_at(log->probes, i));
		*empty |= err == -EBUSY && force;
		err = err == -EBUSY && force ? 0 : err;
	}
	if (err && was_on)
		put_back(log, states);
	return err;
}

struct removal {
	struct debuglog *log;
	const char *pattern;
	size_t *removed;
};

static int remove_matching(void *data)
{
	const struct removal *removal = data;
	struct debuglog *log = removal->log;
	struct dkt_probes *there;
	size_t i;
	int err = dkt_probes_read(log->ctx, &there);

	for (i = log->probes->n; !err && i-- > 0;) {
		if (!probes_match(removal->pattern, probes_at(log->probes, i)))
			continue;
		err = remove_one(log, there, i);
		*removal->removed += !err;
	}
	if (there)
		dkt_probes_free(there);
	return err;
}

int probes_remove(struct debuglog *log, const char *pattern, bool force, size_t *removed)
{
	struct removal removal = { .log = log, .pattern = pattern, .removed = removed };
	char *spool __cleanup(free) = NULL;
	char *words __cleanup(free) = NULL;
	bool empty = false;
	int err = probes_load(log);

	*removed = 0;
	if (!err)
		err = prepare(log, pattern, force, &empty);
	if (!err)
		err = debuglog_spool(log, &spool);
	/* The next event may get the number that these records have. */
	if (!err && empty)
		err = dkt_capture_clear(log->in, spool);
	/* The kernel empties the buffers of instances in which such an event was on. */
	if (!err)
		err = log->in ? dkt_instance_rest(log->in, spool, remove_matching, &removal) :
				remove_matching(&removal);
	forget_events(log);
	if (!err)
		return save(log);
	words = strdup(dkt_error(log->ctx));
	if (*removed)
		save(log);
	return dkt_fail(log->ctx, err, "%s", words ? words : "");
}

int probes_reset(struct debuglog *log)
{
	struct dkt_probes *there = NULL;
	int err = probes_load(log);

	if (err || !log->probes->n)
		return err;
	err = dkt_probes_read(log->ctx, &there);
	while (!err && log->probes->n)
		err = remove_one(log, there, log->probes->n - 1);
	dkt_probes_free(there);
	/* Those that could not be are found by the next reset. */
	if (err && log->dirfd >= 0) {
		char *words __cleanup(free) = strdup(dkt_error(log->ctx));

		save(log);
		dkt_fail(log->ctx, err, "%s", words ? words : "");
	}
	return err;
}
