/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recorder's process when something has happened: gathers the reasons, and makes the dump. */
#include "recording/flight/incident.h"

#include <signal.h>
#include <time.h>

#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"
#include "lib/inside.h"
#include "recording/flight/dump.h"
#include "recording/flight/files.h"

/* Bytes of the reasons of one dump, and of the identities of its incidents. */
#define REASONS_MAX 600
#define IDS_MAX     (64 * IDENTITY_SIZE)

static void note_error(struct flight *flight)
{
	char *text = service_line(dkt_error(flight->ctx));

	free(flight->state->error);
	flight->state->error = text;
	flight->state->error_time = time(NULL);
	dkt__log(flight->ctx, DKT_LOG_WARN, "%s", text ? text : "");
}

static void save(struct flight *flight)
{
	if (flight_save(flight->ctx, flight->log, flight->state))
		dkt__log(flight->ctx, DKT_LOG_WARN, "%s", dkt_error(flight->ctx));
}

/* Appends a word to a list, which is NULL before the first. */
static int append(char **list, const char *separator, const char *word)
{
	char *all = *list ? dkt__format("%s%s%s", *list, separator, word) : strdup(word);

	if (!all)
		return -ENOMEM;
	free(*list);
	*list = all;
	return 0;
}

static int add_reason(struct flight *flight, const char *reason)
{
	if (flight->full)
		return 0;
	flight->full = flight->reasons && strlen(flight->reasons) + strlen(reason) > REASONS_MAX;
	if (flight->full)
		reason = "and others";
	return append(&flight->reasons, "; ", reason);
}

/* The next dump is of this incident, too. */
static int add_identity(struct flight *flight, const char *id)
{
	if (!*id || (flight->ids && strlen(flight->ids) > IDS_MAX))
		return 0;
	return append(&flight->ids, " ", id);
}

void flight_forget_last(struct flight *flight)
{
	free(flight->last_file);
	free(flight->last_reasons);
	free(flight->last_ids);
	flight->last_file = flight->last_reasons = flight->last_ids = NULL;
}

/* Others hear of it before anything else is done. */
static int tell_incident(struct flight *flight, const char *reason)
{
	char id[IDENTITY_SIZE] = "";
	int err = dkt__identity_new(id);

	if (err)
		dkt__log(flight->ctx, DKT_LOG_WARN, "a random number: %s", strerror(-err));
	flight_followers_tell(&flight->followers, (const char *[]){ "incident", reason, id, NULL });
	memcpy(flight->last, err ? IDENTITY_NONE : id, IDENTITY_SIZE);
	flight_forget_last(flight);
	return add_identity(flight, id);
}

int flight_incident(struct flight *flight, const struct flight_found *found)
{
	const uint64_t now = service_now();
	uint64_t n = found->n;
	int err = 0;

	/* Its records are in the dump of an incident elsewhere, before which all hosts were frozen. */
	if (found->last <= flight->covered) {
		flight->state->merged += n;
		save(flight);
		return 0;
	}

	/* A dump that is due takes further reasons. */
	if (!flight->reasons && !dkt__hourly_allows(&flight->hourly, now)) {
		flight->state->suppressed += n;
		save(flight);
		return 0;
	}
	if (!flight->reasons) {
		err = tell_incident(flight, found->reason);
		flight->due = now + flight->state->after;
		dkt__hourly_count(&flight->hourly, now);
		n--;
	}
	flight->state->merged += n;
	if (n)
		save(flight);
	return err ? err : add_reason(flight, found->reason);
}

/* ---- requests ---- */

/* Nothing pushes out of the buffers what they hold now. */
static void freeze(struct flight *flight, const char *reason)
{
	char *text __cleanup(free) = dkt__format("flight dump: %s", reason);

	if (!flight->frozen)
		flight->frozen = dkt__monotonic_ns();
	for (size_t i = 0; text && i < flight->state->groups.n; i++)
		flight_pause(&flight->groups[i], text);
}

/*
 * The dump of our last incident is that of the incident elsewhere, too, if its condition held before whoever
 * freezes us had heard of ours. Another dump would have only what came since. Returns whether it is so.
 */
static bool has_dumped(struct flight *flight, const struct flight_request *request)
{
	const struct flight_elsewhere *elsewhere = &request->elsewhere;

	if (request->kind != FLIGHT_FREEZE || !elsewhere->heard || !flight->last_file ||
	    !strcmp(elsewhere->heard, flight->last) ||
	    (!dkt__identity_in(flight->last_ids, elsewhere->id) &&
	     append(&flight->last_ids, " ", elsewhere->id)))
		return false;
	flight_followers_tell(&flight->followers,
			      (const char *[]){ "dump", flight->last_file, flight->last_reasons,
						flight->last_ids, NULL });
	return true;
}

int flight_asked(struct flight *flight, const struct flight_request *request)
{
	int err;

	if (has_dumped(flight, request)) {
		close(request->fd);
		return 0;
	}
	if (request->kind == FLIGHT_FREEZE)
		freeze(flight, request->reason);
	err = add_reason(flight, request->reason);
	if (!err)
		err = add_identity(flight, request->elsewhere.id ?: "");
	if (!err && request->kind == FLIGHT_DUMP)
		flight->clients[flight->n_clients++] = request->fd;
	else
		close(request->fd);
	/* Whoever asks has seen the incident and needs no later records. */
	flight->due = service_now();
	return err;
}

/* ---- dumps ---- */

/* Runs the user's command. The recorder does not wait for it. */
static void run_command(struct flight *flight, const struct flight_dump *dump)
{
	sigset_t none;
	pid_t pid;

	if (!flight->state->exec)
		return;
	pid = fork();
	if (pid)
		return;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setenv("DKTRACE_FLIGHT_FILE", dump->file, 1);
	setenv("DKTRACE_FLIGHT_REASON", dump->reason, 1);
	execl("/bin/sh", "sh", "-c", flight->state->exec, (char *)NULL);
	_exit(127);
}

static void prune(struct flight *flight, uint64_t max_size, const char *spare)
{
	const struct flight_state *state = flight->state;
	const struct flight_limits limits = { .now = age_now(&flight->clock),
					      .keep = state->keep,
					      .max_size = max_size,
					      .spare = spare };

	if ((limits.keep || max_size) && flight_prune(flight->ctx, state->dir, &limits))
		dkt__log(flight->ctx, DKT_LOG_WARN, "%s", dkt_error(flight->ctx));
}

void flight_answer_all(struct flight *flight, int err, const char *text)
{
	while (flight->n_clients)
		flight_answer(flight->clients[--flight->n_clients], err, text);
}

static void forget_error(struct flight_state *state)
{
	free(state->error);
	state->error = NULL;
}

/* A dump whose file could not get its name may do so now. */
static void rescue(struct flight *flight)
{
	struct flight_state *state = flight->state;
	struct flight_dump dump;
	int err = flight_rescue(flight->ctx, flight->log, state->dir, &dump);

	if (err)
		dkt__log(flight->ctx, DKT_LOG_WARN, "%s", dkt_error(flight->ctx));
	else if (dump.file)
		flight_add_dump(state, &dump);
	flight_dump_clear(&dump);
}

/* Takes the texts over. */
static void keep_last(struct flight *flight, char **file, char **reasons, char **ids)
{
	if (!*ids || !dkt__identity_in(*ids, flight->last))
		return;
	flight_forget_last(flight);
	flight->last_file = *file;
	flight->last_reasons = *reasons;
	flight->last_ids = *ids;
	*file = *reasons = *ids = NULL;
}

/* After a dump that fails, the recorder goes on: the next one may succeed. */
void flight_make_dump(struct flight *flight)
{
	struct flight_state *state = flight->state;
	char *answer __cleanup(free) = NULL, *reasons __cleanup(free) = flight->reasons;
	char *ids __cleanup(free) = flight->ids;
	struct flight_dump dump;
	int err;

	/* Dumps that are too old can make the room for this one. */
	prune(flight, 0, NULL);
	rescue(flight);
	err = flight_dump(flight->ctx, flight->log, flight->groups, state->groups.n, state->dir,
			  reasons, &dump);
	answer = strdup(err ? dkt_error(flight->ctx) : dump.file);
	flight->reasons = NULL;
	flight->ids = NULL;
	flight->full = false;
	if (!err && flight->frozen)
		flight->covered = flight->frozen;
	flight->frozen = 0;
	if (err)
		note_error(flight);
	else
		forget_error(state);
	if (dump.file) {
		prune(flight, state->max_size, strrchr(dump.file, '/') + 1);
		run_command(flight, &dump);
	}
	if (dump.file && !flight_add_dump(state, &dump) && state->note)
		dkt__log(flight->ctx, DKT_LOG_WARN, "%s", state->note);
	flight_dump_clear(&dump);
	save(flight);
	/* Answer last: the client then finds the dump in the status, and the old ones deleted. */
	flight_answer_all(flight, err, answer ? answer : "out of memory");
	flight_followers_tell(&flight->followers,
			      (const char *[]){ err ? "failed" : "dump", answer ?: "out of memory",
						reasons ?: "", ids ?: "", NULL });
	if (!err && answer)
		keep_last(flight, &answer, &reasons, &ids);
}
