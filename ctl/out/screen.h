/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A view that is redrawn on a terminal again and again, until the user presses q. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct screen {
	bool on;
	bool changed; /* the terminal hands over each key */
	bool keys; /* there may come some */
	struct termios before;
};

/* Starts the view if stdout is a terminal. keys: nobody else reads from it. */
void screen_begin(struct screen *screen, bool keys);

/* Clears the view for what is printed next. */
void screen_clear(struct screen *screen);

/* The lines of the terminal; 0: stdout is none. */
size_t screen_lines(void);

/* True once q was pressed. */
bool screen_quit(struct screen *screen);

/* Puts the terminal back, with what was on it before. */
void screen_end(struct screen *screen);
