/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* remote: the far side of collect, which ssh starts on each host. */
#include "ctl/app/cage.h"
#include "ctl/app/commands.h"
#include "ctl/remote/actions.h"
#include "fleet/remote/serve.h"
#include "lib/inside.h"

struct remote_options {
	const char *allow;
};

OPT_OWN(remote,
	{ "allow", 0, "COMMANDS", AT(remote, allow), "run only these commands, without arguments that name files or programs: 'status,dk,flight dump'" },
);

/* True if --allow, a list of names with commas between, has the action. */
static bool is_allowed(const char *list, const char *name)
{
	const size_t len = strlen(name);

	for (; list; list = strchr(list, ',')) {
		list += *list == ',';
		if (!strncmp(list, name, len) && (!list[len] || list[len] == ','))
			return true;
	}
	return false;
}

static int check(void *data, int argc, char **argv)
{
	const struct app *app = data;
	const struct remote_options *given = OPT(app, remote);
	int words, err = 0;
	const struct action *action = action_find(app->ctx, argc, argv, &words);

	if (!action)
		return -EINVAL;
	if (given->allow && !is_allowed(given->allow, action->name))
		return dkt_fail(app->ctx, -EACCES, "this key may not run '%s', only %s",
				action->name, given->allow);
	if (given->allow)
		err = action_check(app, action, argc - words, argv + words);
	if (err)
		return err;
	return (action->flags & ACTION_NAMES_FILE ? CHILD_NAMES_FILE : 0) |
	       (action->flags & ACTION_FREEZES ? CHILD_READS : 0);
}

static int confine(void *data)
{
	struct app *app = data;
	int err = dkt__caps_limit(app->ctx, 0);

	return err ? err : cage_enter(app, NULL, 0, NULL, CAGE_ACCEPT);
}

/* Each name must be right, or a key might allow less or more than its owner thinks. */
static int check_allow(struct app *app)
{
	char *copy __cleanup(free) = OPT(app, remote)->allow ? strdup(OPT(app, remote)->allow) :
							       NULL;
	char *save = NULL;

	for (char *name = copy ? strtok_r(copy, ",", &save) : NULL; name;
	     name = strtok_r(NULL, ",", &save)) {
		char *space = strchr(name, ' ');
		char *argv[] = { name, space ? space + 1 : NULL };
		int words;

		if (space)
			*space = '\0';
		if (!action_find(app->ctx, space ? 2 : 1, argv, &words))
			return app_usage("--allow: %s", dkt_error(app->ctx));
	}
	return 0;
}

int cmd_remote(struct app *app, int argc, char **argv)
{
	const struct serve_opts opts = { .in = STDIN_FILENO,
					 .out = STDOUT_FILENO,
					 .check = check,
					 .confine = confine,
					 .data = app };
	int rc = check_allow(app);

	(void)argc;
	(void)argv;
	if (rc)
		return rc;
	if (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO))
		return app_usage("remote: 'dktrace collect' on another host starts this by ssh");
	return serve_run(app->ctx, &opts) ? app_fail(app) : 0;
}
