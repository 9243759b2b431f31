/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lets the dialer start the ssh of a host, and end it. */
#include <fcntl.h>

#include "fleet/collect/host.h"
#include "lib/base/when.h"

int host_connect(struct fleet_host *host)
{
	int fds[DIALER_FDS];
	int err = dialer_connect(host->opts->dialer, host->number, fds);

	if (err)
		return dkt_fail(host->ctx, err, "run %s: %s", host->opts->ssh,
				err == -ECHILD ? "the process that starts it was killed" :
						 strerror(-err));
	for (size_t i = 0; i < DIALER_FDS; i++)
		fcntl(fds[i], F_SETFL, O_NONBLOCK);
	host->has_ssh = true;
	host->out = fds[DIALER_OUT];
	host->in = fds[DIALER_IN];
	host->err = fds[DIALER_ERR];
	host->ssh_errors.len = 0;
	host->state = FLEET_CONNECTING;
	host->greeted = false;
	host->heard = dkt__monotonic_ns();
	return 0;
}

bool host_reap(struct fleet_host *host, bool now)
{
	if (host->has_ssh)
		host->has_ssh = !dialer_reap(host->opts->dialer, host->number, now);
	return !host->has_ssh;
}
