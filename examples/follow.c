/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints an event as it happens, until Ctrl-C: follow SYSTEM EVENT [FILTER]
 * Build: cc follow.c $(pkg-config --cflags --libs libdktrace)
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <dktrace/dktrace.h>

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

/* Enables exactly this event, with this filter, all or nothing. */
static int enable(struct dkt_instance *in, struct dkt_event *event, const char *filter)
{
	struct dkt_change *change;
	int err = dkt_change_new(in, &change);

	if (!err)
		err = dkt_change_events(change, &event, 1);
	if (!err)
		err = dkt_change_filter(change, event, filter);
	if (!err)
		err = dkt_change_commit(change);
	dkt_change_free(change);
	return err;
}

static int follow(struct dkt_instance *in)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_FOLLOW);
	struct dkt_source *source = NULL;
	struct dkt_record record;
	struct dkt_buf *buf = NULL;
	struct dkt_loss loss;
	const char *text;
	size_t len;
	int cpu, err = dkt_source_live(in, &opts, &source);

	if (!err)
		err = dkt_buf_new(&buf);
	while (!err && !stop) {
		err = dkt_source_next(source, &record);
		if (!err) {
			dkt_style_trace(&record, dkt_source_comm(source, &record), buf);
			text = dkt_buf_data(buf, &len);
			fwrite(text, 1, len, stdout);
			dkt_buf_reset(buf);
		} else if (err == DKT_NEXT_LATER) {
			fflush(stdout);
			err = dkt_source_done(source);
			if (!err)
				err = dkt_source_wait(source, 200);
			err = err == -EINTR ? 0 : err;
		}
	}
	for (cpu = 0; !err && cpu < dkt_instance_n_cpus(in); cpu++)
		if (!dkt_source_get_loss(source, cpu, &loss, sizeof(loss)))
			fprintf(stderr, "cpu %d: %llu seen, %llu lost\n", cpu,
				(unsigned long long)loss.seen, (unsigned long long)loss.lost);
	dkt_buf_free(buf);
	dkt_source_close(source);
	return err;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct dkt_instance *in = NULL;
	struct dkt_event *event;
	struct dkt_ctx *ctx;
	DKT_OPTS(dkt_instance_opts, opts, .flags = DKT_CREATE);
	char name[32];
	int err;

	if (argc < 3 || dkt_ctx_new(NULL, &ctx)) {
		fprintf(stderr, "usage: follow SYSTEM EVENT [FILTER]\n");
		return 2;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	snprintf(name, sizeof(name), "follow-%d", (int)getpid());
	err = dkt_caps_check(ctx, DKT_NEED_CONTROL);
	if (!err)
		err = dkt_instance_open(ctx, name, &opts, &in);
	event = err ? NULL : dkt_event_find(ctx, argv[1], argv[2]);
	if (!err && !event)
		err = dkt_fail(ctx, -ENOENT, "this kernel has no event %s:%s", argv[1], argv[2]);
	if (!err)
		err = dkt_instance_set_clock(in, "mono");
	if (!err)
		err = enable(in, event, argc > 3 ? argv[3] : "");
	if (!err)
		err = follow(in);
	if (err)
		fprintf(stderr, "follow: %s\n", dkt_error(ctx));
	if (in)
		dkt_instance_remove(ctx, name);
	dkt_instance_close(in);
	dkt_ctx_free(ctx);
	return err ? 1 : 0;
}
