/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* __complete: words that can come next, for the shell's completion. */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "mask.h"
#include "opt.h"
#include "param.h"

static void print_params(const char *after)
{
	const struct param *param = NULL;

	while ((param = param_next(param)))
		printf("%s%s\n", param_name(param), after);
}

static void print_bits(enum mask_kind kind)
{
	unsigned int bit;

	for (bit = 0; bit < MASK_BITS; bit++)
		if (*mask_name(kind, bit))
			printf("%s\n", mask_name(kind, bit));
}

static void print_events(struct app *app)
{
	struct dkt_event *const *events;
	size_t n, i;

	if (dkt_tracefs_open(app->ctx, 0) || dkt_events(app->ctx, &events, &n))
		return;
	for (i = 0; i < n; i++)
		printf("%s:%s\n", dkt_event_system(events[i]), dkt_event_name(events[i]));
}

static void print_commands(void)
{
	const struct command *command = NULL;

	while ((command = command_next(command)))
		if (!(command->flags & CMD_HIDDEN))
			printf("%s\n", command->name);
}

static void print_list_words(struct app *app, int argc, char **argv)
{
	if (argc < 2)
		puts("classes\nsubsystems\nevents\nfields");
	else if (!strcmp(argv[1], "classes"))
		print_bits(MASK_DEBUG);
	else if (!strcmp(argv[1], "subsystems"))
		print_bits(MASK_SUBSYSTEM);
	else
		print_events(app);
}

/* argv: __complete, then the words before the one that is being typed. */
int cmd_complete(struct app *app, int argc, char **argv)
{
	const struct command *command = argc > 1 ? command_find(argv[1]) : NULL;
	const char *last = argv[argc - 1];

	if (!command) {
		print_commands();
		opt_words(NULL, stdout);
	} else if (!strcmp(last, "--class") || !strcmp(last, "-c")) {
		print_bits(MASK_DEBUG);
	} else if (!strcmp(last, "--subsystem") || !strcmp(last, "-u")) {
		print_bits(MASK_SUBSYSTEM);
	} else if (!strcmp(last, "--style") || !strcmp(last, "-S")) {
		puts("legacy\ntrace");
	} else if (!strcmp(command->name, "help")) {
		print_commands();
	} else if (!strcmp(command->name, "list")) {
		print_list_words(app, argc - 1, argv + 1);
		opt_words(command, stdout);
	} else if (!strcmp(command->name, "set_param")) {
		print_params("=");
	} else if (!strcmp(command->name, "get_param")) {
		print_params("");
	} else if (!(command->flags & CMD_LCTL)) {
		opt_words(command, stdout);
	}
	return 0;
}
