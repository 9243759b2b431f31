/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* apply: applies a configuration file, all of it or none of it. */
#include "compat/apply/apply.h"
#include "compat/io/say.h"
#include "compat/log/directory.h"
#include "compat/set/param.h"
#include "compat/set/saved.h"
#include "ctl/app/cage.h"
#include "ctl/app/commands.h"
#include "lib/inside.h"

/* The command line and the environment override the file. */
static void choose_instance(struct app *app, const struct conf *conf)
{
	const struct conf_line *line = dkl_conf_find(conf, CONF_INSTANCE);

	if (line && app->instance == app_instance)
		app->instance = line->value;
}

static void print_lines(const struct conf *conf, const char *key)
{
	const struct conf_line *line = NULL;

	while ((line = dkl_conf_next(conf, key, line)))
		dkl_say_line(stdout, "%s=%s", key, line->value);
}

/* Prints the settings as set_param does, then the notes. */
static void print_result(const struct conf *conf, char *notes)
{
	const struct param *param = NULL;
	char *save = NULL;
	const char *key;

	while ((param = dkl_param_next(param)))
		print_lines(conf, dkl_param_name(param));
	for (size_t i = 0; (key = dkl_conf_key(i)); i++)
		if (strcmp(key, CONF_INSTANCE) && strcmp(key, CONF_REAL_LCTL))
			print_lines(conf, key);
	fflush(stdout);
	for (char *line = notes ? strtok_r(notes, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		app_say("%s", line);
}

/* The bytes alone tell whether the file can name programs, which are read for its probes. */
static unsigned int needs_of(const char *text)
{
	return strstr(text, CONF_PROBE) ? CAGE_PROGRAMS : 0;
}

/* Mounts what the settings need while that is possible. Whoever misses it says so. */
static void mount_all(struct app *app, struct tree *tree)
{
	if (!app->root && dkl_log_mount(app->ctx, DEBUGLOG_CHANGE))
		free(dkt__error_take(app->ctx));
	dkl_tree_mount(tree);
}

/* The file can be anybody's: the process can reach only what a file sets before it is parsed. */
static int load(struct app *app, const char *file, struct tree *tree, struct conf *conf)
{
	char *text __cleanup(free) = NULL;
	size_t len = 0;
	int err = dkl_conf_read(app->ctx, file, &text, &len);

	*conf = (struct conf){ 0 };
	if (err)
		return err;
	mount_all(app, tree);
	err = cage_enter(app, NULL, 0, NULL,
			 CAGE_KERNEL | CAGE_STATE | CAGE_LUSTRE | needs_of(text));
	return err ? err : dkl_conf_parse(app->ctx, file, text, len, conf);
}

int cmd_apply(struct app *app, int argc, char **argv)
{
	char *notes __cleanup(free) = NULL;
	struct debuglog *log = NULL;
	/* If --root replaces tracefs, do not mount debugfs. */
	struct tree tree = { .tried_debugfs = app->root };
	struct conf conf;
	int err = load(app, argc > 1 ? argv[1] : CONF_FILE, &tree, &conf);

	if (!err) {
		choose_instance(app, &conf);
		err = dkl_debuglog_open(app->ctx, app->instance, DEBUGLOG_CHANGE, &log);
	}
	if (!err)
		err = dkl_saved_apply(log, &tree, &conf, &notes);
	if (!err)
		print_result(&conf, notes);
	else
		app_fail(app);
	dkl_debuglog_close(log);
	dkl_conf_clear(&conf);
	/* The exit status is an errno value, as set_param's. */
	return -err;
}
