/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starts and stops recording: of the log's instance, and of the top instance while it is borrowed.
 */
#include "compat/log/recording.h"

#include "lib/base/util.h"
#include "lib/inside.h"

/* Opens the top instance if it is borrowed; otherwise top is NULL. The caller closes it. */
static int open_top(struct debuglog *log, struct dkt_instance **top)
{
	*top = NULL;
	return dkt__instance_borrows_top(log->in) ? dkt_instance_open(log->ctx, NULL, NULL, top) :
						    0;
}

int dkl_recording_get(struct debuglog *log, struct recording *recording)
{
	struct dkt_instance *top;
	int err = open_top(log, &top);

	*recording = (struct recording){ .borrowed = top };
	if (!err)
		err = dkt_instance_get_on(log->in, &recording->on);
	if (!err && top)
		err = dkt_instance_get_on(top, &recording->top_on);
	dkt_instance_close(top);
	return err;
}

int dkl_recording_set(struct debuglog *log, bool on)
{
	struct dkt_instance *top;
	int err = open_top(log, &top);

	if (!err)
		err = dkt_instance_set_on(log->in, on);
	if (!err && top)
		err = dkt_instance_set_on(top, on);
	dkt_instance_close(top);
	return err;
}
