/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tool: the state that main() prepares for a command, and the table of commands. */
#pragma once

#include <dktrace/dktrace.h>

#include "app/progress.h"
#include "base/guess.h"
#include "base/util.h"

/* Exit statuses beside 0. */
enum {
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_LOST = 3, /* done, but records had been lost */
	EXIT_PIPE = 141, /* the reader of the output went away: as a shell has it of SIGPIPE */
};

struct app {
	struct dkt_ctx *ctx;
	enum dkt_log_level level; /* what is said on stderr */
	struct progress switching;
	const struct command *commands; /* app_commands */
	const struct command *command;
	/* options, as given; see opt.c */
	const char *instance;
	const char *root;
	const char *input;
	const char *style;
	const char *filter;
	const char *types;
	const char *subsystems;
	const char *rate;
	const char *since;
	const char *until;
	const char *pid;
	const char *cpu;
	const char *output;
	const char *format;
	const char *compression;
	const char *offset;
	const char *count;
	const char *every;
	const char *size;
	const char *key;
	const char *by;
	const char *slowest;
	const char *seconds;
	const char *exec;
	const char *group;
	const char *name;
	const char *kind;
	const char *max;
	const char *debug_file;
	bool dry_run;
	bool enable;
	bool force;
	const char *keys;
	const char *sql;
	const char *vals;
	const char *sort;
	const char *vars;
	const char *actions;
	const char *watch;
	const char *top;
	const char *diff;
	bool folded;
	bool keep;
	bool here;
	bool kernel;
	bool csv;
	const char *events;
	const char *fields;
	const char *jobs;
	const char *comm;
	const char *notrace;
	const char *under;
	const char *depth;
	const char *threshold;
	bool children;
	bool raw_text;
	bool json;
	bool cmdline;
	bool help;
	bool version;
	int stdin_file; /* descriptor of standard input's content and 1; 0: not asked for yet */
	int n_command; /* words behind "--", which are the last ones */
	struct app_file *files; /* to be read, opened before rights were dropped; see rights.h */
	size_t n_files;
	unsigned int keep_rights; /* enum dkt_keep, for what is read and written */
};

/* The preparation that a command needs; the flags also select its options. */
enum command_flags {
	CMD_LOG = 1, /* prints the log: the options of dk */
	CMD_LIST = 2, /* prints tables: --json, --csv */
	CMD_LCTL = 4, /* one of lctl's: takes its words as they are */
	CMD_HIDDEN = 8, /* not for people */
	CMD_BOOT = 1 << 12, /* for the next boot: --cmdline */
	CMD_WRITE = 16, /* writes a file of records: --format */
	CMD_PICK = 64, /* takes some of the records of files: the selection */
	CMD_MERGE = 1 << 13,
	CMD_SPLIT = 1 << 14,
	CMD_HIST = 0x100,
	CMD_LATENCY = 0x200,
	CMD_REPORT = 32, /* prints files: the options of report */
	CMD_FILTER = 0x400, /* --pid, --comm, --cpu of what is recorded */
	CMD_TRIGGER = 0x800, /* --filter */
	CMD_FUNCTION = 1 << 16, /* --notrace, --pid */
	CMD_GRAPH = 1 << 17, /* --depth, --threshold, --under */
	CMD_DAT = 1 << 18, /* can write the log as a file of records: --format */
	CMD_PROBE = 1 << 15, /* makes probes: --exec, --group ... */
	/* For rights.c: a command with none of these keeps all privileges, to change settings. */
	CMD_READ_FIRST = 1 << 20, /* its first argument is a file to read */
	CMD_READ_ALL = 1 << 21, /* all of them are */
	CMD_WRITE_LAST = 1 << 22, /* the last one is a file to write */
	CMD_RECORD = 1 << 23, /* without --input it records: calls rights_limit() once that runs */
};

struct command {
	const char *name;
	int (*run)(struct app *app, int argc, char **argv);
	unsigned int flags;
	int min_args, max_args; /* max -1: any number */
	const char *args;
	const char *help;
};

/* The rows, behind the last of which one has no name. */
extern const struct command app_commands[];

/* NULL: there is none of that name. */
const struct command *command_find(const struct app *app, const char *name);

/* Says that there is no such command; returns EXIT_USAGE. */
int command_unknown(const struct app *app, const char *name);

/* The instance's name if nobody gave another one; told by its address. */
extern const char app_instance[];

/* One file each: argv[0] is the command's name; the exit status is returned. */
int cmd_apply(struct app *app, int argc, char **argv);
int cmd_info(struct app *app, int argc, char **argv);
int cmd_merge(struct app *app, int argc, char **argv);
int cmd_split(struct app *app, int argc, char **argv);
int cmd_convert(struct app *app, int argc, char **argv);
int cmd_boot_config(struct app *app, int argc, char **argv);
int cmd_dk(struct app *app, int argc, char **argv);
int cmd_doctor(struct app *app, int argc, char **argv);
int cmd_filter(struct app *app, int argc, char **argv);
int cmd_function(struct app *app, int argc, char **argv);
int cmd_help(struct app *app, int argc, char **argv);
int cmd_lctl(struct app *app, int argc, char **argv);
int cmd_hist(struct app *app, int argc, char **argv);
int cmd_latency(struct app *app, int argc, char **argv);
int cmd_list(struct app *app, int argc, char **argv);
int cmd_report(struct app *app, int argc, char **argv);
int cmd_probe(struct app *app, int argc, char **argv);
int cmd_reset(struct app *app, int argc, char **argv);
int cmd_save(struct app *app, int argc, char **argv);
int cmd_start(struct app *app, int argc, char **argv);
int cmd_status(struct app *app, int argc, char **argv);
int cmd_trigger(struct app *app, int argc, char **argv);
int cmd_complete(struct app *app, int argc, char **argv);

/* Whether the command line names an instance. */
bool app_has_instance(const struct app *app);

/* Another context than the app's, with the same log. -ENOMEM. */
int app_new_ctx(struct app *app, const char *root, struct dkt_ctx **ctx);

/*
 * Prints "dktrace: " and the words on standard error, escaped as by dkt_words(). What holds a text is
 * said with it: text may come from a trace.
 */
void app_say(const char *fmt, ...) DKT_PRINTF(1, 2);

/* Prints the words of the context's last failure; returns EXIT_FAILED. */
int app_fail(const struct app *app);

/* Prints "dktrace: " and the words; returns EXIT_USAGE. */
int app_usage(const char *fmt, ...) DKT_PRINTF(1, 2);

/*
 * "; did you mean NAME?" or "", for app_usage(): of n rows of size bytes, each of which begins with a
 * pointer to its name. Lives as long as the guess.
 */
const char *app_guess(struct dkt__guess *guess, const char *word, const void *rows, size_t n,
		      size_t size);

/* Prints help for a command, or for all of it. */
void app_help(const struct app *app, const struct command *command);
