/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* last-boot: prints what the boot before this one left in buffers that survive a reboot. */
#include <fcntl.h>
#include <inttypes.h>

#include "compat/apply/apply.h"
#include "ctl/app/commands.h"
#include "ctl/cmd/dk.h"
#include "lib/base/parse.h"
#include "lib/base/stop.h"
#include "lib/inside.h"

struct last_boot_options {
	bool clear, force, start;
};

OPT_OWN(last_boot,
	{ "clear", 0, NULL, AT(last_boot, clear), "remove the records once they are printed" },
	{ "force", 0, NULL, AT(last_boot, force), "print records of another kernel as if they were of this one" },
	{ "start", 0, NULL, AT(last_boot, start), "then record this boot" },
);

/* Adds to the error message why there can be no such instance, or how to get one. */
static int say_none(struct app *app)
{
	struct dkt_feature feature = { 0 };
	const char *words = dkt_error(app->ctx);

	app_say("%s; 'dktrace boot-config --persistent SIZE' prints the kernel parameters for one",
		words);
	for (size_t i = 0; !dkt_feature_get(app->ctx, i, &feature, sizeof(feature)); i++)
		if (!strcmp(feature.name, "buffers across reboots") && !feature.have)
			app_say("buffers across reboots: %s", feature.words);
	return EXIT_FAILED;
}

/* Tells how far the names in the output can be trusted. */
static int check_kernel(struct app *app, const struct dkt__boot_before *boot)
{
	if (boot->kernel == DKT__KERNEL_UNKNOWN) {
		app_say("this kernel does not tell whether that boot ran the same kernel; if not, events"
			" and names of functions are wrong");
		return 0;
	}
	if (boot->kernel == DKT__KERNEL_SAME)
		return 0;
	if (OPT(app, last_boot)->force) {
		app_say("that boot ran another kernel: addresses have no names, and records may be shown"
			" as events that they are not");
		return 0;
	}
	app_say("that boot ran another kernel, whose events had other numbers: boot that kernel to read"
		" the records, or print them with --force");
	return EXIT_FAILED;
}

/* "Ring buffer boot meta[1] mismatch of magic or struct size" */
static void say_line(const char *text)
{
	const char *number = strchr(text, '[');
	uint64_t cpu;

	if (number)
		number++;
	if (number && !dkt__take_u64(&number, NULL, DKT__DEC, &cpu) && *number == ']')
		app_say("the kernel's log: %s; it emptied the buffer of cpu %" PRIu64, text, cpu);
	else
		app_say("the kernel's log: %s", text);
}

/*
 * Repeats the lines of the kernel's log about buffers that it found unusable, and emptied, when it
 * booted. Returns their number.
 */
static int say_damage(void)
{
	int fd __cleanup(close) = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char line[8192];
	ssize_t len = 0;
	int n = 0;

	/* One call reads one line. -EPIPE: older ones were overwritten meanwhile. */
	while (fd >= 0 && ((len = read(fd, line, sizeof(line) - 1)) > 0 || errno == EPIPE)) {
		const char *text;

		line[len > 0 ? len : 0] = '\0';
		text = strchr(line, ';');
		if (!text || strncmp(++text, "Ring buffer ", 12) || !strstr(text, "meta") ||
		    strstr(text, "is from previous boot"))
			continue;
		line[text - line + (ptrdiff_t)strcspn(text, "\n")] = '\0';
		say_line(text);
		n++;
	}
	return n;
}

static int print(struct app *app, struct debuglog *log, const char *file)
{
	struct dkt__boot_before boot;
	int damage = say_damage();
	bool on = false;
	int rc = dkt__instance_last_boot_get(log->in, &boot, sizeof(boot)) ?
			 app_fail(app) :
			 check_kernel(app, &boot);

	if (rc)
		return rc;
	if (!boot.kept && !dkt__instance_get_on(log->in, &on) && on)
		app_say("the instance '%s' records already: records of this boot are among them",
			log->name);
	rc = dk_command(app, file, DKT_LIVE_KEEP | DKT_LIVE_LAST_BOOT);
	if (!rc && damage)
		rc = EXIT_LOST;
	if (!OPT(app, last_boot)->clear || (rc && rc != EXIT_LOST) || dkt__stopped())
		return rc;
	return dkt__instance_last_boot_clear(log->in) ? app_fail(app) : rc;
}

/* ---- recording this boot ---- */

static int start(struct app *app, struct debuglog *log)
{
	struct dkt_event **on __cleanup(free) = NULL;
	size_t n = 0;
	int err = dkt_instance_set_clock(log->in, DEBUGLOG_CLOCK);

	if (!err)
		err = dkt_instance_set_on(log->in, true);
	if (!err)
		err = dkt__instance_last_boot_mark(log->in);
	if (!err)
		err = dkt_instance_get_events(log->in, &on, &n);
	if (!err && !n)
		app_say("no event is enabled in '%s'; 'dktrace -B %s set_param debug=...' chooses some",
			log->name, log->name);
	return err ? app_fail(app) : 0;
}

static int run(struct app *app, struct debuglog *log, const char *file)
{
	struct dkt__boot_before boot;
	int rc;

	if (!log->in) {
		app_say("there is no instance '%s'", app->instance);
		return EXIT_FAILED;
	}
	/* The first boot has nothing to print. */
	if (OPT(app, last_boot)->start &&
	    dkt__instance_last_boot_get(log->in, &boot, sizeof(boot)) == -ENODATA) {
		app_say("%s", dkt_error(app->ctx));
		return start(app, log);
	}
	rc = print(app, log, file);
	if (!OPT(app, last_boot)->start || (rc && rc != EXIT_LOST) || dkt__stopped())
		return rc;
	return start(app, log) ?: rc;
}

int cmd_last_boot(struct app *app, int argc, char **argv)
{
	struct debuglog *log = NULL;
	char *name __cleanup(free) = NULL;
	int rc;

	if (app->input)
		return app_usage("last-boot: the kernel has it; --input has none");
	if (!app_has_instance(app)) {
		if (dkt__instance_last_boot_find(app->ctx, &name) == -ENOENT)
			return say_none(app);
		if (!name)
			return app_fail(app);
		app->instance = name;
	}
	rc = dkl_debuglog_open(app->ctx, app->instance, 0, &log) ?
		     app_fail(app) :
		     run(app, log, argc > 1 ? argv[1] : NULL);
	dkl_debuglog_close(log);
	return rc;
}
