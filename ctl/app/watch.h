/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --watch: shows a table again and again. */
#pragma once

#include "ctl/app/app.h"
#include "ctl/out/screen.h"

struct watch {
	double every; /* seconds between tables; 0: no --watch */
	double last; /* the time of the last table */
	double seconds; /* from the table before to the last one */
	bool keys; /* dktrace reads keys: no command uses the terminal */
	struct screen screen;
};

/* Reads the option. command: to run while watching, or NULL. Returns 0 or EXIT_USAGE. */
int watch_read(struct watch *watch, const struct app *app, char **command);

/* True if it is time to show a table. If the user has pressed q, ends the command as Ctrl-C does. */
bool watch_due(struct watch *watch);

/* Clears the screen for the table. */
void watch_clear(struct watch *watch);

/*
 * The number of rows that fit on the terminal beside others lines, at most top. top 0: no limit;
 * standard output is not a terminal: top.
 */
size_t watch_fit(size_t top, size_t others);

/* Call after a table was printed. In a file, an empty line separates it from the next one. */
void watch_shown(void);
