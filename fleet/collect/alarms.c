/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Incidents of a whole fleet: one host's incident freezes the recorders of all others. */
#include "fleet/collect/alarms.h"

#include <sched.h>

#include "fleet/remote/words.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"

/* Bytes of a line that a host writes, and of the name of a dump. */
#define LINE_MAX_LEN 4096
#define FILE_MAX_LEN 128

static const char no_identity[IDENTITY_SIZE] = "";

#define FILE_BEGIN "flight-"
#define FILE_CHARS "abcdefghijklmnopqrstuvwxyz0123456789-."

int alarms_init(struct alarms *alarms)
{
	const size_t n = alarms->fleet->n;

	alarms->lines = calloc(n + 1, sizeof(*alarms->lines));
	alarms->hosts = calloc(n + 1, sizeof(*alarms->hosts));
	if (!alarms->lines || !alarms->hosts)
		return -ENOMEM;
	return dkt__hourly_init(&alarms->hourly, alarms->most);
}

/* ---- one incident ---- */

/* A host whose connection is broken hears it when it is there again. */
static bool can_answer(const struct fleet_host *host)
{
	return host->begun && !host_is_over(host);
}

/* Without the right to do so everything works as well, only later on a busy machine. */
static void set_policy(int policy, int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, &param);
}

/* Tells a host of an incident elsewhere, and which one of its own we have heard of last. */
static void freeze(struct alarms *alarms, size_t nr, const char *first, const char *reason)
{
	const char *id = alarms->now.id, *heard = alarms->hosts[nr].heard;
	const bool both = *id && *heard;
	char *line __cleanup(free) = dkt__format("%s: %s%s%s%s%s\n", first, reason, *id ? "\t" : "",
						 id, both ? "\t" : "", both ? heard : "");

	if (!line)
		return;
	host_input(&alarms->fleet->hosts[nr], line);
	alarms->now.asked++;
}

/*
 * The words go to every host before anything else is done: the programs that they wake must not take the
 * CPU before all hosts are told.
 */
static void freeze_others(struct alarms *alarms, const struct fleet_host *first, const char *reason)
{
	struct fleet *fleet = alarms->fleet;

	set_policy(SCHED_FIFO, 1);
	for (size_t i = 0; i < fleet->n; i++)
		if (&fleet->hosts[i] != first && can_answer(&fleet->hosts[i]))
			freeze(alarms, i, first->name, reason);
	set_policy(SCHED_OTHER, 0);
}

/* id: of the incident, empty: none. */
static int begin(struct alarms *alarms, const struct fleet_host *host, const char *reason,
		 const char *id)
{
	const uint64_t now = dkt__monotonic_ns();
	const size_t nr = (size_t)(host - alarms->fleet->hosts);
	struct alarm *alarm = &alarms->now;

	if (alarms->open) {
		alarm->merged++;
		/* The dump that the host makes for it has more than another one for the first incident. */
		if (!alarms->hosts[nr].id[0])
			memcpy(alarms->hosts[nr].id, id, IDENTITY_SIZE);
		return 0;
	}
	if (!dkt__hourly_allows(&alarms->hourly, now)) {
		if (!alarms->suppressed++)
			alarms->tell(alarms->data, host->name,
				     "an incident does not freeze the others: the hour has had"
				     " its dumps");
		return 0;
	}
	*alarm = (struct alarm){ .host = host->name };
	memcpy(alarm->id, id, IDENTITY_SIZE);
	freeze_others(alarms, host, reason);
	alarm->took = dkt__monotonic_ns() - now;
	alarm->began = time(NULL);
	alarm->reason = strdup(reason);
	alarm->files = calloc(alarms->fleet->n + 1, sizeof(*alarm->files));
	for (size_t i = 0; i < alarms->fleet->n; i++) {
		alarms->hosts[i].answered = false;
		alarms->hosts[i].id[0] = '\0';
	}
	dkt__hourly_count(&alarms->hourly, now);
	alarms->until = now + alarms->wait;
	alarms->open = true;
	return alarm->reason && alarm->files ? 0 : -ENOMEM;
}

static void end(struct alarms *alarms)
{
	struct alarm *alarm = &alarms->now;

	alarms->open = false;
	if (alarm->files)
		alarms->made(alarms->data, alarm);
	for (size_t i = 0; alarm->files && i < alarms->fleet->n; i++)
		free(alarm->files[i]);
	free(alarm->files);
	free(alarm->reason);
	*alarm = (struct alarm){ 0 };
}

/* ---- lines ---- */

/* Returns the name of the file if it is one that a recorder gives; it becomes a word of a command. */
static const char *dump_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return !strncmp(name, FILE_BEGIN, strlen(FILE_BEGIN)) && !name[strspn(name, FILE_CHARS)] &&
			       strlen(name) < FILE_MAX_LEN ?
		       name :
		       NULL;
}

/*
 * True if a dump of these incidents belongs to the one there is: not that of an earlier one, and none that
 * somebody on the host has asked for. A recorder or a host of an older version tells no identities (NULL).
 */
static bool is_awaited(const struct alarms *alarms, size_t nr, const char *ids)
{
	const struct alarms_host *host = &alarms->hosts[nr];

	if (!alarms->open || host->answered)
		return false;
	return !ids || !alarms->now.id[0] || dkt__identity_in(ids, alarms->now.id) ||
	       (host->id[0] && dkt__identity_in(ids, host->id));
}

static int take_dump(struct alarms *alarms, size_t nr, const char *path, const char *ids)
{
	struct alarm *alarm = &alarms->now;
	const char *name = dump_name(path);

	if (!name)
		return -EPROTO;
	if (!is_awaited(alarms, nr, ids))
		return 0;
	alarms->hosts[nr].answered = true;
	alarm->files[nr] = strdup(name);
	alarm->n_files++;
	return alarm->files[nr] ? 0 : -ENOMEM;
}

/* Whose line it is. */
struct speaker {
	struct alarms *alarms;
	size_t nr;
};

static void hear(struct alarms *alarms, size_t nr, const char *id)
{
	memcpy(alarms->hosts[nr].heard, id, IDENTITY_SIZE);
}

/*
 * WORD TAB TEXT; after "recorder" its last incident, after "incident" its identity, after "dump" and "failed"
 * the reasons and the identities.
 */
static int take_line(void *data, char *line)
{
	struct alarms *alarms = ((struct speaker *)data)->alarms;
	const size_t nr = ((struct speaker *)data)->nr;
	const struct fleet_host *host = &alarms->fleet->hosts[nr];
	char *rest = line;
	const char *word = strsep(&rest, "\t"), *text = strsep(&rest, "\t");
	const char *more = strsep(&rest, "\t"), *ids = strsep(&rest, "\t");

	if (!text)
		return -EPROTO;
	if (!strcmp(word, "recorder"))
		hear(alarms, nr, more && dkt__identity_is(more) ? more : no_identity);
	if (!strcmp(word, "incident")) {
		more = more && dkt__identity_is(more) ? more : no_identity;
		hear(alarms, nr, more);
		return begin(alarms, host, text, more);
	}
	if (!strcmp(word, "dump"))
		return take_dump(alarms, nr, text, ids);
	if (!strcmp(word, "failed")) {
		alarms->hosts[nr].answered |= is_awaited(alarms, nr, ids);
		alarms->tell(alarms->data, host->name, text);
	}
	/* A newer recorder may say more. */
	return 0;
}

int alarms_take(void *data, struct fleet_host *host, const uint8_t *bytes, size_t len)
{
	struct alarms *alarms = data;
	struct speaker speaker = { alarms, (size_t)(host - alarms->fleet->hosts) };
	struct dkt_buf *lines = &alarms->lines[speaker.nr];
	int err = words_lines(lines, bytes, len, take_line, &speaker);

	return !err && lines->len > LINE_MAX_LEN ? -EPROTO : err;
}

/* ---- time ---- */

static bool all_answered(const struct alarms *alarms)
{
	for (size_t i = 0; i < alarms->fleet->n; i++)
		if (!alarms->hosts[i].answered && can_answer(&alarms->fleet->hosts[i]))
			return false;
	return true;
}

void alarms_tick(struct alarms *alarms, uint64_t now)
{
	if (alarms->open && (now > alarms->until || all_answered(alarms)))
		end(alarms);
}

void alarms_clear(struct alarms *alarms)
{
	if (alarms->open)
		end(alarms);
	for (size_t i = 0; alarms->lines && i < alarms->fleet->n; i++)
		free(alarms->lines[i].data);
	free(alarms->lines);
	free(alarms->hosts);
	dkt__hourly_clear(&alarms->hourly);
}
