/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records the arguments of one of the program's own functions.
 * Build: cc -g selfprobe.c $(pkg-config --cflags --libs libdktrace)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <dktrace/dktrace.h>

int work(int number, const char *name);

__attribute__((noinline)) int work(int number, const char *name)
{
	/* Keeps the compiler from computing the result of a call in advance. */
	__asm__ volatile("" : : "r"(number), "r"(name) : "memory");
	return number + *name;
}

/* Creates the event GROUP:work, which the debug information of this program describes. */
static int create(struct dkt_ctx *ctx, const char *group)
{
	DKT_OPTS(dkt_probe_opts, opts, .kind = DKT_PROBE_UPROBE, .group = group, .pid = getpid());
	static const char *const args[] = { "number", "name" };
	struct dkt_probes *probes;
	int err = dkt_probe_define(ctx, "work", args, 2, &opts, &probes);

	if (!err)
		err = dkt_probe_create(ctx, dkt_probes_at(probes, 0));
	dkt_probes_free(probes);
	return err;
}

static int enable(struct dkt_ctx *ctx, struct dkt_instance *in, const char *group)
{
	struct dkt_event *event = dkt_event_find(ctx, group, "work");
	struct dkt_change *change;
	int err;

	if (!event)
		return -ENOENT;
	err = dkt_change_new(in, &change);
	if (!err)
		err = dkt_change_events(change, &event, 1);
	if (!err)
		err = dkt_change_commit(change);
	dkt_change_free(change);
	return err;
}

static int print(struct dkt_instance *in)
{
	struct dkt_source *source = NULL;
	struct dkt_record record;
	struct dkt_buf *buf = NULL;
	const char *text;
	size_t len;
	int next = 0, err = dkt_source_live(in, NULL, &source);

	if (!err)
		err = dkt_buf_new(&buf);
	while (!err && (next = dkt_source_next(source, &record)) == DKT_NEXT_RECORD)
		dkt_style_trace(&record, dkt_source_comm(source, &record), buf);
	if (!err) {
		text = dkt_buf_data(buf, &len);
		fwrite(text, 1, len, stdout);
		err = next < 0 ? next : dkt_buf_error(buf);
	}
	dkt_buf_free(buf);
	dkt_source_close(source);
	return err;
}

int main(void)
{
	struct dkt_instance *in = NULL;
	char *group = NULL;
	struct dkt_ctx *ctx;
	int err;

	if (dkt_ctx_new(NULL, &ctx))
		return 1;
	/* Both names contain the PID, so that no other process uses them. */
	err = dkt_instance_own_group(ctx, "selfprobe", &group);
	if (!err)
		err = dkt_instance_own(ctx, "selfprobe", &in);
	if (!err)
		err = create(ctx, group);
	if (!err)
		err = enable(ctx, in, group);
	if (!err) {
		work(1, "one");
		work(2, "two");
		err = print(in);
	}
	if (err)
		fprintf(stderr, "selfprobe: %s\n", dkt_error(ctx));
	if (in)
		dkt_instance_remove(ctx, dkt_instance_name(in));
	if (group)
		dkt_probe_remove(ctx, group, "work");
	dkt_instance_close(in);
	free(group);
	dkt_ctx_free(ctx);
	return err ? 1 : 0;
}
