/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The full screen: begins, takes keys, ends. */
#include <locale.h>
#include <ncurses.h>

#include "ctl/top/screen.h"

/* The pause in ms after which Esc is a key of its own, and not the beginning of another. */
#define ESCAPE_MS 25

static bool has_cursor(void)
{
	const char *move = tigetstr("cup");

	return move && move != (const char *)-1;
}

static int open_terminal(struct top_screen *screen)
{
	struct dkt_ctx *ctx = screen->top->app->ctx;
	const char *term = getenv("TERM");

	screen->input = fopen("/dev/tty", "re");
	if (!screen->input)
		return dkt_fail(ctx, -ENOTTY,
				"top: there is no terminal to read keys from; use --batch");
	/* Text of other languages is UTF-8 only if the user's locale says so. */
	setlocale(LC_CTYPE, "");
	screen->terminal = newterm(NULL, stdout, screen->input);
	if (!screen->terminal)
		return dkt_fail(ctx, -ENOTTY,
				"top: the terminal type '%s' is unknown; set TERM, or use --batch",
				term ? term : "");
	return has_cursor() ? 0 :
			      dkt_fail(ctx, -ENOTTY,
				       "top: the terminal type '%s' cannot move the cursor; set"
				       " TERM, or use --batch",
				       term ? term : "");
}

int top_screen_open(struct top *top, struct top_screen **made)
{
	struct top_screen *screen = calloc(1, sizeof(*screen));
	int err;

	*made = screen;
	if (!screen)
		return -ENOMEM;
	screen->top = top;
	err = open_terminal(screen);
	if (err)
		return err;
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	if (has_colors() && start_color() == OK)
		use_default_colors();
	return top_draw(screen);
}

void top_screen_close(struct top_screen *screen)
{
	if (!screen)
		return;
	if (screen->terminal) {
		endwin();
		delscreen(screen->terminal);
	}
	if (screen->input)
		fclose(screen->input);
	top_view_clear(&screen->view);
	free(screen);
}

int top_screen_run(struct top_screen *screen, bool changed, bool *quit)
{
	int key;

	while (!screen->quit && (key = getch()) != ERR) {
		top_key(screen, key);
		changed = true;
	}
	*quit = screen->quit;
	return changed ? top_draw(screen) : 0;
}
