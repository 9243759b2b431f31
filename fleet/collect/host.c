/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One host of a fleet: what is said over its connection. Everything that comes is hostile input. */
#include "fleet/collect/host.h"

#include <poll.h>

#include "fleet/remote/words.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"

/* Bytes that are kept of each text which comes from a host. */
#define TEXT_MAX (16 << 10)

/* Questions for the time: so many at the beginning and at the end, and one each so many ns between. */
#define TRIPS_BEGIN 8
#define TRIPS_END   4
#define TRIP_EACH   DKT__NSEC_PER_SEC

/* How long to wait before a lost connection is tried again, in ns. */
#define RETRY_EACH (2 * DKT__NSEC_PER_SEC)

/* ---- ending ---- */

void host_release(struct fleet_host *host)
{
	int *const fds[] = { &host->in, &host->out, &host->err };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

/* ssh ends by itself when the far side has heard the last word; otherwise it is killed. */
static void close_connection(struct fleet_host *host, bool kill_ssh)
{
	host_release(host);
	if (kill_ssh)
		host_reap(host, true);
	frame_reader_clear(&host->reader);
	host->queue.len = host->queued_at = 0;
	host->asked = 0;
}

static void set_message(struct fleet_host *host, char *words)
{
	free(host->message);
	host->message = words;
}

/* Lets the host end its command, which would wait for another connection. Returns whether it was told. */
static bool quit(struct fleet_host *host)
{
	uint8_t head[FRAME_HEAD];

	/* Behind a part of a frame it would be a part of that. */
	if (host->state != FLEET_RUNNING || host->out < 0 || host->queued_at < host->queue.len)
		return false;
	frame_put_head(head, FRAME_QUIT, 0);
	return write(host->out, head, sizeof(head)) == sizeof(head);
}

void host_abandon(struct fleet_host *host, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_message(host, dkt__vformat(fmt, ap));
	va_end(ap);
	close_connection(host, !quit(host));
	host->state = FLEET_FAILED;
}

/* The connection is gone: tries again if the host has kept the run. */
static void lose(struct fleet_host *host, const char *why)
{
	const char *words = host->ssh_errors.len ? words_last(host->ssh_errors.data) : NULL;
	char *message = dkt__format("%s%s%s", why, words ? ": " : "", words ? words : "");
	const uint64_t now = dkt__monotonic_ns();

	if (!host->id || !host->opts->reconnect) {
		host_abandon(host, "%s", message ? message : why);
		free(message);
		return;
	}
	set_message(host, message);
	close_connection(host, true);
	if (host->state == FLEET_RUNNING)
		host->breaks++;
	if (!host->lost)
		host->lost = now;
	host->state = FLEET_BROKEN;
	host->next = now + RETRY_EACH;
}

/* ---- speaking ---- */

static void say(struct fleet_host *host, enum frame_kind kind, const void *bytes, size_t len)
{
	if (frame_add(&host->queue, kind, bytes, len))
		host_abandon(host, "out of memory");
	else
		host_write(host);
}

void host_write(struct fleet_host *host)
{
	while (host->out >= 0 && host->queued_at < host->queue.len) {
		ssize_t n = write(host->out, host->queue.data + host->queued_at,
				  host->queue.len - host->queued_at);

		/* If the connection is lost, reading says so, with the reason. */
		if (n < 0 && errno != EINTR)
			return;
		host->queued_at += n > 0 ? (size_t)n : 0;
	}
	host->queue.len = host->queued_at = 0;
}

/* Returns false if there is no room for it. */
static bool add_word(uint8_t body[FRAME_MAX_BODY], size_t *len, const char *word)
{
	const size_t size = strlen(word) + 1;

	if (size > FRAME_MAX_BODY - *len)
		return false;
	memcpy(body + *len, word, size);
	*len += size;
	return true;
}

static void say_run(struct fleet_host *host)
{
	uint8_t body[FRAME_MAX_BODY];
	size_t len = 16;
	bool fits = true;

	frame_put_u64(body, host->opts->keep);
	frame_put_u64(body + 8, host->opts->reconnect);
	for (char *const *arg = host->opts->args; fits && *arg; arg++)
		fits = add_word(body, &len, *arg);
	if (fits && host->word)
		fits = add_word(body, &len, host->word);
	if (!fits) {
		host_abandon(host, "the command is too long");
		return;
	}
	host->begun = true;
	say(host, FRAME_RUN, body, len);
}

static void say_resume(struct fleet_host *host)
{
	uint8_t body[8 + 64] = { 0 };
	const size_t len = strlen(host->id);

	frame_put_u64(body, host->bytes);
	memcpy(body + 8, host->id, DKT__MIN(len, sizeof(body) - 9));
	host->errors.len = 0;
	host->acked = host->bytes;
	say(host, FRAME_RESUME, body, sizeof(body));
}

static void acknowledge(struct fleet_host *host)
{
	uint8_t body[8];

	host->acked = host->bytes;
	frame_put_u64(body, host->bytes);
	say(host, FRAME_ACK, body, sizeof(body));
}

static void ask_time(struct fleet_host *host)
{
	uint8_t body[8];

	host->asked = host->asked_last = dkt__monotonic_ns();
	frame_put_u64(body, host->asked);
	say(host, FRAME_TIME, body, sizeof(body));
}

void host_forget(struct fleet_host *host)
{
	if (host->state == FLEET_RUNNING)
		say(host, FRAME_QUIT, "", 0);
	close_connection(host, host->state != FLEET_RUNNING);
	set_message(host, strdup("interrupted"));
	host->state = FLEET_FAILED;
}

void host_input(struct fleet_host *host, const char *text)
{
	if (host->state == FLEET_RUNNING)
		say(host, FRAME_IN, text, strlen(text));
	else if (!host_is_over(host))
		words_keep(&host->input, text, strlen(text), TEXT_MAX);
}

void host_stop(struct fleet_host *host)
{
	if (!host->begun) {
		host_forget(host);
	} else if (!host->told_stop) {
		/* A host whose connection is broken hears it when it is there again. */
		host->told_stop = true;
		if (host->state == FLEET_RUNNING)
			say(host, FRAME_STOP, "", 0);
	}
}

/* ---- listening ---- */

/* Returns a copy of the value in the line NAME=VALUE; NULL: no line has the name, or out of memory. */
static char *value_of(const char *lines, const char *name)
{
	const size_t len = strlen(name);

	for (const char *line = lines; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len) && line[len] == '=')
			return dkt__format("%.*s",
					   (int)DKT__MIN(strcspn(line + len + 1, "\n"), 255),
					   line + len + 1);
	}
	return NULL;
}

/* The command runs, and the time can be asked for. */
static void begin(struct fleet_host *host)
{
	host->state = FLEET_RUNNING;
	host->lost = 0;
	host->trips = TRIPS_BEGIN;
	ask_time(host);
	if (host->input.len && host->state == FLEET_RUNNING)
		say(host, FRAME_IN, host->input.data, host->input.len);
	host->input.len = 0;
	if (host->told_stop && host->state == FLEET_RUNNING)
		say(host, FRAME_STOP, "", 0);
}

static void take_first_hello(struct fleet_host *host, const char *lines)
{
	host->hostname = value_of(lines, "host");
	host->boot = value_of(lines, "boot");
	host->version = value_of(lines, "version");
	host->wall_error = value_of(lines, "wall_error");
	host->id = value_of(lines, "id");
	if (host->id && !*host->id) {
		free(host->id);
		host->id = NULL;
	}
	say_run(host);
	if (!host_is_over(host))
		begin(host);
}

static void take_hello(struct fleet_host *host, const char *lines)
{
	char *boot __cleanup(free) = NULL;

	host->greeted = true;
	if (!host->begun) {
		take_first_hello(host, lines);
		return;
	}
	boot = value_of(lines, "boot");
	if (host->boot && boot && strcmp(host->boot, boot) != 0)
		host_abandon(host, "it was booted again, and what it had recorded is gone");
	else
		say_resume(host);
}

static int take_output(struct fleet_host *host, const uint8_t *bytes, size_t len)
{
	int err = -EFBIG;

	if (host->opts->take) {
		err = host->opts->take(host->opts->data, host, bytes, len);
		if (err) {
			host_abandon(host, "what its command writes cannot be read");
			return err;
		}
	} else if (!host->opts->most || host->bytes + len <= host->opts->most) {
		err = dkt__write_all(host->file, bytes, len);
	}
	if (err) {
		host_abandon(host, "write its output: %s", strerror(-err));
		return err;
	}
	host->bytes += len;
	if (host->bytes - host->acked >= FRAME_ACK_BYTES)
		acknowledge(host);
	return 0;
}

static void finish(struct fleet_host *host)
{
	say(host, FRAME_QUIT, "", 0);
	close_connection(host, false);
	host->state = FLEET_ENDED;
}

static int take_time(struct fleet_host *host, const uint8_t *bytes, size_t len)
{
	const uint64_t now = dkt__monotonic_ns();
	struct frame_time time;
	int err;

	/* Only the answer to the open question counts, or the host could make up a round trip. */
	if (!frame_get_time(bytes, len, &time) || !host->asked || time.asked != host->asked ||
	    time.received > time.sent)
		return -EPROTO;
	host->asked = 0;
	err = clock_add(&host->clock, &(struct clock_trip){ .sent = time.asked,
							    .received = now,
							    .far_received = time.received,
							    .far_sent = time.sent,
							    .far_wall = time.wall });
	if (err)
		return err;
	if (host->trips && --host->trips)
		ask_time(host);
	else if (host->told_end)
		finish(host);
	return 0;
}

static int take_end(struct fleet_host *host, const uint8_t *bytes, size_t len)
{
	if (len != 16 || frame_get_u64(bytes + 8) != host->bytes)
		return -EPROTO;
	host->status = (uint32_t)DKT__MIN(frame_get_u64(bytes), 255);
	host->told_end = true;
	host->trips = TRIPS_END;
	if (!host->asked)
		ask_time(host);
	return 0;
}

/* The errors of this end the connection. */
static int take_frame(void *data, enum frame_kind kind, const uint8_t *bytes, size_t len)
{
	struct fleet_host *host = data;

	if (kind == FRAME_HELLO && !host->greeted) {
		take_hello(host, (const char *)bytes);
	} else if (kind == FRAME_REFUSED && host->greeted) {
		host_abandon(host, "%.*s", (int)DKT__MIN(len, TEXT_MAX), (const char *)bytes);
	} else if (kind == FRAME_RESUMED && host->greeted && host->state == FLEET_CONNECTING) {
		begin(host);
	} else if (host->state != FLEET_RUNNING) {
		return -EPROTO;
	} else if (kind == FRAME_OUT && !host->told_end) {
		return take_output(host, bytes, len);
	} else if (kind == FRAME_ERR) {
		words_keep(&host->errors, bytes, len, TEXT_MAX);
	} else if (kind == FRAME_TIME) {
		return take_time(host, bytes, len);
	} else if (kind == FRAME_END && !host->told_end) {
		return take_end(host, bytes, len);
	} else {
		return -EPROTO;
	}
	/* The reader belongs to a connection that has just been closed. */
	return host->in < 0 ? -ENOTCONN : 0;
}

void host_read(struct fleet_host *host, uint8_t *buffer, size_t size)
{
	ssize_t n = read(host->in, buffer, size);
	struct frame_reader reader = host->reader;
	int err;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	host_read_errors(host);
	if (n <= 0 && host->told_end) {
		/* All is here; only the last questions for the time have no answer. */
		finish(host);
		return;
	}
	if (n <= 0) {
		lose(host,
		     host->state == FLEET_CONNECTING ? "cannot connect" : "connection broken");
		return;
	}
	host->heard = dkt__monotonic_ns();
	/* A frame may close the connection, which clears its reader. */
	host->reader = (struct frame_reader){ 0 };
	err = frame_read(&reader, buffer, (size_t)n, take_frame, host);
	if (host->in >= 0)
		host->reader = reader;
	else
		frame_reader_clear(&reader);
	if (host->in >= 0 && err)
		host_abandon(host, err == -ENOMEM ?
					   "out of memory" :
					   "what comes from it is not of 'dktrace remote'");
}

void host_read_errors(struct fleet_host *host)
{
	char bytes[TEXT_MAX];
	ssize_t n;

	if (host->err < 0)
		return;
	/* Once: it may never end, and more than this is not kept. */
	n = read(host->err, bytes, sizeof(bytes));
	if (n > 0) {
		words_keep(&host->ssh_errors, bytes, (size_t)n, TEXT_MAX);
	} else if (!n || (errno != EAGAIN && errno != EINTR)) {
		close(host->err);
		host->err = -1;
	}
}

/* ---- time ---- */

/* A disk that holds up this program does not make a host silent: then something is there to be read. */
static bool is_silent(const struct fleet_host *host, uint64_t now)
{
	struct pollfd ready = { .fd = host->in, .events = POLLIN };

	return now > host->heard && now - host->heard > host->opts->timeout &&
	       poll(&ready, 1, 0) <= 0;
}

static void lose_silent(struct fleet_host *host)
{
	char *why __cleanup(free) =
		dkt__format("no answer within %g s, the limit of --timeout",
			    (double)host->opts->timeout / (double)DKT__NSEC_PER_SEC);

	lose(host, why ? why : "no answer");
}

void host_tick(struct fleet_host *host, uint64_t now)
{
	if (host->state == FLEET_BROKEN && host->lost && now - host->lost > host->opts->reconnect) {
		host->state = FLEET_FAILED;
	} else if ((host->state == FLEET_CONNECTING || host->state == FLEET_RUNNING) &&
		   is_silent(host, now)) {
		lose_silent(host);
	} else if (host->state == FLEET_RUNNING) {
		if (host->bytes > host->acked)
			acknowledge(host);
		if (host->state == FLEET_RUNNING && !host->asked &&
		    now - host->asked_last > (uint64_t)TRIP_EACH)
			ask_time(host);
	}
}

void host_clear(struct fleet_host *host)
{
	close_connection(host, true);
	clock_free(&host->clock);
	free(host->queue.data);
	free(host->input.data);
	free(host->ssh_errors.data);
	free(host->errors.data);
	free(host->message);
	free(host->hostname);
	free(host->boot);
	free(host->version);
	free(host->wall_error);
	free(host->id);
}
