/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options: tables of rows, which commands own or share, for parsing, help and completion. */
#include "ctl/app/opt.h"

#include <getopt.h>

#include "compat/io/say.h"
#include "ctl/app/app.h"
#include "ctl/out/fold.h"
#include "lib/base/buf.h"

/* Letters of strace(1) that mean something else in strace, or nothing. */
static const struct {
	char letter;
	const char *here;
} of_strace[] = {
	{ 'c', "--summary counts and measures the calls" },
	{ 'C', "--summary counts and measures the calls" },
	{ 'f',
	  "the processes that a command starts are shown without it; with --pid use --children" },
	{ 'k', "--stack prints where calls waited, and who called them" },
	{ 'P', "choose calls with -e; grep chooses paths" },
	{ 'q', "there is nothing that it would leave out" },
	{ 'r', "each line begins with its time" },
	{ 'S', "--summary sorts by the total time" },
	{ 't', "each line begins with its time" },
	{ 'T', "each line has the duration" },
	{ 'w', "--summary measures the duration, not the CPU time" },
	{ 'y', "descriptors are shown with their files" },
	{ 'Z', "--errors prints calls that failed" },
};

/* Says what has the place of an option of the program that the command stands in for. False: nothing. */
static bool foreign_option(const struct command *command, char letter)
{
	for (size_t i = 0; command && command->flags & CMD_STRACE && i < ARRAY_SIZE(of_strace); i++)
		if (of_strace[i].letter == letter) {
			app_say("-%c of strace(1): %s", letter, of_strace[i].here);
			return true;
		}
	return false;
}

/* The options of all commands. */
static OPT_TABLE(common,
	{ "help", 'h', NULL, AT_APP(help), "print this help" },
	{ "instance", 'B', "NAME", AT_APP(instance), "use the instance NAME (default dktrace, or $DKTRACE_INSTANCE)", .flags = OPT_FAR | OPT_EMPTY, .offers = OFFER_INSTANCES },
	{ "root", 'R', "DIR", AT_APP(root), "use DIR in place of tracefs (default $DKTRACE_ROOT)" },
	{ "version", 'V', NULL, AT_APP(version), "print the version" },
);

/* At least as many as a command has. */
#define MAX_OPTS 64

/* getopt_long() returns this plus the row's index for a long option; it is above all letters. */
#define FIRST 256

/* The column at which the help of an option begins. */
#define HELP_COLUMN 25

/* ---- the rows of a command ---- */

struct rows_of {
	const struct opt *rows[MAX_OPTS];
	size_t n;
};

static void add(struct rows_of *list, const struct opt *row)
{
	for (; row->name; row++) {
		/* The tables are const: this ends each run of the command, or none. */
		if (list->n == MAX_OPTS)
			abort();
		list->rows[list->n++] = row;
	}
}

static struct rows_of rows_of(const struct command *command)
{
	struct rows_of list = { .n = 0 };

	add(&list, common_opts);
	for (size_t i = 0; command && i < COMMAND_TABLES && command->options[i]; i++)
		add(&list, command->options[i]);
	return list;
}

/* The same in the order of their names, for help and completion. */
static struct rows_of rows_by_name(const struct command *command)
{
	struct rows_of list = rows_of(command);

	for (size_t i = 1; i < list.n; i++) {
		const struct opt *row = list.rows[i];
		size_t at = i;

		for (; at && strcmp(list.rows[at - 1]->name, row->name) > 0; at--)
			list.rows[at] = list.rows[at - 1];
		list.rows[at] = row;
	}
	return list;
}

static int has_arg(const struct opt *opt)
{
	if (!opt->arg)
		return opt->now ? required_argument : no_argument;
	return opt->arg[0] == '[' ? optional_argument : required_argument;
}

/* Two commands may use a name or a letter for different options. */
static const struct opt *by_name(const struct rows_of *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (!list->rows[i]->now && !strcmp(list->rows[i]->name, name))
			return list->rows[i];
	return NULL;
}

static const struct opt *by_letter(const struct rows_of *list, char letter)
{
	size_t i = 0;

	while (list->rows[i]->letter != letter)
		i++;
	return list->rows[i];
}

/* Returns the row of the old name that stands for another option with this value, or NULL. */
static const struct opt *old_row(const struct rows_of *list, const char *name, const char *value)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct opt *old = list->rows[i];

		if (old->now && !strcmp(old->name, name) &&
		    (!old->first || (value && *value && strchr(old->first, *value))))
			return old;
	}
	return NULL;
}

/* ---- values ---- */

/* The room has, one after the other, the address of a struct opt_values and the struct that it describes. */
static size_t words_of(const struct opt_values *which)
{
	return (which->size + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

/* Returns the index of the struct, or 0. */
static size_t find_values(const struct opt_room *room, const struct opt_values *which)
{
	for (size_t at = 0; at < room->used;) {
		const struct opt_values *here = (const void *)(uintptr_t)room->words[at++];

		if (here == which)
			return at;
		at += words_of(here);
	}
	return 0;
}

const void *opt_values(const struct app *app, const struct opt_values *which)
{
	static const uint64_t none[OPT_MOST / sizeof(uint64_t)];
	const size_t at = find_values(&app->room, which);

	return at ? &app->room.words[at] : none;
}

void *opt_values_change(struct app *app, const struct opt_values *which)
{
	struct opt_room *room = &app->room;
	size_t at = find_values(room, which);

	if (!at) {
		/* As above: opt_parse() makes room for all that the command has. */
		if (room->used + 1 + words_of(which) > ARRAY_SIZE(room->words))
			abort();
		at = room->used + 1;
		room->words[at - 1] = (uintptr_t)which;
		room->used = at + words_of(which);
	}
	return &room->words[at];
}

static void *place(struct app *app, const struct opt *opt)
{
	return (char *)(opt->into ? opt_values_change(app, opt->into) : app) + opt->offset;
}

/* Returns the value of an option that was given, "" if it has none, or NULL. */
static const char *value_of(const struct app *app, const struct opt *opt)
{
	const char *at = (const char *)(opt->into ? opt_values(app, opt->into) : app) + opt->offset;
	const char *text;

	if (!opt->arg)
		return *(const bool *)at ? "" : NULL;
	memcpy(&text, at, sizeof(text));
	return text;
}

/* Returns -ENOMEM, or 0. */
static int store(struct app *app, const struct opt *opt, const char *value)
{
	void *at = place(app, opt);
	const char **text = at;
	char *both;

	if (!opt->arg) {
		*(bool *)at = true;
		return 0;
	}
	if (!*text || !opt->joint) {
		*text = value ? value : "";
		return 0;
	}
	both = dkt__format("%s%c%s", *text, opt->joint, value);
	*text = both;
	return dkt__strings_take(&app->joined, both);
}

/* ---- parsing ---- */

/* Builds the arrays for getopt_long(). stop: parsing ends at the first argument. */
static void build(const struct rows_of *list, bool stop, char letters[3 * MAX_OPTS + 2],
		  struct option longs[MAX_OPTS + 1])
{
	size_t n = 0;
	char *p = letters;

	if (stop)
		*p++ = '+';
	for (size_t i = 0; i < list->n; i++) {
		const struct opt *opt = list->rows[i];

		/* An option of this command may have the name now. */
		if (opt->now && by_name(list, opt->name))
			continue;
		longs[n++] = (struct option){ .name = opt->name,
					      .has_arg = has_arg(opt),
					      .val = FIRST + (int)i };
		if (!opt->letter)
			continue;
		*p++ = opt->letter;
		if (has_arg(opt) != no_argument)
			*p++ = ':';
		if (has_arg(opt) == optional_argument)
			*p++ = ':';
	}
	longs[n] = (struct option){ 0 };
	*p = '\0';
}

static void say_old(const struct opt *old)
{
	if (old->first)
		app_say("--%s with a sign is --%s now; without one it stops after a time",
			old->name, old->now);
	else
		app_say("--%s is --%s now", old->name, old->now);
}

/* Returns the row of what getopt_long() returned, by its present name. */
static const struct opt *opt_of(const struct rows_of *list, int c)
{
	const struct opt *opt = c >= FIRST ? list->rows[c - FIRST] : by_letter(list, (char)c);
	const struct opt *old = old_row(list, opt->name, optarg);

	if (!old)
		return opt;
	say_old(old);
	return by_name(list, old->now);
}

/* Suggests a name for an unknown long option. */
static void hint(const struct rows_of *list, const char *word)
{
	struct dkt__guess guess;

	if (strncmp(word, "--", 2))
		return;
	dkt__guess_start(&guess, word + 2, strcspn(word + 2, "="));
	for (size_t i = 0; i < list->n; i++)
		if (!list->rows[i]->now &&
		    strncmp(list->rows[i]->name, guess.word, strlen(guess.word)))
			dkt__guess_try(&guess, list->rows[i]->name);
	if (guess.best[0])
		app_say("did you mean --%s?", guess.best);
}

/* True if the option lacks its value, because its letter is one of strace's that takes none. */
static bool is_of_strace(const struct command *command, const struct opt *opt, const char *value)
{
	return value && (*value == '-' || *value == opt->letter) && opt->letter &&
	       foreign_option(command, opt->letter);
}

int opt_parse(struct app *app, const struct command *command, int argc, char **argv)
{
	const struct rows_of list = rows_of(command);
	char letters[3 * MAX_OPTS + 2];
	struct option longs[MAX_OPTS + 1];
	char name[] = "dktrace", *self = argv[0];
	const struct opt *opt;
	int c;

	for (size_t i = 0; i < list.n; i++)
		if (list.rows[i]->into)
			opt_values_change(app, list.rows[i]->into);
	/* getopt's messages begin with argv[0]. */
	argv[0] = name;
	build(&list, !command || command->flags & CMD_WRAP, letters, longs);
	optind = 0; /* restart getopt, which main() has already used */
	while ((c = dkl_say_getopt(argc, argv, letters, longs)) != -1) {
		if (c == '?') {
			if (!optopt)
				hint(&list, argv[optind - 1]);
			else
				foreign_option(command, (char)optopt);
			fprintf(stderr, "Try 'dktrace %s%s--help'.\n", command ? command->name : "",
				command ? " " : "");
			argv[0] = self;
			return -1;
		}
		opt = opt_of(&list, c);
		if (c < FIRST && is_of_strace(command, opt, optarg)) {
			argv[0] = self;
			return -1;
		}
		if (optarg && !*optarg && !(opt->flags & OPT_EMPTY)) {
			app_say("--%s: the value is empty; write --%s %s", opt->name, opt->name,
				opt->arg);
			argv[0] = self;
			return -1;
		}
		if (store(app, opt, optarg)) {
			app_say("out of memory");
			argv[0] = self;
			return -1;
		}
	}
	argv[0] = self;
	return optind;
}

int opt_check(const struct app *app)
{
	const struct rows_of list = rows_of(app->command);

	for (size_t i = 0; i < list.n; i++) {
		const struct opt *opt = list.rows[i];
		const char *text = opt->check ? value_of(app, opt) : NULL;

		if (text && opt->check(app->ctx, opt->name, text))
			return app_usage("%s", dkt_error(app->ctx));
	}
	return 0;
}

const char *opt_with(const struct app *app, unsigned int flags)
{
	const struct rows_of list = rows_of(app->command);
	const char *text = NULL;

	for (size_t i = 0; !text && i < list.n; i++)
		if (list.rows[i]->flags & flags)
			text = value_of(app, list.rows[i]);
	return text;
}

/* ---- help and completion ---- */

void opt_help(const struct command *command, FILE *out)
{
	const struct rows_of list = rows_by_name(command);
	size_t width = fold_width();

	for (size_t i = 0; i < list.n; i++) {
		const struct opt *opt = list.rows[i];
		char letter[] = { '-', opt->letter, ',', '\0' };
		char left[40];

		if (opt->now)
			continue;
		snprintf(left, sizeof(left), "%-3s --%s%s%s", opt->letter ? letter : "", opt->name,
			 has_arg(opt) == required_argument ? " " : "", opt->arg ? opt->arg : "");
		/* Without two spaces between, the help begins on the next line. */
		if (strlen(left) <= HELP_COLUMN - 4)
			fprintf(out, "  %-*s", HELP_COLUMN - 2, left);
		else
			fprintf(out, "  %s\n%*s", left, HELP_COLUMN, "");
		fold_print(out, opt->help, HELP_COLUMN, width ? width : 80);
	}
}

void opt_each(const struct command *command, void (*fn)(void *data, const char *name), void *data)
{
	const struct rows_of list = rows_by_name(command);

	for (size_t i = 0; i < list.n; i++)
		if (!list.rows[i]->now)
			fn(data, list.rows[i]->name);
}

/* A layout is a name of dktrace's own, or a file. */
static bool names_input(const struct opt *opt)
{
	static const char *const words[] = { "FILE", "DIR", "LAYOUT" };

	for (size_t i = 0; opt->arg && i < ARRAY_SIZE(words); i++)
		if (!strcmp(opt->arg, words[i]))
			return opt->into || opt->offset != offsetof(struct app, output);
	return false;
}

int opt_each_input(const struct app *app, int (*fn)(void *data, const char *path), void *data)
{
	const struct rows_of list = rows_of(app->command);
	int err = 0;

	for (size_t i = 0; !err && i < list.n; i++) {
		const char *path = names_input(list.rows[i]) ? value_of(app, list.rows[i]) : NULL;

		if (path)
			err = fn(data, path);
	}
	return err;
}

const struct opt *opt_find(const struct command *command, const char *name, size_t len)
{
	const struct rows_of list = rows_of(command);
	const struct opt *old = NULL;

	for (size_t i = 0; i < list.n; i++) {
		const struct opt *opt = list.rows[i];

		if (len == 1 ? opt->letter != *name :
			       strlen(opt->name) != len || strncmp(opt->name, name, len) != 0)
			continue;
		if (!opt->now)
			return opt;
		old = opt;
	}
	return old ? by_name(&list, old->now) : NULL;
}

const struct opt *opt_takes(const struct command *command, const char *word)
{
	const bool is_long = word[0] == '-' && word[1] == '-';
	const char *name = word + (word[0] == '-') + is_long;
	const size_t len = strlen(name);
	const struct opt *opt =
		name > word && len && is_long == (len > 1) ? opt_find(command, name, len) : NULL;

	return opt && has_arg(opt) == required_argument ? opt : NULL;
}
