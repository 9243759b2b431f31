/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tool: the state that main() prepares for a command, and the table of commands. */
#pragma once

#include <dktrace/dktrace.h>
#include <stdarg.h>

#include "compat/pipeline/placer.h"
#include "ctl/app/opt.h"
#include "ctl/app/progress.h"
#include "lib/base/guess.h"
#include "lib/base/own_dir.h"
#include "lib/base/strings.h"
#include "lib/base/util.h"

/* Exit statuses beside 0. */
enum {
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_LOST = 3, /* done, but records were lost */
	EXIT_PIPE = 141, /* the reader closed the pipe: a shell's status for SIGPIPE */
};

struct app {
	struct dkt_ctx *ctx;
	enum dkt_log_level level; /* of the messages on stderr */
	struct progress change_progress; /* of enabling and disabling events */
	const struct command *commands; /* app_commands */
	const struct command *command;
	/* Options that main() reads for every command; those of the command are in the room. */
	const char *instance, *root, *input, *output;
	bool help, version;
	struct opt_room room;
	bool wrong; /* a failure is one of the words of the command line */
	struct dkt__strings joined; /* the texts of options that were given several times */
	int stdin_file; /* a descriptor of standard input's content, plus 1; 0: not open yet */
	int n_command; /* arguments after "--", the last ones */
	struct app_file *files; /* input, opened before privileges are dropped; see privileges.h */
	size_t n_files;
	struct app_damage *damages; /* of compressed input; see unpack.h */
	size_t n_damages;
	struct dkt__own_dir temporary;
	struct placer placer; /* of the output, for a process that is confined */
	bool made_run_dir; /* for this command */
	unsigned int keep_privileges; /* enum dkt__keep: needed for the input and the output */
};

/* Needs of a command, and properties that main() asks for. */
enum command_flags {
	CMD_LCTL = 1 << 0, /* a command of lctl, which parses its arguments itself */
	CMD_HIDDEN = 1 << 1, /* not in the help */
	CMD_WRAP = 1 << 2, /* its options end at the first argument, which is a command */
	CMD_COMMAND = 1 << 3, /* runs the command after "--" */
	CMD_STRACE = 1 << 4, /* stands in for strace(1) */
	CMD_EMPTY = 1 << 5, /* an argument may be empty */
	CMD_PRIVATE = 1 << 6, /* records in an instance of its own, with the probe on messages */
	CMD_MEASURES = 1 << 7, /* measures times, or keeps them where they are measured */
	/* For privileges.c: a command with none of these keeps all privileges, to change settings. */
	CMD_READ_FIRST = 1 << 8, /* the first argument is a file to read */
	CMD_READ_ALL = 1 << 9, /* all arguments are files to read */
	CMD_READ_NAMED = 1 << 10, /* all arguments after the first */
	CMD_READ_TREE = 1 << 11, /* only reads: --root is a directory to read */
	CMD_RECORD =
		1 << 12, /* records if it has no file; calls privileges_limit() when it begins */
	CMD_READ = CMD_READ_FIRST | CMD_READ_ALL | CMD_READ_NAMED,
	/* The file to write, if it is not that of --output. */
	CMD_WRITE_LAST = 1 << 13, /* the last argument */
	CMD_WRITE_IN_PLACE = 1 << 14, /* without --output, the file that is read */
	CMD_WRITE_TRACE = 1 << 15, /* without --output, trace.dat */
	CMD_FORMAT = 1 << 16, /* the name tells the format */
	CMD_NAMES = 1 << 17, /* it has its name while it grows, or there are several */
	/* For cage.c, what a command needs when its files are open; with none it is confined to them. */
	CMD_NEEDS_NETWORK = 1 << 18,
	CMD_NEEDS_KERNEL = 1 << 19, /* tracefs */
	CMD_NEEDS_TEMPORARY = 1 << 20, /* files of its own, whatever it reads */
	CMD_TREE = 1 << 21, /* with --root it needs that tree, and the state of the log */
	CMD_WRITE_PROFILE = 1 << 22, /* without --output and without a file to read, perf.data */
	CMD_READ_PROFILE = 1 << 23, /* without a file to read, perf.data */
	CMD_WRITE_ARCHIVE =
		1 << 24, /* without --output, the name of the file that is read, and .tar.gz */
};

/* The headings of the help, in this order. */
enum command_group {
	GROUP_LOG,
	GROUP_RECORDING,
	GROUP_READING,
	GROUP_ANSWERS,
	GROUP_LUSTRE,
	GROUP_HOSTS,
	GROUP_SETTINGS,
	GROUP_MACHINE,
	N_GROUPS,
};

/* argv[0] is the command's name. Returns the exit status. */
typedef int command_fn(struct app *app, int argc, char **argv);

/* At least as many tables of options as a command has. */
#define COMMAND_TABLES 12

struct command {
	const char *name;
	command_fn *run;
	enum command_group group;
	unsigned int flags; /* enum command_flags */
	int min_args, max_args; /* max -1: any number */
	const char *args;
	const char *help;
	/* The options beside those of all commands: its own, and the groups that it shares. */
	const struct opt *options[COMMAND_TABLES];
	/*
	 * Returns the index, of n arguments, at which a file to read can be that may also be left out; n: none can.
	 * NULL: the flags tell.
	 */
	int (*find_file)(const struct app *app, int n, char **argv);
	enum offers offers; /* OFFER_WORDS: "start|stop", with which args begins */
};

/* Ends with a row without a name. */
extern const struct command app_commands[];

/* Returns NULL if the name is unknown. */
const struct command *command_find(const struct app *app, const char *name);

/* Reports an unknown command; returns EXIT_USAGE. */
int command_unknown(const struct app *app, const char *name);

#define APP_NO_LOG "nothing is recorded yet: set a mask first, 'dktrace set_param debug=...'"

/* The default name of the instance, recognised by its address. */
extern const char app_instance[];

/* True if the command line names an instance. */
bool app_has_instance(const struct app *app);

/* Checks that there can be an instance of the name of -B. A failure is one of the words of the command line. */
int app_check_instance(struct app *app, struct dkt_ctx *ctx);

/* Creates another context that logs as the app's context does. Returns 0 or -ENOMEM. */
int app_new_ctx(struct app *app, const char *root, struct dkt_ctx **ctx);

/*
 * Prints "dktrace: " and the message on standard error. Texts that the format inserts may come from a
 * trace; dkt__words() escapes them.
 */
void app_say(const char *fmt, ...) DKT_PRINTF(1, 2);
void app_vsay(const char *fmt, va_list ap) DKT_PRINTF(1, 0);

/* Prints the message and returns EXIT_USAGE. */
#define app_usage(...) (app_say(__VA_ARGS__), EXIT_USAGE)

/* Prints the context's last error message; returns EXIT_FAILED. */
int app_fail(const struct app *app);

/*
 * Finds the row that word names. Each of the n rows has size bytes and begins with a pointer to its name.
 * Returns its index, or -1 after a message that lists the names.
 */
int app_find_row(const struct app *app, const char *word, const void *rows, size_t n, size_t size);

/* The exit status of two files: a failure counts more than lost records. */
int app_worse(int a, int b);

/* Prints the help of a command, or the list of commands if command is NULL. */
void app_help(const struct app *app, const struct command *command);
