/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lctl's commands, by its words, with its output and exit statuses. */
#include "lctl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dk.h"
#include "lctl_cmd.h"
#include "param.h"
#include "real_lctl.h"
#include "util.h"

/* lctl cuts a marker there. */
#define MARK_MAX 255

struct command {
	const char *name;
	int (*run)(struct lctl *lctl, int argc, char **argv);
	const char *help; /* text and usage line, as lctl prints them */
};

void lctl_say(const struct lctl *lctl)
{
	fprintf(stderr, "%s: %s\n", lctl->self, dkt_error(lctl->ctx));
}

/* ---- parameters ---- */

/* Dots and slashes both separate components; ours have one. */
static char *clean_name(const char *name)
{
	char *clean = strdup(name), *p;

	for (p = clean; p && *p; p++)
		if (*p == '.')
			*p = '/';
	return clean;
}

static int no_match(const char *command, const char *name)
{
	char *path __cleanup(free) = clean_name(name);

	fprintf(stderr, "error: %s: param_path '%s': %s\n", command, path ? path : name,
		strerror(ENOENT));
	return ENOENT;
}

static int get_one(struct lctl *lctl, struct debuglog *log, const char *name, bool only_name,
		   bool no_name)
{
	const struct param *param = param_find(name);
	char *value __cleanup(free) = NULL;
	int err;

	if (!*name) {
		fprintf(stderr, "error: get_param: cleaning '': %s\n", strerror(EINVAL));
		return EINVAL;
	}
	if (!param)
		return no_match("get_param", name);
	if (only_name) {
		printf("%s\n", name);
		return 0;
	}
	err = param_get(log, param, &value);
	if (err) {
		lctl_say(lctl);
		fprintf(stderr, "error: read_param: '%s/%s': %s\n", log->dir, name, strerror(-err));
		return -err;
	}
	if (!no_name)
		printf("%s=%s\n", name, value);
	else if (*value)
		printf("%s\n", value);
	return 0;
}

static const char get_param_help[] = "get the value of one or more parameters\n"
				     "usage: get_param [-nN] PARAMETER...\n"
				     "  -n  print the value only\n"
				     "  -N  print the name only";

static int cmd_get_param(struct lctl *lctl, int argc, char **argv)
{
	bool only_name = false, no_name = false;
	struct debuglog *log;
	int c, err, rc = 0;

	optind = 1;
	while ((c = getopt(argc, argv, "+nN")) != -1) {
		if (c == '?')
			break;
		no_name |= c == 'n';
		only_name |= c == 'N';
	}
	if (c == '?' || optind == argc) {
		printf("%s\n", get_param_help);
		return 4;
	}
	err = debuglog_open(lctl->ctx, lctl->instance, 0, &log);
	if (err) {
		lctl_say(lctl);
		return -err;
	}
	for (; optind < argc; optind++) {
		err = get_one(lctl, log, argv[optind], only_name, no_name);
		/* The first failure is the command's. */
		rc = rc ? rc : err;
	}
	debuglog_close(log);
	return rc;
}

static void print_notes(const struct lctl *lctl, const char *name, char *notes)
{
	char *line, *save = NULL;

	for (line = notes ? strtok_r(notes, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		fprintf(stderr, "%s: %s: %s\n", lctl->self, name, line);
}

static int set_one(struct lctl *lctl, struct debuglog *log, const char *name, const char *value,
		   bool quiet)
{
	const struct param *param = param_find(name);
	char *notes __cleanup(free) = NULL;
	int err;

	if (!param) {
		no_match("set_param", name);
		fprintf(stderr, "error: set_param: setting '%s'='%s': %s\n", name, value,
			strerror(ENOENT));
		return ENOENT;
	}
	err = param_set(log, param, value, &notes);
	if (!err && !quiet)
		printf("%s=%s\n", name, value);
	fflush(stdout);
	print_notes(lctl, name, notes);
	if (!err)
		return 0;
	lctl_say(lctl);
	fprintf(stderr, "error: set_param: setting %s/%s=%s: %s\n", log->dir, name, value,
		strerror(-err));
	fprintf(stderr, "error: set_param: setting '%s'='%s': %s\n", name, value, strerror(-err));
	return -err;
}

static const char set_param_help[] = "set the value of one or more parameters\n"
				     "usage: set_param [-n] PARAMETER=VALUE...\n"
				     "  -n  do not print what was set";

/* NAME=VALUE or NAME VALUE, any number of them; the status is that of the last. */
static int set_all(struct lctl *lctl, struct debuglog *log, int argc, char **argv, bool quiet)
{
	int i, rc = 0;

	for (i = 0; i < argc; i++) {
		char *name __cleanup(free) = strdup(argv[i]);
		char *value = name ? strchr(name, '=') : NULL;

		if (value)
			*value++ = '\0';
		else if (name && i + 1 < argc)
			value = argv[++i];
		if (!value || !*value) {
			fprintf(stderr, "error: set_param: setting %s: %s\n", name ? name : "",
				strerror(EINVAL));
			return EINVAL;
		}
		rc = set_one(lctl, log, name, value, quiet);
	}
	return rc;
}

static int cmd_set_param(struct lctl *lctl, int argc, char **argv)
{
	struct debuglog *log;
	bool quiet = false;
	int c, err, rc;

	optind = 1;
	opterr = 0;
	while ((c = getopt(argc, argv, "+n")) != -1) {
		if (c == '?')
			break;
		quiet = true;
	}
	opterr = 1;
	if (c == '?' || optind == argc) {
		printf("%s\n", set_param_help);
		return 4;
	}
	err = debuglog_open(lctl->ctx, lctl->instance, DEBUGLOG_CHANGE, &log);
	if (err) {
		lctl_say(lctl);
		return -err;
	}
	if (log->rebuilt)
		fprintf(stderr, "%s: what was set is lost, it was taken from what is on in '%s'\n",
			lctl->self, log->name);
	rc = set_all(lctl, log, argc - optind, argv + optind, quiet);
	debuglog_close(log);
	return rc;
}

/* ---- the buffer ---- */

/* Opens the log as it is; a log that was never started is told to the user. */
static int open_started(struct lctl *lctl, struct debuglog **log)
{
	int err = debuglog_open(lctl->ctx, lctl->instance, DEBUGLOG_CHANGE, log);

	if (!err && (*log)->in)
		return 0;
	if (!err) {
		debuglog_close(*log);
		err = dkt_fail(lctl->ctx, -ENOENT,
			       "nothing is recorded yet: start with set_param debug=...");
	}
	lctl_say(lctl);
	return err;
}

static int cmd_clear(struct lctl *lctl, int argc, char **argv)
{
	struct debuglog *log;
	int err;

	if (argc > 1) {
		fprintf(stderr, "usage: %s\n", argv[0]);
		return 0;
	}
	if (open_started(lctl, &log))
		return 1;
	err = dk_clear(log);
	if (err)
		lctl_say(lctl);
	debuglog_close(log);
	return err ? 1 : 0;
}

/* The words joined by blanks, or the time with its newline. */
static void mark_text(int argc, char **argv, char text[MARK_MAX + 1])
{
	time_t now = time(NULL);
	size_t len = 0;
	int i;

	text[0] = '\0';
	if (argc < 2)
		ctime_r(&now, text);
	for (i = 1; i < argc && len < MARK_MAX; i++) {
		int n = snprintf(text + len, MARK_MAX + 1 - len, "%s%s", i > 1 ? " " : "", argv[i]);

		len = n < 0 ? len : len + (size_t)n;
	}
}

static int cmd_mark(struct lctl *lctl, int argc, char **argv)
{
	char *line __cleanup(free) = NULL;
	char text[MARK_MAX + 1];
	struct debuglog *log;
	int err = -ENOMEM;

	mark_text(argc, argv, text);
	if (open_started(lctl, &log))
		return 1;
	if (asprintf(&line, "DEBUG MARKER: %s", text) >= 0)
		err = dkt_instance_mark(log->in, line);
	else
		line = NULL;
	if (err)
		lctl_say(lctl);
	debuglog_close(log);
	return err ? 1 : 0;
}

/* ---- dispatch ---- */

static int cmd_help(struct lctl *lctl, int argc, char **argv);

static int cmd_version(struct lctl *lctl, int argc, char **argv)
{
	(void)lctl, (void)argc, (void)argv;
	printf("lctl (dktrace) %s\n", DKT_VERSION);
	return 0;
}

static const struct command commands[] = {
	{ "debug_kernel", lctl_cmd_dk,
	  "get debug buffer and dump to a file, same as 'dk'\nusage: debug_kernel [file] [raw]" },
	{ "dk", lctl_cmd_dk,
	  "get debug buffer and dump to a file, same as 'debug_kernel'\nusage: dk [file] [raw]" },
	{ "debug_file", lctl_cmd_df,
	  "convert a binary debug file dumped by the kernel to ASCII text\n"
	  "usage: debug_file <input> [output]" },
	{ "df", lctl_cmd_df,
	  "read debug log from input convert to ASCII, same as 'debug_file'\n"
	  "usage: df <input> [output]" },
	{ "clear", cmd_clear, "clear kernel debug buffer\nusage: clear" },
	{ "mark", cmd_mark, "insert marker text in kernel debug buffer\nusage: mark <text>" },
	{ "get_param", cmd_get_param, get_param_help },
	{ "set_param", cmd_set_param, set_param_help },
	{ "help", cmd_help, "what a command does\nusage: help [command]" },
	{ "version", cmd_version, "print the version\nusage: version" },
};

static const struct command *find_command(const char *name)
{
	size_t i;

	/* Options in place of a command mean the same. */
	if (!strncmp(name, "--", 2))
		name += 2;
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int cmd_help(struct lctl *lctl, int argc, char **argv)
{
	const struct command *command;
	size_t i;

	(void)lctl;
	if (argc < 2) {
		printf("usage: lctl [COMMAND] [OPTIONS]... [ARGS]\n"
		       "Try 'lctl help <COMMAND>'. The commands:\n");
		for (i = 0; i < ARRAY_SIZE(commands); i++)
			printf("%s\n", commands[i].name);
		return 0;
	}
	command = find_command(argv[1]);
	if (command)
		fprintf(stderr, "%s: %s\n", command->name, command->help);
	else
		fprintf(stderr, "lctl: '%s' is not a valid command. See 'lctl --list-commands'.\n",
			argv[1]);
	return 0;
}

const char *lctl_command(size_t i)
{
	return i < ARRAY_SIZE(commands) ? commands[i].name : NULL;
}

bool lctl_knows(const char *command)
{
	return find_command(command);
}

int lctl_run(struct lctl *lctl, int argc, char **argv)
{
	return find_command(argv[0])->run(lctl, argc, argv);
}

int lctl_main(struct lctl *lctl, int argc, char **argv)
{
	if (argc < 2) {
		printf("usage: lctl [COMMAND] [OPTIONS]... [ARGS]\n"
		       "Try 'lctl help <COMMAND>', or 'lctl --list-commands' for a list of"
		       " commands.\n");
		return 0;
	}
	if (lctl_knows(argv[1]))
		return lctl_run(lctl, argc - 1, argv + 1);
	real_lctl_exec(argv);
	fprintf(stderr, "lctl: '%s' is not a valid command. See 'lctl --list-commands'.\n",
		argv[1]);
	return 1;
}
