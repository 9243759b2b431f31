/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A view that is redrawn on a terminal again and again, until the user presses q. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct screen {
	bool on;
	bool changed; /* the terminal delivers each key at once */
	bool keys; /* standard input delivers keys and has not ended */
	struct termios before;
};

/* Starts the view if stdout is a terminal. keys: read keys, because no other process does. */
void screen_begin(struct screen *screen, bool keys);

/* Clears the view. */
void screen_clear(struct screen *screen);

/* The lines of the terminal; 0 if stdout is not a terminal. */
size_t screen_lines(void);

/* True if the user has pressed q since the last call. */
bool screen_quit(struct screen *screen);

/* Restores the terminal and its contents. */
void screen_end(struct screen *screen);
