/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --watch: shows a table again and again. */
#include "ctl/app/watch.h"

#include <signal.h>

#include "ctl/app/groups.h"
#include "ctl/app/live.h"

int watch_read(struct watch *watch, const struct app *app, char **command)
{
	const struct watch_options *given = OPT(app, watch);

	watch->keys = !command;
	if (!given->watch)
		return 0;
	if (app->input)
		return app_usage("%s: cannot combine a file with --watch: a file does not grow",
				 app->command->name);
	watch->every = 1;
	return *given->watch ? opt_seconds("watch", given->watch, &watch->every) : 0;
}

bool watch_due(struct watch *watch)
{
	double now = live_now();

	if (screen_quit(&watch->screen))
		raise(SIGINT);
	if (watch->every <= 0 || now - watch->last < watch->every)
		return false;
	watch->seconds = now - watch->last;
	watch->last = now;
	return true;
}

void watch_clear(struct watch *watch)
{
	screen_begin(&watch->screen, watch->keys);
	screen_clear(&watch->screen);
}

size_t watch_fit(size_t top, size_t others)
{
	size_t lines = screen_lines(), room = lines > others ? lines - others : 1;

	return lines && (!top || top > room) ? room : top;
}

void watch_shown(void)
{
	if (!isatty(STDOUT_FILENO))
		putchar('\n');
	fflush(stdout);
}
