/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pauses recording and saves the records before a step that makes the kernel discard them. */
#include "lib/instance.h"
#include "lib/note.h"
#include "lib/source/live.h"

/* While an instance rests, this note in the spool directory says which of the two. */
#define NOTE "rest"
#define OWN  "own"
#define TOP  "top"

int dkt__rest(struct dkt_instance *base, struct dkt_instance *in, dkt__stopped_fn fn, void *data)
{
	const char *spool = base->spool;
	struct dkt__live *live = NULL;
	bool on = false, noted = false;
	int err = spool ? dkt__live_open(base, NULL, &live) : 0;

	if (!err)
		err = dkt__instance_get_on(in, &on);
	if (!err && on && spool) {
		err = dkt__note_write(in->ctx, spool, NOTE, in == base ? OWN : TOP);
		noted = !err;
	}
	if (!err && on)
		err = dkt_instance_set_on(in, false);
	if (!err && live)
		err = dkt__live_save(live, in != base);
	/* The kernel empties the snapshot with the buffers. */
	if (!err && live && in == base)
		err = dkt__snapshot_save(in);
	if (!err) {
		err = fn(data);
		/* A step that failed may also have emptied the buffers. */
		if (live)
			dkt__live_settle(live);
	}
	if (on)
		dkt_instance_set_on(in, true);
	if (noted)
		dkt__note_remove(in->ctx, spool, NOTE);
	dkt__live_free(live);
	return err;
}

int dkt__instance_run_stopped(struct dkt_instance *in, dkt__stopped_fn fn, void *data)
{
	dkt__needs(in ? in->ctx : NULL, in && fn);

	return dkt__rest(in, in, fn, data);
}

static int wake_top(struct dkt_instance *in)
{
	struct dkt_instance *top;
	int err;

	if (!dkt__instance_borrows_top(in))
		return 0;
	err = dkt_instance_open(in->ctx, NULL, NULL, &top);
	if (!err)
		err = dkt_instance_set_on(top, true);
	dkt_instance_close(top);
	return err;
}

int dkt__instance_start_stopped(struct dkt_instance *in)
{
	dkt__needs(NULL, in);

	char *text __cleanup(free) = NULL;
	int err;

	if (!in->spool || !dkt__note_exists(in->spool, NOTE))
		return 0;
	err = dkt__note_read(in->ctx, in->spool, NOTE, &text);
	if (!err)
		err = !strcmp(text, TOP) ? wake_top(in) : dkt_instance_set_on(in, true);
	return err ? err : dkt__note_remove(in->ctx, in->spool, NOTE);
}
