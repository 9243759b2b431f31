/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options: tables of rows, which commands own or share, for parsing, help and completion. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ctl/app/value.h"

struct app;
struct command;

/* A struct NAME_options that options write into. */
struct opt_values {
	size_t size;
};

/* In bytes: the largest such struct, and all that one command has. */
#define OPT_MOST 256
#define OPT_ROOM 2048

#define OPT_VALUES(name)                                                                           \
	const struct opt_values name##_values = { sizeof(struct name##_options) };                 \
	_Static_assert(sizeof(struct name##_options) <= OPT_MOST, "a larger OPT_MOST")

/* The values of the options in struct NAME_options: NULL and false where none was given. */
#define OPT(app, name) ((const struct name##_options *)opt_values(app, &name##_values))

/* The same, to be changed. */
#define OPT_CHANGE(app, name) ((struct name##_options *)opt_values_change(app, &name##_values))

/* Where a row writes: a const char * in the struct, or a bool if the option has no value. */
#define AT(name, member) .into = &name##_values, .offset = offsetof(struct name##_options, member)
#define AT_APP(member)   .offset = offsetof(struct app, member)

enum opt_flags {
	OPT_EMPTY = 1, /* an empty value has a meaning */
	OPT_OPENED = 2, /* names a file that is opened before privileges are dropped */
	OPT_DATAGRAMS = 4, /* sends datagrams to a service of this machine */
	OPT_PROGRAM = 8, /* names a program, whose debug information may be beside it */
	OPT_PROCESS = 16, /* looks at a program as another process sees it */
	OPT_FAR = 32, /* names no file, program or place: a key with --allow may give it */
	OPT_SERVERS = 64, /* asks servers, and keeps what they send in temporary files */
};

/* The candidates that completion offers for the value of an option, or for the arguments of a command. */
enum offers {
	OFFER_WORDS, /* the words of the row: values, or actions with which the arguments begin; none: files */
	OFFER_ANALYSES,
	OFFER_CALLS, /* system calls */
	OFFER_CLASSES,
	OFFER_COLUMNS, /* of top */
	OFFER_COUNTERS, /* of stat, and events */
	OFFER_COUNTS, /* of hist, and events */
	OFFER_EVENTS,
	OFFER_FIELDS, /* of the events before it */
	OFFER_FILTERS,
	OFFER_FORMATS,
	OFFER_HELP, /* commands, and the words of tasks */
	OFFER_INSTANCES,
	OFFER_INTERVALS,
	OFFER_LISTS,
	OFFER_LUSTRE, /* analyses of Lustre's log */
	OFFER_MEASURED, /* intervals for top, separated by commas */
	OFFER_PAIRS, /* intervals, or two events */
	OFFER_PANELS, /* of top */
	OFFER_PARAMETERS,
	OFFER_PROBES,
	OFFER_SETTINGS, /* PARAMETER=VALUE */
	OFFER_STYLES,
	OFFER_SUBSYSTEMS,
	OFFER_TRIGGERS,
	N_OFFERS,
};

/* A table of rows ends with one without a name. */
struct opt {
	const char *name;
	char letter; /* 0: none */
	const char *arg; /* NULL: the option has no value; "[=X]": the value is optional */
	const struct opt_values *into; /* NULL: struct app */
	size_t offset;
	const char *help;
	value_check *check; /* finds what is wrong whatever the machine is like */
	const char *const *words; /* the values, for completion */
	enum offers offers;
	unsigned int flags; /* enum opt_flags */
	char joint; /* joins the values of an option that is given again; 0: the last one counts */
	/* An old name, understood but not offered: the option that it stands for, and nothing else. */
	const char *now;
	const char *first; /* only for values that begin with one of these; NULL: for all values */
};

/* Structs of options, in this process's app. */
struct opt_room {
	uint64_t words[OPT_ROOM / sizeof(uint64_t)];
	size_t used;
};

/* The rows of TABLE_opts. clang-format leaves them as they are. */
#define OPT_TABLE(table, ...) const struct opt table##_opts[] = { __VA_ARGS__{ .name = NULL } }

/* The same, and the values of the options in struct NAME_options. */
#define OPT_OWN(name, ...)                                                                         \
	OPT_VALUES(name);                                                                          \
	OPT_TABLE(name, __VA_ARGS__)

const void *opt_values(const struct app *app, const struct opt_values *which);
void *opt_values_change(struct app *app, const struct opt_values *which);

/* In these functions, command NULL stands for the options that come before a command. */

/*
 * Reads the options of argv into the app. Returns the index of the first argument that is not an
 * option, or a negative value after an error message.
 */
int opt_parse(struct app *app, const struct command *command, int argc, char **argv);

/*
 * Checks the values of options that are wrong whatever the machine is like, so that each has the same
 * words and exit status in all commands. Returns 0, or EXIT_USAGE after an error message.
 */
int opt_check(const struct app *app);

/* Returns the value of an option that was given and has one of the flags, "" if it has none, or NULL. */
const char *opt_with(const struct app *app, unsigned int flags);

/*
 * Reads the value of an option: a number that is not negative, a time in seconds above 0, or a number of
 * bytes above 0. text NULL leaves the value as it is. Returns 0, or EXIT_USAGE after an error message.
 */
int opt_number(const char *option, const char *text, int *number);
int opt_seconds(const char *option, const char *text, double *seconds);
int opt_bytes(const char *option, const char *text, uint64_t *bytes);

/*
 * Reads the limits of a duration: '>10ms', '<1s', both '>10ms,<1s', or '10ms' for as long or longer; *least
 * and *most are in ns, and included. Returns 0, or EXIT_USAGE after an error message.
 */
int opt_durations(const char *text, uint64_t *least, uint64_t *most);

/* Prints the help of the options. */
void opt_help(const struct command *command, FILE *out);

/* Calls fn with the long name of each option. */
void opt_each(const struct command *command, void (*fn)(void *data, const char *name), void *data);

/* Calls fn for each file or directory that an option names and that is not written, until it fails. */
int opt_each_input(const struct app *app, int (*fn)(void *data, const char *path), void *data);

/* Returns the option if its value is the next word, otherwise NULL. */
const struct opt *opt_takes(const struct command *command, const char *word);

/* Returns the option of that letter or whole long name, or what the old name stands for, or NULL. */
const struct opt *opt_find(const struct command *command, const char *name, size_t len);
