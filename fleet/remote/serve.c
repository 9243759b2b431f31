/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The far side of `dktrace collect`: one loop between the connection and the command. */
#include "fleet/remote/serve.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/timex.h>
#include <sys/utsname.h>

#include "fleet/remote/child.h"
#include "fleet/remote/frame.h"
#include "fleet/remote/kept.h"
#include "fleet/remote/outbox.h"
#include "fleet/remote/resume.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "lib/base/when.h"

/* Bytes that are read from the connection at once. */
#define CHUNK (16 << 10)

/* Limits of what the other side may ask for. */
#define KEEP_MIN UINT64_C(65536)
#define KEEP_MAX (UINT64_C(1) << 30)
#define WAIT_MAX (UINT64_C(3600) * DKT__NSEC_PER_SEC)

/* How often the loop looks at its clock while the connection is lost, and at an ending command, in ms. */
#define LOOK_MS   1000
#define ENDING_MS 10

struct serve {
	struct dkt_ctx *ctx;
	const struct serve_opts *opts;
	int in, out; /* -1: the connection is lost */
	int giver; /* the process that handed it over; -1: none */
	struct frame_reader reader;
	struct outbox box;
	struct child child;
	struct kept kept; /* standard output of the command */
	bool told_end; /* FRAME_END is on its way */
	bool done; /* nothing is left to do */
	int listener; /* -1: the run cannot be resumed */
	char id[RESUME_ID_SIZE];
	uint64_t lost_at; /* when the connection was lost, ns */
	uint64_t wait; /* how long to wait for another, ns */
};

/* ---- what is said ---- */

/* The kernel's bound of the error of the wall clock, which chrony, ntpd and ptp's daemons set; in ns. */
static char *wall_error(void)
{
	struct timex tx = { 0 };
	int state = adjtimex(&tx);

	if (state < 0 || state == TIME_ERROR || tx.status & STA_UNSYNC)
		return strdup("unknown");
	return dkt__format("%lld", (long long)tx.maxerror * 1000);
}

static int say_hello(struct serve *serve)
{
	char boot[DKT__BOOT_SIZE], *words __cleanup(free) = NULL;
	char *error __cleanup(free) = wall_error();
	struct utsname host = { 0 };

	uname(&host);
	dkt__boot_id(boot);
	words = dkt__format("version=%s\nhost=%s\nboot=%s\nid=%s\nwall_error=%s\n", DKT_VERSION,
			    host.nodename, boot, serve->listener < 0 ? "" : serve->id,
			    error ? error : "unknown");
	return words ? outbox_text(&serve->box, FRAME_HELLO, words) : -ENOMEM;
}

static int refuse(struct serve *serve)
{
	serve->done = true;
	return outbox_text(&serve->box, FRAME_REFUSED, dkt_error(serve->ctx));
}

static int refuse_if(struct serve *serve, int err)
{
	return err ? refuse(serve) : 0;
}

/* ---- what is asked ---- */

static int run(struct serve *serve, const uint8_t *bytes, size_t len)
{
	uint64_t keep;

	if (serve->child.started || len <= 16)
		return -EPROTO;
	keep = frame_get_u64(bytes);
	serve->wait = DKT__MIN(frame_get_u64(bytes + 8), WAIT_MAX);
	if (kept_open(&serve->kept, DKT__MIN(DKT__MAX(keep, KEEP_MIN), KEEP_MAX))) {
		dkt__no_memory(serve->ctx);
		return refuse(serve);
	}
	return refuse_if(serve, child_start(serve->ctx, &serve->child, bytes + 16, len - 16));
}

static int resume(struct serve *serve, const uint8_t *bytes, size_t len)
{
	struct dkt__pass with = { .body = (void *)(uintptr_t)(bytes + 8),
				  .n_body = len - 8,
				  .fds = { serve->in, serve->out },
				  .n = 2 };
	struct aide_answer answer;

	if (serve->child.started || len <= 8)
		return -EPROTO;
	serve->done = true;
	return refuse_if(serve, aide_ask(serve->ctx, &serve->child.aide, AIDE_HAND_OVER,
					 frame_get_u64(bytes), &with, &answer));
}

static int acknowledge(struct serve *serve, const uint8_t *bytes, size_t len)
{
	if (len != 8)
		return -EPROTO;
	if (serve->kept.bytes)
		kept_drop(&serve->kept, frame_get_u64(bytes));
	return 0;
}

static int take_frame(void *data, enum frame_kind kind, const uint8_t *bytes, size_t len)
{
	struct serve *serve = data;

	switch (kind) {
	case FRAME_RUN:
		return run(serve, bytes, len);
	case FRAME_RESUME:
		return resume(serve, bytes, len);
	case FRAME_ACK:
		return acknowledge(serve, bytes, len);
	case FRAME_IN:
		child_write(&serve->child, bytes, len);
		return 0;
	case FRAME_STOP:
		child_stop(&serve->child);
		return 0;
	case FRAME_QUIT:
		serve->done = true;
		return 0;
	case FRAME_TIME:
		return len == 8 ? outbox_time(&serve->box, frame_get_u64(bytes)) : -EPROTO;
	default:
		return -EPROTO;
	}
}

/* ---- the connection ---- */

static void close_connection(struct serve *serve)
{
	if (serve->in >= 0)
		close(serve->in);
	if (serve->out >= 0)
		close(serve->out);
	if (serve->giver >= 0)
		close(serve->giver);
	serve->in = serve->out = serve->giver = -1;
}

/* Without a way back the command ends. */
static void lose(struct serve *serve)
{
	close_connection(serve);
	serve->lost_at = dkt__monotonic_ns();
	if (serve->listener < 0 || !serve->child.started)
		serve->done = true;
}

static int open_connection(struct serve *serve, int in, int out)
{
	const int flags = fcntl(out, F_GETFL);

	serve->in = in;
	serve->out = out;
	frame_reader_clear(&serve->reader);
	/* This side has sent its greeting; the other side needs none, because sshd starts this program. */
	serve->reader.greeted = true;
	/* sshd can have given a socket. */
	fcntl(out, F_SETPIPE_SZ, FRAME_WINDOW);
	return flags < 0 || fcntl(out, F_SETFL, flags | O_NONBLOCK) ? -errno : 0;
}

static int take_connection(struct serve *serve)
{
	struct resume resume;
	int err = resume_accept(serve->listener, &resume);

	if (err)
		return 0;
	close_connection(serve);
	err = open_connection(serve, resume.in, resume.out);
	serve->giver = resume.giver;
	outbox_clear(&serve->box);
	serve->told_end = false;
	serve->box.sent = resume.at;
	if (!err && (resume.at < serve->kept.from || resume.at > serve->kept.to)) {
		dkt_fail(serve->ctx, -ERANGE, "the output from byte %llu on is not kept any more",
			 (unsigned long long)resume.at);
		return refuse(serve);
	}
	kept_drop(&serve->kept, resume.at);
	if (!err)
		err = outbox_text(&serve->box, FRAME_RESUMED, "");
	if (!err && serve->child.errors.len)
		err = outbox_bytes(&serve->box, FRAME_ERR, serve->child.errors.data,
				   serve->child.errors.len);
	return err;
}

static int read_connection(struct serve *serve)
{
	uint8_t bytes[CHUNK];
	ssize_t n = read(serve->in, bytes, sizeof(bytes));
	int err;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0) {
		lose(serve);
		return 0;
	}
	err = frame_read(&serve->reader, bytes, (size_t)n, take_frame, serve);
	if (err == -EPROTO)
		dkt_fail(serve->ctx, err,
			 "what comes from the other side is not of 'dktrace collect'");
	return err;
}

/* Sends what can be sent without waiting. */
static int write_connection(struct serve *serve)
{
	int err = outbox_write(&serve->box, serve->out, &serve->kept);

	if (err == -EAGAIN || err == -EINTR)
		return 0;
	if (err < 0 && err != -ENOMEM)
		lose(serve);
	return err == -ENOMEM ? err : 0;
}

/* ---- the command ---- */

static int read_output(struct serve *serve)
{
	size_t room;
	uint8_t *place = kept_room(&serve->kept, &room);
	ssize_t n = child_read(serve->ctx, &serve->child, place, room);

	if (n > 0)
		kept_add(&serve->kept, (size_t)n);
	return n < 0 ? refuse(serve) : 0;
}

static int read_errors(struct serve *serve)
{
	const size_t before = serve->child.errors.len;
	int err = child_read_errors(serve->ctx, &serve->child);

	if (err)
		return refuse_if(serve, err);
	if (serve->out >= 0 && serve->child.errors.len > before)
		err = outbox_bytes(&serve->box, FRAME_ERR, serve->child.errors.data + before,
				   serve->child.errors.len - before);
	return err;
}

/* When all output is sent, says how the command ended. */
static int tell_end(struct serve *serve)
{
	uint8_t body[16];
	int ended;

	if (serve->told_end || serve->out < 0 || serve->box.sent < serve->kept.to)
		return 0;
	ended = child_ended(serve->ctx, &serve->child);
	if (ended <= 0)
		return refuse_if(serve, ended);
	serve->told_end = true;
	frame_put_u64(body, (uint64_t)serve->child.status);
	frame_put_u64(body + 8, serve->kept.to);
	return outbox_bytes(&serve->box, FRAME_END, body, sizeof(body));
}

/* ---- the loop ---- */

enum { IN, OUT, OUTPUT, ERRORS, LISTENER, AIDE, N_FDS };

static void prepare(const struct serve *serve, struct pollfd fds[N_FDS])
{
	size_t room = 0;

	if (serve->kept.bytes)
		kept_room(&serve->kept, &room);
	fds[IN] = (struct pollfd){ .fd = serve->in, .events = POLLIN };
	/* Without events to wait for, poll() still reports an end that has no reader any more. */
	fds[OUT] = (struct pollfd){ .fd = serve->out };
	if (outbox_has(&serve->box, &serve->kept))
		fds[OUT].events = POLLOUT;
	fds[OUTPUT] = (struct pollfd){ .fd = room ? serve->child.out : -1, .events = POLLIN };
	fds[ERRORS] = (struct pollfd){ .fd = serve->child.err, .events = POLLIN };
	fds[LISTENER] = (struct pollfd){ .fd = serve->listener, .events = POLLIN };
	fds[AIDE] = (struct pollfd){ .fd = serve->child.aide.fd };
}

static int step(struct serve *serve, const struct pollfd fds[N_FDS])
{
	int err = 0;

	/* Nobody else can end the command; it ends as nobody reads its output any more. */
	if (fds[AIDE].revents) {
		aide_gone(serve->ctx);
		return refuse(serve);
	}
	if (fds[LISTENER].revents)
		return take_connection(serve);
	if (fds[IN].revents)
		err = read_connection(serve);
	if (!err && fds[OUTPUT].revents)
		err = read_output(serve);
	if (!err && fds[ERRORS].revents)
		err = read_errors(serve);
	if (!err)
		err = tell_end(serve);
	if (!err && serve->out >= 0 && fds[OUT].revents & (POLLERR | POLLHUP))
		lose(serve);
	else if (!err && serve->out >= 0 && outbox_has(&serve->box, &serve->kept))
		err = write_connection(serve);
	return err;
}

static bool waits_too_long(const struct serve *serve)
{
	return serve->in < 0 && dkt__monotonic_ns() - serve->lost_at > serve->wait;
}

static int loop(struct serve *serve)
{
	struct pollfd fds[N_FDS];
	int err = 0;

	while (!err && !serve->done && !waits_too_long(serve) && !dkt__stopped()) {
		prepare(serve, fds);
		if (poll(fds, N_FDS,
			 child_is_ending(&serve->child) ? ENDING_MS :
			 serve->in < 0                  ? LOOK_MS :
							  -1) < 0) {
			err = errno == EINTR ? 0 : -errno;
			continue;
		}
		err = step(serve, fds);
	}
	/* A refusal is the last that is said. */
	while (!err && serve->out >= 0 && outbox_has(&serve->box, &serve->kept)) {
		struct pollfd ready = { .fd = serve->out, .events = POLLOUT };

		if (poll(&ready, 1, LOOK_MS) <= 0 || ready.revents & (POLLERR | POLLHUP))
			break;
		err = write_connection(serve);
	}
	return err;
}

int serve_run(struct dkt_ctx *ctx, const struct serve_opts *opts)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct serve serve = { .ctx = ctx, .opts = opts, .giver = -1, .child = CHILD_INIT };
	struct aide_opts aide = { .in = opts->in,
				  .out = opts->out,
				  .id = serve.id,
				  .check = opts->check,
				  .data = opts->data };
	int err;

	dkt__stop_on_end();
	/* The end of a terminal is the end of a connection. */
	sigaction(SIGHUP, &ignore, NULL);
	serve.listener = resume_listen(serve.id);
	aide.listener = serve.listener;
	err = aide_begin(ctx, &aide, &serve.child.aide);
	if (err)
		resume_close(serve.listener, serve.id);
	else
		err = open_connection(&serve, opts->in, opts->out);
	if (!err)
		err = dkt__write_all(opts->out, FRAME_GREETING, strlen(FRAME_GREETING));
	if (!err)
		err = say_hello(&serve);
	if (err)
		dkt_fail(ctx, err, "answer the other side: %s", strerror(-err));
	if (!err && opts->confine)
		err = opts->confine(opts->data);
	if (!err)
		err = loop(&serve);
	dkt__closep(&serve.listener);
	child_close(&serve.child);
	close_connection(&serve);
	outbox_clear(&serve.box);
	frame_reader_clear(&serve.reader);
	kept_close(&serve.kept);
	return err;
}
