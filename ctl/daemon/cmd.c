/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* daemon: records all the time into a directory of segments. */
#include "ctl/app/commands.h"
#include "ctl/daemon/actions.h"
#include "lib/inside.h"
#include "recording/daemon/archive.h"

OPT_OWN(daemon,
	{ "buffer-size", 0, "BYTES", AT(daemon, buffer_size), "use BYTES of memory for each CPU (default 64M, and for all 1/16 of what is available)" },
	{ "compression", 0, "NAME", AT(daemon, compression), "compress segments that have ended with zstd (default), zlib or none", .check = value_compression, .words = value_compressions },
	{ "dir", 0, "DIR", AT(daemon, dir), "write segments to DIR (default /var/log/dktrace)" },
	{ "keep", 0, "TIME", AT(daemon, keep_time), "delete segments after TIME: 7d (default never)" },
	{ "keep-recording", 0, NULL, AT(daemon, go_on), "with stop: let the kernel record on for the next daemon" },
	{ "max-size", 0, "BYTES", AT(daemon, max_size), "delete the oldest segments when all have more than BYTES (default a tenth of the disk)" },
	{ "metrics", 0, "DIR", AT(daemon, metrics), "write metrics for Prometheus to DIR, that of node_exporter; '': none", .flags = OPT_EMPTY },
	{ "segment-size", 0, "BYTES", AT(daemon, segment_size), "begin a new segment after BYTES of records (default 256M)" },
	{ "segment-time", 0, "TIME", AT(daemon, segment_time), "begin a new segment after TIME (default 1h)" },
	{ "settings", 0, "FILE", AT(daemon, settings), "read these options from FILE; reload reads it again" },
);

static int stop(struct app *app)
{
	int err = dkt_caps_check(app->ctx, DKT_NEED_CONTROL);

	if (!err)
		err = archive_stop(app->ctx, app->instance, OPT(app, daemon)->go_on);
	return err ? app_fail(app) : 0;
}

static const struct {
	const char *name;
	int (*run)(struct app *app);
} actions[] = {
	{ "start", daemon_action_start },
	{ "status", daemon_action_status },
	{ "reload", daemon_action_reload },
	{ "stop", stop },
};

int cmd_daemon(struct app *app, int argc, char **argv)
{
	int i = app_find_row(app, argv[1], actions, ARRAY_SIZE(actions), sizeof(*actions));

	(void)argc;
	if (i < 0)
		return EXIT_USAGE;
	if (dkt__instance_check_name(app->ctx, app->instance))
		return app_fail(app);
	return actions[i].run(app);
}
