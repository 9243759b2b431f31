/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* record: records events into a file for trace-cmd, KernelShark and dktrace. */
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/record/record.h"

OPT_OWN(record,
	{ "all", 0, NULL, AT(record, all), "with a command: record all processes, not only those of the command", .flags = OPT_FAR },
	{ "buffer-size", 0, "BYTES", AT(record, buffer_size), "use BYTES of memory for each CPU (default 64M, and for all 1/16 of what is available)", .flags = OPT_FAR },
	{ "compression", 0, "NAME", AT(record, compression), "compress the records with zstd or zlib (default none)", .check = value_compression, .flags = OPT_FAR, .words = value_compressions },
	{ "max-size", 0, "BYTES", AT(record, max_size), "stop when the file has BYTES: 10G", .flags = OPT_FAR },
	{ "output", 'o', "FILE", AT_APP(output), "write to FILE (default trace.dat); '-': standard output" },
);

static int read_args(struct record *record, int argc, char **argv)
{
	struct app *app = record->app;
	const struct what_options *given = OPT(app, what);
	int rc = opt_seconds("duration", OPT(app, live)->duration, &record->seconds);

	if (!rc)
		rc = opt_bytes("max-size", OPT(app, record)->max_size, &record->max_bytes);
	if (!rc)
		rc = opt_bytes("buffer-size", OPT(app, record)->buffer_size, &record->buffer);
	if (rc)
		return rc;
	if (argc - app->n_command > 1)
		return app_usage("record: '%s' is not an option; give a command to run after --",
				 argv[1]);
	if (!given->classes && !given->events && !given->probes)
		return app_usage("record: name what to record: classes with -c, such as -c iotrace,"
				 " or events with -e, such as -e 'sched:*'");
	if (app->n_command)
		record->command = argv + argc - app->n_command;
	if (record->command && given->pid && !OPT(app, record)->all)
		return app_usage("record: with a command, only its processes are recorded; give"
				 " --all to record those of --pid");
	return 0;
}

static int find_events(struct record *record)
{
	struct app *app = record->app;
	const struct what_options *given = OPT(app, what);
	char *owner __cleanup(free) = live_name(app, "record");
	const struct wanted_words words = { .classes = given->classes,
					    .subsystems = given->subsystems,
					    .events = given->events,
					    .filter = given->filter,
					    .comms = given->comm,
					    .pids = given->pid,
					    .children = given->children,
					    .cpus = given->cpu,
					    .stacks = given->stacks,
					    .probes = given->probes,
					    .owner = owner };
	int err = owner ? dkt_caps_check(app->ctx, DKT_NEED_CONTROL) : -ENOMEM;

	if (err)
		return err;
	live_clean(app);
	err = dkl_wanted_new(app->ctx, &words, &record->wanted);
	if (!err && record->wanted->notes)
		app_say("%s", record->wanted->notes);
	return err;
}

int cmd_record(struct app *app, int argc, char **argv)
{
	struct record record = { .app = app, .ctx = app->ctx, .file = CAPTURE_FILE_INIT };
	int rc = read_args(&record, argc, argv), err;

	if (rc)
		return rc;
	err = find_events(&record);
	if (!err)
		err = capture_file_open(app->ctx, app->output, &record.file);
	if (err) {
		rc = app_fail(app);
		dkl_wanted_free(record.wanted);
	} else {
		rc = record_run(&record);
	}
	if (record.from > 0)
		capture_file_close(&record.file);
	else
		capture_file_discard(&record.file);
	return rc;
}
