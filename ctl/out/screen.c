/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A view that is redrawn on a terminal again and again, until the user presses q. */
#include "ctl/out/screen.h"

#include <poll.h>
#include <sys/ioctl.h>

#include "lib/base/util.h"

/* The height of a terminal that does not report it. */
#define LINES 24

/* Switch to the terminal's alternate screen without line wrap, and back. */
#define ENTER "\033[?1049h\033[?7l"
#define LEAVE "\033[?7h\033[?1049l"
#define CLEAR "\033[H\033[J"

void screen_begin(struct screen *screen, bool keys)
{
	struct termios each;

	if (screen->on || !isatty(STDOUT_FILENO))
		return;
	screen->on = true;
	fputs(ENTER, stdout);
	if (!keys || tcgetattr(STDIN_FILENO, &screen->before))
		return;
	each = screen->before;
	each.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	screen->changed = screen->keys = !tcsetattr(STDIN_FILENO, TCSANOW, &each);
}

void screen_clear(struct screen *screen)
{
	if (screen->on)
		fputs(CLEAR, stdout);
}

size_t screen_lines(void)
{
	struct winsize size = { 0 };

	if (!isatty(STDOUT_FILENO))
		return 0;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row ? LINES : size.ws_row;
}

bool screen_quit(struct screen *screen)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	char key = 0;

	while (screen->keys && key != 'q' && poll(&in, 1, 0) > 0)
		screen->keys = read(STDIN_FILENO, &key, 1) == 1;
	return key == 'q';
}

void screen_end(struct screen *screen)
{
	if (screen->on) {
		fputs(LEAVE, stdout);
		fflush(stdout);
	}
	if (screen->changed)
		tcsetattr(STDIN_FILENO, TCSANOW, &screen->before);
	*screen = (struct screen){ 0 };
}
