/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* latency's own probes, at the entry and the return of a function. */
#include "ctl/latency/latency.h"

#include "lib/base/buf.h"
#include "lib/inside.h"

static int create_probe(struct latency *latency, int i)
{
	static const char *const names[] = { "entry", "return" };
	DKT_OPTS(dkt_probe, probe, .kind = DKT_PROBE_KPROBE, .on_return = i,
		 .group = latency->group, .name = names[i], .place = latency->function,
		 .fields = "");
	int err = dkt_probe_create(latency->ctx, &probe);

	if (err)
		return dkt__probe_refused(latency->ctx, &probe, err);
	latency->names[i] = dkt__format("%s:%s", latency->group, names[i]);
	return latency->names[i] ? 0 : -ENOMEM;
}

int latency_create_probes(struct latency *latency)
{
	char *prefix __cleanup(free) = live_name(latency->app, "latency");
	int err = prefix ? dkt_caps_check(latency->ctx, DKT_NEED_CONTROL) : -ENOMEM;

	if (!err)
		err = dkt_instance_own_group(latency->ctx, prefix, &latency->group);
	for (int i = 0; !err && i < 2; i++)
		err = create_probe(latency, i);
	if (err)
		return err;
	latency->pair.begin = latency->names[0];
	latency->pair.end = latency->names[1];
	return 0;
}

void latency_remove_probes(struct latency *latency)
{
	char *message = dkt__error_take(latency->ctx);

	for (int i = 0; i < 2; i++) {
		if (latency->names[i] &&
		    dkt_probe_remove(latency->ctx, latency->group, i ? "return" : "entry"))
			app_say("%s; 'dktrace reset' will remove it", dkt_error(latency->ctx));
		free(latency->names[i]);
	}
	free(latency->group);
	dkt__error_give(latency->ctx, 0, message);
}
