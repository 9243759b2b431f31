/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* archive: a build without libcurl asks no server for programs. */
#include "ctl/archive/servers.h"

#include "lib/base/util.h"

int servers_begin(struct dkt_ctx *ctx, struct servers *servers)
{
	*servers = (struct servers){ .ctx = ctx };
	return curl_load(ctx, &servers->curl);
}

void servers_clear(struct servers *servers)
{
	(void)servers;
}

int servers_get(struct servers *servers, const char *digits, const char *part, uint64_t most)
{
	(void)servers, (void)digits, (void)part, (void)most;
	return -EOPNOTSUPP;
}
