/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of the screen, for its keys and its drawing. */
#pragma once

#include "ctl/top/top.h"

enum top_mode {
	TOP_TABLES,
	TOP_TYPING, /* the user types the filter */
	TOP_HELP,
};

struct top_screen {
	struct top *top;
	void *terminal; /* ncurses' SCREEN */
	FILE *input; /* the terminal: standard input may be something else */
	enum top_mode mode;
	enum top_panel_nr panel; /* that the keys act on */
	size_t first, cursor; /* of that panel: the first row shown, and the chosen one */
	struct top_view view; /* of that panel */
	size_t page; /* rows of it that fit */
	char before[TOP_FILTER_SIZE]; /* the filter before the user types */
	bool quit;
};

/* A key and what it does. */
struct top_key {
	int key, other; /* other 0: there is no second key */
	const char *name;
	const char *help; /* NULL: that of the key before tells it, too */
	void (*fn)(struct top_screen *screen, int key);
};

extern const struct top_key top_keys[];
extern const size_t top_n_keys;

/* Draws the whole screen. */
int top_draw(struct top_screen *screen);
