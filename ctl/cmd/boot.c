/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* boot-config: prints boot settings that make the kernel record before user space starts. */
#include "app/app.h"
#include "apply/apply.h"
#include "lustre/lustre_masks.h"
#include "set/param.h"
#include "set/saved/boot_config.h"

/* Changes a setting by PARAMETER=VALUE. */
static int take(struct debuglog *log, const char *word, struct settings *set)
{
	const char *value = strchr(word, '=');
	char *name __cleanup(free) = strndup(word, value ? (size_t)(value - word) : 0);
	const struct param *param = name ? param_find(name) : NULL;
	char *notes __cleanup(free) = NULL;

	if (!param)
		return dkt_fail(log->ctx, -EINVAL, "'%s' is not PARAMETER=VALUE", word);
	return param_take(log, param, value + 1, set, &notes);
}

static int print(struct app *app, struct debuglog *log, const struct settings *set)
{
	char *skipped __cleanup(free) = NULL;
	int err;

	if (!app->cmdline)
		return boot_config_print(log, set, stdout);
	err = boot_cmdline_print(log, set, stdout, &skipped);
	fflush(stdout);
	if (!err && skipped)
		fputs(skipped, stderr);
	return err;
}

int cmd_boot_config(struct app *app, int argc, char **argv)
{
	struct debuglog *log;
	struct settings set;
	int err;

	if (debuglog_open(app->ctx, app->instance, 0, &log))
		return app_fail(app);
	err = settings_copy(&set, &log->set);
	/* Lustre's modules are not loaded that early. */
	if (!(set.chosen & 1u << MASK_SOURCES))
		set.sources = lustre_sources(false);
	for (int i = 1; !err && i < argc; i++)
		err = take(log, argv[i], &set);
	if (!err)
		err = print(app, log, &set);
	settings_clear(&set);
	debuglog_close(log);
	return err ? app_fail(app) : 0;
}
