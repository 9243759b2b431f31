/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A rest in recording, with all that was recorded in safety, for what makes the kernel forget it. */
#include "capture.h"

#include "banned.h"

int dkt__rest(struct dkt_instance *base, struct dkt_instance *in, const char *spool, dkt_rest_fn fn,
	      void *data)
{
	DKT_OPTS(dkt_capture_opts, opts, .spool = spool);
	struct dkt_capture *cap = NULL;
	bool on = false;
	int err = spool ? dkt_capture_open(base, &opts, &cap) : 0;

	if (!err)
		err = dkt_instance_get_on(in, &on);
	if (!err && on)
		err = dkt_instance_set_on(in, false);
	if (!err && cap)
		err = dkt__capture_save(cap, in != base);
	if (!err) {
		err = fn(data);
		/* Also what failed may have emptied them. */
		if (cap)
			dkt__capture_settle(cap);
	}
	if (on)
		dkt_instance_set_on(in, true);
	dkt_capture_close(cap);
	return err;
}

int dkt_instance_rest(struct dkt_instance *in, const char *spool, dkt_rest_fn fn, void *data)
{
	return dkt__rest(in, in, spool, fn, data);
}
