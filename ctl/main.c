/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the command and its options; under the name lctl the program behaves as lctl. */
#include <locale.h>
#include <poll.h>
#include <signal.h>

#include "compat/lctl/lctl.h"
#include "compat/lustre/message/cdebug.h"
#include "ctl/app/app.h"
#include "ctl/app/file_argument.h"
#include "ctl/app/privileges.h"
#include "ctl/app/spawn.h"
#include "ctl/input/unpack.h"
#include "lib/base/gained.h"
#include "lib/inside.h"

/* Reads the environment first, so that the command line overrides it. */
static void app_defaults(struct app *app)
{
	const char *name = getenv("DKTRACE_INSTANCE");

	app->instance = name && *name ? name : app_instance;
	app->root = secure_getenv("DKTRACE_ROOT");
	if (app->root && !*app->root)
		app->root = NULL;
}

/*
 * A program whose file has capabilities runs without them; the library uses them for tracefs, and the
 * debug log for its directory in /run. So no path that a user names, in whichever command and option,
 * is opened with more than the user's own rights.
 */
static int lower_privileges(struct app *app)
{
	if (!dkt__is_gained())
		return 0;
	if (geteuid() != getuid()) {
		app_say("refused to run with set-user-ID, which programs that are run would"
			" inherit; give capabilities to the file: setcap(8)");
		return EXIT_FAILED;
	}
	if (app->root) {
		app_say("--root %s: refused, because this program's file has privileges that its"
			" user has not",
			app->root);
		return EXIT_FAILED;
	}
	return dkt__caps_lower(app->ctx, DKT__LOWER_GAINED) ? app_fail(app) : 0;
}

static int app_context(struct app *app)
{
	app->level = getenv("DKTRACE_DEBUG") ? DKT_LOG_DEBUG : DKT_LOG_WARN;
	if (app_new_ctx(app, app->input ? app->input : app->root, &app->ctx)) {
		app_say("out of memory");
		return EXIT_FAILED;
	}
	return lower_privileges(app);
}

/* A file may have buffers of any name, and only the command tells whether it reads one. Hosts judge for collect. */
static int check_instance(struct app *app)
{
	if (app->input || app->command->flags & (CMD_READ | CMD_WRAP) ||
	    !app_check_instance(app, app->ctx))
		return 0;
	return app_fail(app);
}

/* lctl takes empty arguments, hosts judge those of collect, and a flight recorder's reason may be empty. */
static int check_empty(const struct command *command, int n, char **argv)
{
	if (command->flags & (CMD_LCTL | CMD_HIDDEN | CMD_WRAP | CMD_EMPTY))
		return 0;
	for (int i = 0; i < n; i++)
		if (!*argv[i])
			return app_usage("%s: an argument is empty; usage: dktrace %s %s",
					 command->name, command->name, command->args);
	return 0;
}

static int check_args(const struct command *command, int n)
{
	if (n < command->min_args)
		return app_usage("%s: needs %s", command->name, command->args);
	if (command->max_args >= 0 && n > command->max_args)
		return app_usage("%s: too many arguments; usage: dktrace %s%s%s", command->name,
				 command->name, *command->args ? " " : "", command->args);
	return 0;
}

/* The number of arguments after "--". Call before getopt_long(), which moves the "--". */
static int count_after_dashes(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return argc - i - 1;
	return 0;
}

/* True if an argument names the probe on Lustre's messages. Call before the options are taken out. */
static bool names_messages(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (dkl_cdebug_is_named(argv[i]))
			return true;
	return false;
}

/* argv[0] is the command's name. */
static int run_command(struct app *app, int argc, char **argv)
{
	const struct command *command = app->command;
	const bool own_options = !(command->flags & (CMD_LCTL | CMD_HIDDEN));
	/* A private instance creates the probe on Lustre's messages itself, and keeps it for longer. */
	const bool names = own_options && names_messages(argc, argv) &&
			   !(command->flags & CMD_PRIVATE);
	bool lent = false;
	int rc, first = 1;

	app->n_command = command->flags & CMD_COMMAND ? count_after_dashes(argc, argv) : 0;
	/* lctl's commands parse their options themselves; lctl mark --help writes a marker. */
	if (own_options)
		first = opt_parse(app, command, argc, argv);
	else if (command->flags & CMD_LCTL && argc == 2)
		app->help |= !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h");
	if (first < 0)
		return EXIT_USAGE;
	if (app->help) {
		app_help(app, command);
		return 0;
	}
	argv[first - 1] = argv[0];
	argv += first - 1;
	argc -= first - 1;
	argc = file_argument_take(app, argc, argv);
	rc = check_args(command, argc - 1 + (app->input && command->flags & CMD_READ));
	if (!rc)
		rc = check_empty(command, argc - 1 - app->n_command, argv + 1);
	if (!rc)
		rc = file_argument_check(app, argc, argv);
	argc = file_argument_insert(app, argc, &argv);
	if (!rc && app->n_command)
		rc = spawn_check(argv + argc - app->n_command);
	if (!rc)
		rc = app_context(app);
	if (!rc)
		rc = check_instance(app);
	if (!rc && own_options)
		rc = opt_check(app);
	if (!rc && !app->input && !app->root && names)
		lent = dkl_cdebug_try_lend(app->ctx);
	if (!rc)
		rc = privileges_begin(app, argc, argv);
	if (!rc)
		rc = command->run(app, argc, argv);
	if (lent)
		dkl_cdebug_take_back(app->ctx);
	privileges_end(app);
	unpack_clear(app);
	dkt_ctx_free(app->ctx);
	dkt__strings_clear(&app->joined);
	return rc;
}

static int run_lctl(struct app *app, int argc, char **argv)
{
	/* If --root replaces tracefs, do not mount debugfs. */
	struct lctl lctl = { .instance = app->instance,
			     .self = "lctl",
			     .tree.tried_debugfs = app->root,
			     .placer = &app->placer };
	int rc;

	/* "lctl dk --input DIR" reads a saved tree. */
	if (argc > 3 && !strcmp(argv[1], "dk") && !strcmp(argv[2], "--input")) {
		lctl.input = app->input = argv[3];
		argv[3] = argv[1];
		argv += 2;
		argc -= 2;
	}
	rc = app_context(app);
	lctl.ctx = app->ctx;
	if (!rc && lctl.input)
		rc = privileges_confine_dump(app, argc > 2 ? argv[2] : NULL);
	if (!rc)
		rc = dkl_lctl_main(&lctl, argc, argv);
	dkl_placer_end(&app->placer);
	dkt_ctx_free(app->ctx);
	return lctl.closed ? EXIT_PIPE : rc;
}

static int finish(int rc)
{
	struct pollfd out = { .fd = STDOUT_FILENO };

	/* Check that all output was written, unless the reader closed the pipe. */
	if (!fflush(stdout) && !ferror(stdout))
		return rc;
	if (errno == EPIPE || (poll(&out, 1, 0) > 0 && out.revents & POLLERR))
		return EXIT_PIPE;
	perror("dktrace: write output");
	return rc ? rc : EXIT_FAILED;
}

/*
 * Beyond the limit of ulimit -f, write() returns EFBIG then, and what was begun can be ended. Commands
 * that are run do not inherit a handler.
 */
static void on_limit(int sig)
{
	(void)sig;
}

int main(int argc, char **argv)
{
	const struct sigaction stay = { .sa_handler = on_limit, .sa_flags = SA_RESTART };
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	struct app app = { .commands = app_commands };
	int first;

	sigaction(SIGXFSZ, &stay, NULL);
	app_defaults(&app);
	if (argc && !strncmp(slash ? slash + 1 : argv[0], "lctl", 4))
		return finish(run_lctl(&app, argc, argv));
	/* For tables and bars. Numbers keep their point in all languages. */
	setlocale(LC_CTYPE, "");
	first = opt_parse(&app, NULL, argc, argv);
	if (first < 0)
		return EXIT_USAGE;
	if (app.version) {
		printf("dktrace %s%s\n", DKT_VERSION,
		       *BUILT_WITHOUT ? ", without " BUILT_WITHOUT : "");
		return finish(0);
	}
	if (app.help || first >= argc) {
		app_help(&app, NULL);
		return finish(app.help ? 0 : EXIT_USAGE);
	}
	app.command = command_find(&app, argv[first]);
	if (!app.command)
		return command_unknown(&app, argv[first]);
	return finish(run_command(&app, argc - first, argv + first));
}
