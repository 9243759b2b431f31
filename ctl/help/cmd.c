/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* help: describes the program, a command, or how to do a task. */
#include "ctl/app/commands.h"
#include "ctl/help/tasks.h"
#include "lib/base/guess.h"

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

/* A task, and how well the words find it; between equal ones the table's order decides. */
struct hit {
	struct task_score score;
	const struct task *task;
};

/* For qsort(): the best first. */
static int by_score(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->score.found != y->score.found)
		return x->score.found < y->score.found ? 1 : -1;
	if (x->score.fit != y->score.fit)
		return x->score.fit < y->score.fit ? 1 : -1;
	return x->task < y->task ? -1 : 1;
}

/* Prints the tasks that most of the words find, the best first. Returns their number, or -ENOMEM. */
static int print_tasks(char *const *words, size_t n)
{
	struct hit *hits __cleanup(free) = calloc(n_tasks, sizeof(*hits));
	size_t i;

	if (!hits)
		return -ENOMEM;
	for (i = 0; i < n_tasks; i++)
		hits[i] = (struct hit){ task_score(&tasks[i], words, n), &tasks[i] };
	qsort(hits, n_tasks, sizeof(*hits), by_score);
	for (i = 0;
	     i < n_tasks && hits[i].score.found && hits[i].score.found == hits[0].score.found;
	     i++) {
		if (i)
			putchar('\n');
		print_task(hits[i].task);
	}
	return (int)i;
}

static void list_tasks(void)
{
	for (size_t i = 0; i < n_tasks; i++)
		printf("%s\n", tasks[i].question);
	printf("\n'dktrace help WORDS' prints the commands: dktrace help slow disk\n");
}

static void try_word(void *data, const char *word)
{
	dkt__guess_try(data, word);
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
	task_words(try_word, &guess);
	return app_usage("unknown command or task '%s'; 'dktrace help' lists the commands,"
			 " 'dktrace help " ALL_TASKS "' the tasks%s",
			 argv[1], dkt__guess_words(&guess));
}

int cmd_help(struct app *app, int argc, char **argv)
{
	const struct command *command = argc == 2 ? command_find(app, argv[1]) : NULL;
	int n = 1;

	if (argc < 2 || command)
		app_help(app, command);
	else if (argc == 2 && !strcmp(argv[1], ALL_TASKS))
		list_tasks();
	else
		n = print_tasks(argv + 1, (size_t)argc - 1);
	if (n < 0) {
		app_say("%s", strerror(-n));
		return EXIT_FAILED;
	}
	return n ? 0 : unknown(app, argc, argv);
}
