/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints an event as JSON from an event loop, until Ctrl-C: epoll SYSTEM EVENT
 * Build: cc epoll.c $(pkg-config --cflags --libs libdktrace)
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <dktrace/dktrace.h>

/* Prints all records up to now. */
static int drain(struct dkt_source *source, struct dkt_style *style, struct dkt_buf *buf)
{
	struct dkt_record record;
	const char *text;
	size_t len;
	int next, err = dkt_source_wait(source, 0);

	if (err && err != -EINTR)
		return err;
	while ((next = dkt_source_next(source, &record)) == DKT_NEXT_RECORD) {
		err = dkt_style_record(style, &record, dkt_source_comm(source, &record), buf);
		if (err)
			return err;
		text = dkt_buf_data(buf, &len);
		fwrite(text, 1, len, stdout);
		dkt_buf_reset(buf);
	}
	fflush(stdout);
	return next < 0 ? next : dkt_source_done(source);
}

/* Waits for records and signals. A real program adds its other descriptors to the same epoll. */
static int loop(struct dkt_ctx *ctx, struct dkt_source *source, struct dkt_style *style,
		struct dkt_buf *buf, const sigset_t *signals)
{
	int loop_fd = epoll_create1(EPOLL_CLOEXEC);
	int signal_fd = signalfd(-1, signals, SFD_CLOEXEC);
	int fd = dkt_source_fd(source), err = fd < 0 ? fd : 0;
	struct epoll_event on_record = { .events = EPOLLIN, .data.fd = fd };
	struct epoll_event on_signal = { .events = EPOLLIN, .data.fd = signal_fd }, event;

	if (!err && (epoll_ctl(loop_fd, EPOLL_CTL_ADD, fd, &on_record) ||
		     epoll_ctl(loop_fd, EPOLL_CTL_ADD, signal_fd, &on_signal)))
		err = dkt_fail(ctx, -errno, "epoll: %s", strerror(errno));
	do {
		if (!err)
			err = drain(source, style, buf);
	} while (!err && (epoll_wait(loop_fd, &event, 1, -1) < 0 || event.data.fd == fd));
	close(signal_fd);
	close(loop_fd);
	return err;
}

static int enable(struct dkt_ctx *ctx, struct dkt_instance *in, const char *system,
		  const char *name)
{
	struct dkt_event *event = dkt_event_find(ctx, system, name);
	struct dkt_change *change;
	int err = event ? dkt_change_new(in, &change) : -ENOENT;

	if (err)
		return err;
	err = dkt_change_events(change, &event, 1);
	if (!err)
		err = dkt_change_commit(change);
	dkt_change_free(change);
	return err;
}

int main(int argc, char **argv)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_FOLLOW);
	struct dkt_instance *in = NULL;
	struct dkt_source *source = NULL;
	struct dkt_style *style = NULL;
	struct dkt_buf *buf = NULL;
	struct dkt_ctx *ctx;
	sigset_t signals;
	int err;

	if (argc != 3 || dkt_ctx_new(NULL, &ctx)) {
		fprintf(stderr, "usage: epoll SYSTEM EVENT\n");
		return 2;
	}
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	err = dkt_instance_own(ctx, "epoll", &in);
	if (!err)
		err = dkt_instance_set_clock(in, "mono");
	if (!err)
		err = enable(ctx, in, argv[1], argv[2]);
	if (!err)
		err = dkt_source_live(in, &opts, &source);
	if (!err)
		err = dkt_style_new(ctx, "json", NULL, &style);
	if (!err)
		err = dkt_buf_new(&buf);
	if (!err)
		err = loop(ctx, source, style, buf, &signals);
	if (err)
		fprintf(stderr, "epoll: %s\n", dkt_error(ctx));
	dkt_buf_free(buf);
	dkt_style_free(style);
	dkt_source_close(source);
	if (in)
		dkt_instance_remove(ctx, dkt_instance_name(in));
	dkt_instance_close(in);
	dkt_ctx_free(ctx);
	return err ? 1 : 0;
}
