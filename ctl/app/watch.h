/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --watch: shows a table again and again. */
#pragma once

#include "app/app.h"
#include "out/screen.h"

struct watch {
	double every; /* s between tables; 0: not asked for */
	double last; /* when the last one was */
	double seconds; /* between that and the one before it */
	bool keys; /* no command reads from the terminal */
	struct screen screen;
};

/* Reads the option; command: to be run, NULL: none. EXIT_USAGE: said. */
int watch_read(struct watch *watch, const struct app *app, char **command);

/* Whether a table is to be shown. q ends the command as Ctrl-C does. */
bool watch_due(struct watch *watch);

/* Clears the screen for the table. */
void watch_clear(struct watch *watch);

/* How many of top rows, 0: any, fit on the terminal with so many other lines. */
size_t watch_fit(size_t top, size_t others);

/* The table is printed: where nothing is drawn over, a blank line is between it and the next. */
void watch_shown(void);
