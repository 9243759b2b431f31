/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* boot-config: prints boot settings that make the kernel record before user space starts. */
#include "compat/apply/apply.h"
#include "compat/lustre/lustre_masks.h"
#include "compat/set/param.h"
#include "compat/set/saved/boot_config.h"
#include "ctl/app/app.h"
#include "ctl/app/commands.h"
#include "lib/base/parse.h"

struct boot_options {
	const char *address, *persistent;
	bool cmdline;
};

static OPT_VALUES(boot);

OPT_TABLE(boot_config,
	{ "address", 0, "ADDRESS", AT(boot, address), "with --persistent: use memory at ADDRESS, for kernels without reserve_mem" },
	{ "cmdline", 0, NULL, AT(boot, cmdline), "print kernel command line parameters, for kernels without bootconfig" },
	{ "persistent", 0, "SIZE", AT(boot, persistent), "record into SIZE of memory that survives a reboot, for last-boot: 64M" },
);

/* Changes a setting by PARAMETER=VALUE. */
static int take(struct debuglog *log, const char *word, struct settings *set)
{
	const char *value = strchr(word, '=');
	char *name __cleanup(free) = strndup(word, value ? (size_t)(value - word) : 0);
	const struct param *param = name ? dkl_param_find(name) : NULL;
	char *notes __cleanup(free) = NULL;

	if (!param)
		return dkt_fail(log->ctx, -EINVAL, "'%s' is not PARAMETER=VALUE", word);
	return dkl_param_take(log, param, value + 1, set, &notes);
}

/* The name of the instance that survives a reboot; the log has its own. */
#define LAST_BOOT "last-boot"

static int read_memory(struct app *app, struct boot_memory *memory)
{
	const struct boot_options *given = OPT(app, boot);

	*memory = (struct boot_memory){ .name = app_has_instance(app) ? app->instance : LAST_BOOT };
	if (dkt__parse_size(given->persistent, &memory->size))
		return dkt_fail(app->ctx, -EINVAL, "--persistent: '%s' is not a size; write 64M",
				given->persistent);
	if (given->address &&
	    (dkt__parse_u64(given->address, DKT__AS_C, &memory->address) || !memory->address))
		return dkt_fail(app->ctx, -EINVAL,
				"--address: '%s' is not an address; write 0x284500000",
				given->address);
	return 0;
}

/* Tells what to do with the words, and whether this kernel knows them. */
static void explain(struct app *app, const struct boot_memory *memory)
{
	struct dkt_feature feature = { 0 };

	fflush(stdout);
	for (size_t i = 0; !dkt_feature_get(app->ctx, i, &feature, sizeof(feature)); i++)
		if (!strcmp(feature.name, "buffers across reboots") && !feature.have)
			app_say("this kernel ignores these parameters: buffers across reboots: %s",
				feature.words);
	app_say("add them to the kernel's command line in the boot loader%s; after each boot"
		" 'dktrace last-boot --start' prints what the boot before left, and 'dktrace -B %s"
		" set_param debug=...' chooses what to record",
		memory->address ? ", where $ may need a backslash" : "", memory->name);
}

static int print_memory(struct app *app, int argc)
{
	struct boot_memory memory;

	if (argc > 1)
		return app_usage(
			"boot-config --persistent: an event that is enabled at boot makes the"
			" kernel forget the records of the boot before: set parameters after"
			" 'dktrace last-boot --start'");
	if (read_memory(app, &memory))
		return app_usage("%s", dkt_error(app->ctx));
	if (dkl_boot_memory_print(app->ctx, &memory, stdout))
		return app_fail(app);
	explain(app, &memory);
	return 0;
}

static int print(struct app *app, struct debuglog *log, const struct settings *set)
{
	char *skipped __cleanup(free) = NULL;
	int err;

	if (!OPT(app, boot)->cmdline)
		return dkl_boot_config_print(log, set, stdout);
	err = dkl_boot_cmdline_print(log, set, stdout, &skipped);
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

	if (OPT(app, boot)->address && !OPT(app, boot)->persistent)
		return app_usage("boot-config: --address goes with --persistent");
	if (OPT(app, boot)->persistent)
		return print_memory(app, argc);
	if (dkl_debuglog_open(app->ctx, app->instance, 0, &log))
		return app_fail(app);
	err = dkl_settings_copy(&set, &log->set);
	/* Lustre's modules are not loaded that early. */
	if (!(set.chosen & 1u << MASK_SOURCES))
		set.sources = dkl_lustre_sources(false);
	for (int i = 1; !err && i < argc; i++)
		err = take(log, argv[i], &set);
	if (!err)
		err = print(app, log, &set);
	dkl_settings_clear(&set);
	dkl_debuglog_close(log);
	return err ? app_fail(app) : 0;
}
