/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* daemon start, reload: read the settings, and give them to the process. */
#include <limits.h>

#include "ctl/app/background.h"
#include "ctl/app/groups.h"
#include "ctl/app/live.h"
#include "ctl/daemon/actions.h"
#include "lib/base/memory.h"
#include "recording/daemon/archive.h"
#include "recording/daemon/metrics.h"

struct start {
	struct app *app;
	struct archive_config config;
	char settings[PATH_MAX];
	struct background background;
};

/* ---- settings ---- */

/* Sets what the command line gives; the choice of records replaces that of the file as a whole. */
static int take_options(struct app *app, struct archive_config *config)
{
	const struct {
		enum archive_key key;
		const char *value;
	} given[] = {
		{ ARCHIVE_CLASS, OPT(app, what)->classes },
		{ ARCHIVE_SUBSYSTEM, OPT(app, what)->subsystems },
		{ ARCHIVE_EVENT, OPT(app, what)->events },
		{ ARCHIVE_FILTER, OPT(app, what)->filter },
		{ ARCHIVE_COMM, OPT(app, what)->comm },
		{ ARCHIVE_PID, OPT(app, what)->pid },
		{ ARCHIVE_CHILDREN, OPT(app, what)->children ? "" : NULL },
		{ ARCHIVE_CPU, OPT(app, what)->cpu },
		{ ARCHIVE_STACK, OPT(app, what)->stacks },
		{ ARCHIVE_PROBE, OPT(app, what)->probes },
		{ ARCHIVE_DIR, OPT(app, daemon)->dir },
		{ ARCHIVE_BUFFER_SIZE, OPT(app, daemon)->buffer_size },
		{ ARCHIVE_SEGMENT_SIZE, OPT(app, daemon)->segment_size },
		{ ARCHIVE_SEGMENT_TIME, OPT(app, daemon)->segment_time },
		{ ARCHIVE_MAX_SIZE, OPT(app, daemon)->max_size },
		{ ARCHIVE_KEEP, OPT(app, daemon)->keep_time },
		{ ARCHIVE_COMPRESSION, OPT(app, daemon)->compression },
		{ ARCHIVE_METRICS, OPT(app, daemon)->metrics },
	};
	bool chooses = OPT(app, what)->classes || OPT(app, what)->events || OPT(app, what)->probes;
	int err = 0;

	for (int key = ARCHIVE_FIRST_CHOICE; chooses && !err && key <= ARCHIVE_LAST_CHOICE; key++)
		err = archive_config_set(config, (enum archive_key)key, NULL);
	for (size_t i = 0; !err && i < ARRAY_SIZE(given); i++)
		if (given[i].value)
			err = archive_config_set(config, given[i].key, given[i].value);
	return dkt__with_words(app->ctx, err);
}

static int make_dir(struct start *start)
{
	struct app *app = start->app;
	char path[PATH_MAX];
	int err = background_dir(app, start->config.value[ARCHIVE_DIR], path);

	if (err)
		return err;
	return dkt__with_words(app->ctx, archive_config_set(&start->config, ARCHIVE_DIR, path));
}

/* Checks what the command line says, without the file of --settings. Returns 0 or EXIT_USAGE. */
static int check_options(struct app *app)
{
	struct archive_config given = { 0 };
	struct archive_limits limits;
	int err = take_options(app, &given);

	if (!err)
		err = archive_config_limits(app->ctx, &given, &limits);
	archive_config_clear(&given);
	return err ? app_usage("%s", dkt_error(app->ctx)) : 0;
}

static int check(struct start *start)
{
	struct archive_limits limits;

	if (!archive_config_chooses(&start->config))
		return dkt_fail(start->app->ctx, -EINVAL, "%s names nothing to record",
				start->settings);
	return archive_config_limits(start->app->ctx, &start->config, &limits) ?:
		       archive_metrics_check(start->app->ctx, &start->config);
}

static int read_all(struct start *start)
{
	struct app *app = start->app;
	const struct daemon_options *given = OPT(app, daemon);
	int err = 0;

	if (given->settings && !realpath(given->settings, start->settings))
		err = dkt_fail(app->ctx, -errno, "read %s: %s", given->settings, strerror(errno));
	if (!err && given->settings)
		err = archive_config_read(app->ctx, start->settings, &start->config);
	if (!err)
		err = take_options(app, &start->config);
	if (!err)
		err = check(start);
	return err ? err : make_dir(start);
}

/* ---- start ---- */

/* Reports that recording has begun, and leaves the terminal to the shell. */
static void leave_terminal(void *data)
{
	struct start *start = data;

	app_say("recording; segments go to %s", start->config.value[ARCHIVE_DIR]);
	background_ready(&start->background);
}

static int run(void *data)
{
	struct start *start = data;
	const struct archive_opts opts = { .settings = *start->settings ? start->settings : NULL,
					   .ready = leave_terminal,
					   .data = start };
	int err;

	live_clean(start->app);
	err = archive_run(start->app->ctx, start->app->instance, &start->config, &opts);
	return err ? app_fail(start->app) : 0;
}

int daemon_action_start(struct app *app)
{
	struct start start = { .app = app };
	int rc = check_options(app), err;

	if (!rc && !OPT(app, what)->classes && !OPT(app, what)->events && !OPT(app, what)->probes &&
	    !OPT(app, daemon)->settings)
		rc = app_usage("name what to record: classes with -c, events with -e, or a file"
			       " with --settings");
	if (rc)
		return rc;
	err = dkt_caps_check(app->ctx, DKT_NEED_CONTROL);
	if (!err)
		err = read_all(&start);
	rc = err ? app_fail(app) : background_run(&start.background, app, run, &start);
	archive_config_clear(&start.config);
	return rc;
}

/* ---- reload ---- */

/* The settings in effect, with what the command line changes. */
static int changed(struct app *app, struct archive_config *config)
{
	int err;

	if (!archive_settings_exist(app->instance, ARCHIVE_IN_EFFECT))
		return dkt_fail(app->ctx, -ESRCH, "no daemon is running");
	err = archive_settings_read(app->ctx, app->instance, ARCHIVE_IN_EFFECT, config);
	return err ? err : take_options(app, config);
}

int daemon_action_reload(struct app *app)
{
	struct archive_config config = { 0 };
	struct archive_limits limits;
	bool any = OPT(app, what)->classes || OPT(app, what)->events || OPT(app, what)->probes ||
		   OPT(app, what)->subsystems || OPT(app, what)->filter || OPT(app, what)->comm ||
		   OPT(app, what)->pid || OPT(app, what)->cpu || OPT(app, what)->stacks ||
		   OPT(app, daemon)->segment_size || OPT(app, daemon)->segment_time ||
		   OPT(app, daemon)->max_size || OPT(app, daemon)->keep_time ||
		   OPT(app, daemon)->compression || OPT(app, daemon)->metrics;
	int rc = check_options(app), err;

	if (rc)
		return rc;
	if (OPT(app, daemon)->dir || OPT(app, daemon)->buffer_size || OPT(app, daemon)->settings)
		return app_usage("daemon reload: --dir, --buffer-size and --settings can only be"
				 " given to start");
	err = dkt_caps_check(app->ctx, DKT_NEED_CONTROL);
	if (!err && any)
		err = changed(app, &config);
	if (!err && any)
		err = archive_config_limits(app->ctx, &config, &limits);
	if (!err && any)
		err = archive_metrics_check(app->ctx, &config);
	if (!err)
		err = archive_reload(app->ctx, app->instance, any ? &config : NULL);
	archive_config_clear(&config);
	return err ? app_fail(app) : 0;
}
