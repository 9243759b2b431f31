/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process of a flight recorder: sleeps until somebody asks for a dump, or a condition holds. */
#include "recording/flight/flight.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>

#include "compat/lustre/message/cdebug.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"
#include "lib/inside.h"
#include "recording/flight/incident.h"

/* After an incident the next look at the conditions waits, so that one that always holds costs little. */
#define HOLD DKT__NSEC_PER_SEC

/* How often latencies are looked at while their buffers do not fill up. */
#define LOOK (DKT__NSEC_PER_SEC / 5)

/* ---- the loop ---- */

static int take_signal(struct flight *flight)
{
	char reason[] = "SIGUSR1";
	const struct flight_found asked = { .n = 1, .last = UINT64_MAX, .reason = reason };
	struct signalfd_siginfo info;

	while (read(flight->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			while (waitpid(-1, NULL, WNOHANG) > 0)
				;
		else if (info.ssi_signo == SIGUSR1)
			return flight_incident(flight, &asked);
		else
			flight->ending = true;
	}
	return 0;
}

/* Returns 1 if there was one. */
static int take_request(struct flight *flight)
{
	struct flight_request request;
	int err;

	if (flight_accept(flight->listener, &request))
		return 0;
	if (request.kind == FLIGHT_FOLLOW) {
		flight_followers_add(&flight->followers, request.fd);
		flight_followers_tell(&flight->followers,
				      (const char *[]){ "recorder", flight->state->dir,
							flight->last, NULL });
		return 1;
	}
	err = flight_asked(flight, &request);
	return err ? err : 1;
}

/* On a slow disk many can wait, and one dump serves all of them. */
static int take_requests(struct flight *flight)
{
	int taken = 1;

	while (taken > 0 && flight->n_clients < FLIGHT_CLIENTS)
		taken = take_request(flight);
	return taken < 0 ? taken : 0;
}

static int look(struct flight *flight)
{
	int err = 0;

	flight->hold = service_now() + (flight->conditions.reads ? LOOK : 0);
	for (size_t i = 0; !err && i < flight->conditions.n; i++) {
		struct flight_found found;
		char *reason __cleanup(free) = NULL;

		err = flight_condition_look(flight->ctx, &flight->conditions.list[i], &found);
		reason = found.reason;
		if (err || !found.n)
			continue;
		flight->hold = service_now() + HOLD;
		err = reason ? flight_incident(flight, &found) : -ENOMEM;
	}
	return err;
}

/* Returns the time until the next thing to do, in ms; -1: without limit. */
static int timeout(const struct flight *flight, uint64_t now)
{
	uint64_t next = UINT64_MAX;

	if (flight->reasons)
		next = flight->due;
	if (flight->conditions.reads || (flight->conditions.n && flight->hold > now))
		next = DKT__MIN(next, flight->hold);
	if (flight->conditions.fills)
		next = DKT__MIN(next, flight->renewal);
	if (next == UINT64_MAX)
		return -1;
	return next <= now ? 0 : (int)DKT__MIN((next - now) / 1000000 + 1, 3600000);
}

/* Fills the descriptors of the conditions that are to be waited for. Returns their number. */
static nfds_t wait_for(const struct flight *flight, bool held, struct pollfd *fds)
{
	nfds_t n = 0;

	for (size_t i = 0; i < flight->conditions.n; i++) {
		const struct flight_condition *one = &flight->conditions.list[i];

		/* A latency's records may fill the buffer at any time, also soon after the last look. */
		if (held && !flight_watch_reads(&one->watch))
			continue;
		fds[n++] =
			(struct pollfd){ .fd = dkt_source_fd(one->watch.source), .events = POLLIN };
		if (one->before.source)
			fds[n++] = (struct pollfd){ .fd = dkt_source_fd(one->before.source),
						    .events = POLLIN };
	}
	return n;
}

/* The records of a table that goes are looked at before. */
static int renew(struct flight *flight)
{
	int err;

	if (!flight->conditions.fills || service_now() < flight->renewal)
		return 0;
	err = look(flight);
	if (!err)
		flight_conditions_renew(flight->ctx, flight->log, &flight->conditions);
	flight->renewal = service_now() + FLIGHT_RENEW;
	return err;
}

static int step(struct flight *flight)
{
	uint64_t now = service_now();
	/* A negative descriptor is left out: a client that finds no place waits. */
	struct pollfd fds[2 + 2 * FLIGHT_WATCHES] = {
		{ .fd = flight->signals, .events = POLLIN },
		{ .fd = flight->n_clients < FLIGHT_CLIENTS ? flight->listener : -1,
		  .events = POLLIN },
	};
	nfds_t n = wait_for(flight, flight->hold > now, fds + 2);
	bool ready = false;
	int err = 0;

	if (poll(fds, 2 + n, timeout(flight, now)) < 0 && errno != EINTR)
		return dkt_fail(flight->ctx, -errno, "wait: %s", strerror(errno));
	for (nfds_t i = 0; i < n; i++)
		ready |= fds[2 + i].revents != 0;
	if (fds[0].revents)
		err = take_signal(flight);
	if (!err && fds[1].revents)
		err = take_requests(flight);
	if (!err && (ready || (flight->conditions.reads && flight->hold <= service_now())))
		err = look(flight);
	if (!err && flight->reasons && flight->due <= service_now())
		flight_make_dump(flight);
	if (!err)
		err = renew(flight);
	return dkt__with_words(flight->ctx, err);
}

/* ---- setting up ---- */

static int open_signals(struct flight *flight)
{
	static const int all[] = { SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGCHLD };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		sigaddset(&set, all[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	flight->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return flight->signals < 0 ?
		       dkt_fail(flight->ctx, -errno, "wait for signals: %s", strerror(errno)) :
		       0;
}

static int open_groups(struct flight *flight, const struct flight_opts *opts)
{
	struct flight_state *state = flight->state;
	uint64_t size = opts->size;
	int err = 0;

	if (!size)
		size = flight_default_size((int)sysconf(_SC_NPROCESSORS_CONF), opts->n_groups);
	for (size_t i = 0; !err && i < opts->n_groups; i++) {
		const struct flight_words *words = &opts->groups[i];

		err = dkt__strings_add(&state->words, words->text);
		if (!err)
			err = dkt__strings_add(&state->groups, words->name);
		/* If this process is killed, the state names the instance to remove. */
		if (!err)
			err = flight_save(flight->ctx, flight->log, state);
		if (!err)
			err = flight_create(flight->ctx, flight->log, words->name, size,
					    &words->words, &flight->groups[i]);
		if (err && opts->n_groups > 1)
			dkt__fail_in(flight->ctx, err, "group %s", words->name);
		if (!err && flight->groups[i].wanted->notes)
			dkt__log(flight->ctx, DKT_LOG_WARN, "%s", flight->groups[i].wanted->notes);
	}
	return err;
}

static int set_up(struct flight *flight, const struct flight_opts *opts)
{
	struct flight_state left;
	int err = flight_load(flight->ctx, flight->log, &left);

	flight_clear(&left);
	if (err != -ENOENT)
		return err ? err :
			     dkt_fail(flight->ctx, -EBUSY,
				      "a flight recorder was killed, and its instances still"
				      " record: 'dktrace flight dump' writes what they hold,"
				      " 'dktrace flight stop' removes them");
	flight->groups = calloc(opts->n_groups + 1, sizeof(*flight->groups));
	if (!flight->groups || dkt__hourly_init(&flight->hourly, flight->state->max_dumps))
		return dkt__no_memory(flight->ctx);
	flight->state->started = time(NULL);
	age_now(&flight->clock);
	err = open_signals(flight);
	if (!err)
		err = flight_conditions_open(flight->ctx, flight->log, &opts->who, flight->state,
					     &flight->conditions);
	if (!err)
		err = open_groups(flight, opts);
	if (!err)
		flight->listener = flight_listen(flight->ctx, flight->log);
	return err ? err : DKT__MIN(flight->listener, 0);
}

/*
 * Removes the instances, and then the probes that they used, also if it does not get its turn. Keeps the
 * error message.
 */
static void tear_down(struct flight *flight)
{
	struct flight_state *state = flight->state;
	char *message = dkt__error_take(flight->ctx);
	int turn __cleanup(close) = service_enter(flight->ctx, &flight_service, flight->log);
	int err = DKT__MIN(turn, 0);

	flight_answer_all(flight, -EPIPE, "the flight recorder ends");
	flight_followers_close(&flight->followers);
	err = flight_conditions_remove(flight->ctx, flight->log, &flight->conditions) ?: err;
	for (size_t i = 0; i < state->groups.n; i++) {
		flight_close(&flight->groups[i]);
		err = flight_remove(flight->ctx, flight->log, state->groups.list[i]) ?: err;
		dkl_wanted_free(flight->groups[i].wanted);
	}
	if (flight->signals >= 0)
		close(flight->signals);
	if (flight->listener >= 0)
		close(flight->listener);
	free(flight->groups);
	dkt__hourly_clear(&flight->hourly);
	free(flight->reasons);
	free(flight->ids);
	flight_forget_last(flight);
	/* The state names the instances that could not be removed. */
	if (err)
		dkt__log(flight->ctx, DKT_LOG_WARN, "%s", dkt_error(flight->ctx));
	/* Several of the sets can use the probe on Lustre's messages that one of them has created. */
	dkl_cdebug_take_back(flight->ctx);
	/* flight stop takes a missing state as the sign that nothing is left. */
	if (!err)
		service_forget(&flight_service, flight->log);
	dkt__error_give(flight->ctx, 0, message);
}

int flight_run(struct dkt_ctx *ctx, const char *log, const struct flight_opts *opts)
{
	struct flight flight = { .ctx = ctx,
				 .log = log,
				 .state = opts->limits,
				 .signals = -1,
				 .listener = -1,
				 .last = IDENTITY_NONE };
	int turn = service_enter(ctx, &flight_service, log);
	int err = turn < 0 ? turn : service_lock(ctx, &flight_service, log);

	if (!err)
		err = set_up(&flight, opts);
	if (turn >= 0)
		close(turn);
	if (!err && opts->ready)
		opts->ready(opts->data);
	while (!err && !flight.ending)
		err = step(&flight);
	/* The buffers go, with the records of an incident that waits for its dump. */
	if (!err && flight.reasons)
		flight_make_dump(&flight);
	/* Leave the instances of a killed recorder: the user may still want its records. */
	if (flight.groups)
		tear_down(&flight);
	return err;
}
