/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tool: the state that main() prepares for a command, and the table of commands. */
#pragma once

#include <dktrace/dktrace.h>
#include <stdarg.h>

#include "compat/pipeline/placer.h"
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
	/* The text of each option on the command line; see opt.c. */
	const char *instance;
	const char *root;
	const char *input;
	const char *style;
	const char *filter;
	const char *classes;
	const char *subsystems;
	const char *rate;
	const char *since;
	const char *until;
	const char *pid;
	const char *cpu;
	const char *output;
	const char *format;
	const char *compression;
	const char *metrics;
	const char *offset;
	bool clock_error;
	const char *count;
	const char *every;
	const char *size;
	const char *match;
	const char *slowest;
	const char *took;
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
	const char *vmlinux;
	const char *actions;
	const char *watch;
	const char *top;
	const char *diff;
	bool folded;
	bool keep;
	bool here;
	bool kernel;
	bool journal;
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
	bool all;
	const char *duration;
	const char *calls;
	bool errors;
	bool stack;
	bool summary;
	const char *max_size;
	const char *buffer_size;
	const char *stacks;
	const char *probes;
	bool raw_text;
	bool json;
	bool cmdline;
	const char *persistent;
	const char *address;
	bool clear;
	bool start;
	const char *groups;
	const char *when;
	const char *after;
	const char *dir;
	const char *max_dumps;
	const char *keep_time;
	bool foreground;
	bool freeze;
	const char *segment_size;
	const char *segment_time;
	const char *settings;
	bool go_on;
	bool dump;
	const char *periods;
	const char *xid;
	const char *begin;
	const char *end;
	const char *limit;
	bool mi_version;
	bool metadata;
	bool test_compatibility;
	bool output_progress;
	const char *nodes;
	const char *hosts;
	const char *ssh;
	const char *far_program;
	const char *fanout;
	const char *timeout;
	const char *keep_size;
	const char *reconnect;
	const char *clickhouse;
	const char *server_timeout;
	const char *ca;
	const char *layout;
	const char *allow;
	bool batch;
	bool count_log;
	const char *delay;
	bool stamp;
	const char *frames;
	const char *panels;
	const char *n_rows;
	bool help;
	bool wrong; /* a failure is one of the words of the command line */
	bool version;
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
	unsigned int keep_privileges; /* enum dkt_keep: needed for the input and the output */
};

/* The preparation that a command needs; the flags also select its options. */
enum command_flags {
	CMD_LOG = 1 << 0, /* prints the log */
	CMD_LIST = 1 << 1, /* prints tables: --json, --csv */
	CMD_LCTL = 1 << 2, /* a command of lctl, which parses its arguments itself */
	CMD_HIDDEN = 1 << 3, /* not in the help */
	CMD_WRITE = 1 << 4, /* writes a recording: --format */
	CMD_REPORT = 1 << 5, /* prints recordings */
	CMD_PICK = 1 << 6, /* selects records of recordings */
	CMD_HIST = 1 << 7,
	CMD_LATENCY = 1 << 8,
	CMD_FILTER = 1 << 9, /* --pid, --comm, --cpu for recording */
	CMD_TRIGGER = 1 << 10, /* --filter */
	CMD_BOOT = 1 << 11, /* --cmdline */
	CMD_MERGE = 1 << 12,
	CMD_SPLIT = 1 << 13,
	CMD_PROBE = 1 << 14, /* --exec, --group ... */
	CMD_FUNCTION = 1 << 15, /* --notrace, --pid */
	CMD_GRAPH = 1 << 16, /* --depth, --threshold, --under */
	CMD_DAT = 1 << 17, /* can write the log as a recording: --format */
	/* For privileges.c: a command with none of these keeps all privileges, to change settings. */
	CMD_READ_FIRST = 1 << 18, /* the first argument is a file to read */
	CMD_READ_ALL = 1 << 19, /* all arguments are files to read */
	CMD_WRITE_LAST = 1 << 20, /* the last argument is a file to write */
	CMD_RESET = 1 << 23, /* --all */
	CMD_READ_TREE = UINT64_C(1) << 45, /* only reads: --root is a directory to read */
	CMD_CAPTURE = 1 << 22, /* records into a file: --max-size ... */
	CMD_RECORD = 1 << 21, /* records without --input; calls privileges_limit() when it begins */
	CMD_RECOVER = 1 << 26, /* --output, --compression */
	CMD_LAST = 1 << 24, /* --clear, --start, --force */
	CMD_INPUT = 1 << 25, /* --input */
	CMD_DAEMON = 1 << 28, /* records into segments: --segment-size, --segment-time ... */
	CMD_FLIGHT = 1 << 27, /* records into memory: --group, --when ... */
	CMD_ANALYZE = UINT64_C(1) << 33, /* the second argument is a file to read, not --input */
	CMD_LAMI = UINT64_C(1) << 37, /* the same; --metadata, --begin ... */
	CMD_LUSTRE = UINT64_C(1) << 35, /* --keys, --xid */
	CMD_VIEW = UINT64_C(1) << 36, /* writes a page: --output, --offset */
	CMD_STRACE = UINT64_C(1) << 32, /* prints system calls: --calls, --errors ... */
	CMD_TOP = UINT64_C(1) << 34, /* --batch, --delay ... */
	CMD_COLLECT = UINT64_C(1) << 38, /* runs a command on other hosts: --nodes, --hosts ... */
	CMD_REMOTE = UINT64_C(1) << 39, /* --allow */
	CMD_WRAP =
		UINT64_C(1) << 40, /* its options end at the first argument, which is a command */
	CMD_SQL = UINT64_C(1) << 41, /* --offset, --raw-text */
	CMD_FOLLOW = UINT64_C(1) << 43, /* prints the log as it grows: --stamp */
	CMD_LOAD = UINT64_C(1) << 42, /* loads into a database: --clickhouse, --layout ... */
	/* For cage.c, what a command needs when its files are open; with none it is confined to them. */
	CMD_NEEDS_NETWORK = UINT64_C(1) << 44,
	CMD_NEEDS_KERNEL = UINT64_C(1) << 46, /* tracefs */
	CMD_TREE = UINT64_C(1) << 47, /* with --root it needs that tree, and the state of the log */
	/* The commands that record until they are stopped: --duration. */
	CMD_TIMED = CMD_CAPTURE | CMD_HIST | CMD_LATENCY | CMD_ANALYZE | CMD_STRACE | CMD_TOP |
		    CMD_FOLLOW,
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

struct command {
	const char *name;
	command_fn *run;
	enum command_group group;
	uint64_t flags; /* enum command_flags */
	int min_args, max_args; /* max -1: any number */
	const char *args;
	const char *help;
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

command_fn cmd_analyze, cmd_apply, cmd_boot_config, cmd_collect, cmd_complete, cmd_convert,
	cmd_daemon, cmd_dk, cmd_doctor, cmd_filter, cmd_flight, cmd_function, cmd_help, cmd_hist,
	cmd_info, cmd_lami, cmd_last_boot, cmd_latency, cmd_lctl, cmd_list, cmd_load, cmd_lustre,
	cmd_merge, cmd_probe, cmd_record, cmd_recover, cmd_remote, cmd_report, cmd_reset, cmd_save,
	cmd_snapshot, cmd_split, cmd_sql, cmd_start, cmd_status, cmd_strace, cmd_top, cmd_trigger,
	cmd_view;

/* True if the command line names an instance. */
bool app_has_instance(const struct app *app);

/* Checks that there can be an instance of the name of -B. A failure is one of the words of the command line. */
int app_check_instance(struct app *app, struct dkt_ctx *ctx);

/* Creates another context that logs as the app's context does. Returns 0 or -ENOMEM. */
int app_new_ctx(struct app *app, const char *root, struct dkt_ctx **ctx);

/*
 * Prints "dktrace: " and the message on standard error. Texts that the format inserts may come from a
 * trace; dkt_words() escapes them.
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
