/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* daemon start, reload: read the settings, and give them to the process. */
#include <limits.h>

#include "ctl/app/background.h"
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
		{ ARCHIVE_CLASS, app->classes },
		{ ARCHIVE_SUBSYSTEM, app->subsystems },
		{ ARCHIVE_EVENT, app->events },
		{ ARCHIVE_FILTER, app->filter },
		{ ARCHIVE_COMM, app->comm },
		{ ARCHIVE_PID, app->pid },
		{ ARCHIVE_CHILDREN, app->children ? "" : NULL },
		{ ARCHIVE_CPU, app->cpu },
		{ ARCHIVE_STACK, app->stacks },
		{ ARCHIVE_PROBE, app->probes },
		{ ARCHIVE_DIR, app->dir },
		{ ARCHIVE_BUFFER_SIZE, app->buffer_size },
		{ ARCHIVE_SEGMENT_SIZE, app->segment_size },
		{ ARCHIVE_SEGMENT_TIME, app->segment_time },
		{ ARCHIVE_MAX_SIZE, app->max_size },
		{ ARCHIVE_KEEP, app->keep_time },
		{ ARCHIVE_COMPRESSION, app->compression },
		{ ARCHIVE_METRICS, app->metrics },
	};
	bool chooses = app->classes || app->events || app->probes;
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
	int err = 0;

	if (app->settings && !realpath(app->settings, start->settings))
		err = dkt_fail(app->ctx, -errno, "read %s: %s", app->settings, strerror(errno));
	if (!err && app->settings)
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

	if (!rc && !app->classes && !app->events && !app->probes && !app->settings)
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
	bool any = app->classes || app->events || app->probes || app->subsystems || app->filter ||
		   app->comm || app->pid || app->cpu || app->stacks || app->segment_size ||
		   app->segment_time || app->max_size || app->keep_time || app->compression ||
		   app->metrics;
	int rc = check_options(app), err;

	if (rc)
		return rc;
	if (app->dir || app->buffer_size || app->settings)
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
