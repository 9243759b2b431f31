/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* help: describes the program, a command, or how to do a task. */
#include "app/app.h"
#include "help/tasks.h"

/* The word that lists all tasks. */
#define ALL_TASKS "tasks"

static void print_command(const char *label, const char *command)
{
	if (command)
		printf("  %-8s %s\n", label, command);
}

static void print_task(const struct task *task)
{
	printf("%s\n", task->question);
	print_command("now:", task->now);
	print_command("record:", task->record);
	print_command("later:", task->file);
}

/* Prints the tasks that most of the words find. Returns false if they find none. */
static bool print_tasks(char *const *words, size_t n)
{
	size_t best = 0, asked;
	bool any = false;

	for (size_t i = 0; i < n_tasks; i++) {
		size_t found = task_matches(&tasks[i], words, n, &asked);

		best = found > best ? found : best;
	}
	for (size_t i = 0; best && i < n_tasks; i++) {
		if (task_matches(&tasks[i], words, n, &asked) < best)
			continue;
		if (any)
			putchar('\n');
		any = true;
		print_task(&tasks[i]);
	}
	return best;
}

static void list_tasks(void)
{
	for (size_t i = 0; i < n_tasks; i++)
		printf("%s\n", tasks[i].question);
	printf("\n'dktrace help WORDS' prints the commands: dktrace help slow disk\n");
}

static int unknown(const struct app *app, int argc, char **argv)
{
	struct dkt__guess guess;

	if (argc > 2)
		return app_usage("no task has these words; 'dktrace help " ALL_TASKS
				 "' lists the tasks");
	dkt__guess_start(&guess, argv[1], strlen(argv[1]));
	for (const struct command *row = app->commands; row->name; row++)
		if (!(row->flags & CMD_HIDDEN))
			dkt__guess_try(&guess, row->name);
	task_guess(&guess);
	return app_usage("unknown command or task '%s'; 'dktrace help' lists the commands,"
			 " 'dktrace help " ALL_TASKS "' the tasks%s",
			 argv[1], dkt__guess_words(&guess));
}

int cmd_help(struct app *app, int argc, char **argv)
{
	const struct command *command = argc == 2 ? command_find(app, argv[1]) : NULL;

	if (argc < 2 || command)
		app_help(app, command);
	else if (argc == 2 && !strcmp(argv[1], ALL_TASKS))
		list_tasks();
	else if (!print_tasks(argv + 1, (size_t)argc - 1))
		return unknown(app, argc, argv);
	return 0;
}
