/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The full screen: begins, takes keys, ends. */
#include <locale.h>
#include <ncurses.h>

#include "ctl/top/screen.h"

/* The pause in ms after which Esc is a key of its own, and not the beginning of another. */
#define ESCAPE_MS 25

#define ESCAPE 27

/* ---- keys: panels ---- */

static void go_to(struct top_screen *screen, enum top_panel_nr panel)
{
	screen->panel = panel;
	top_functions_want(screen->top, panel == TOP_FUNCTIONS);
	screen->first = screen->cursor = 0;
}

static void choose_panel(struct top_screen *screen, int key)
{
	go_to(screen, (enum top_panel_nr)(key - '1'));
}

static void next_panel(struct top_screen *screen, int key)
{
	const unsigned int step = key == KEY_BTAB ? N_TOP_PANELS - 1 : 1;

	go_to(screen, (screen->panel + step) % N_TOP_PANELS);
}

/* ---- keys: rows ---- */

static void move_row(struct top_screen *screen, int key)
{
	const size_t last = screen->view.n ? screen->view.n - 1 : 0;
	const size_t step = key == KEY_UP || key == KEY_DOWN ? 1 : DKT__MAX(screen->page, 1);

	switch (key) {
	case KEY_UP:
	case KEY_PPAGE:
		screen->cursor -= DKT__MIN(step, screen->cursor);
		break;
	case KEY_HOME:
		screen->cursor = 0;
		break;
	case KEY_END:
		screen->cursor = last;
		break;
	default:
		screen->cursor = DKT__MIN(screen->cursor + step, last);
	}
}

/* The process of the chosen row. */
static int32_t chosen_process(const struct top_screen *screen)
{
	const void *item = screen->cursor < screen->view.n ? screen->view.items[screen->cursor] :
							     NULL;

	if (item && screen->panel == TOP_PROCESSES)
		return ((const struct activity_task *)item)->process;
	if (item && screen->panel == TOP_CALLS)
		return ((const struct activity_call *)item)->process;
	return 0;
}

static void go_into(struct top_screen *screen, int key)
{
	const int32_t process = chosen_process(screen);

	(void)key;
	if (!process)
		return;
	screen->top->process = process;
	go_to(screen, TOP_PROCESSES);
}

/* Undoes one thing at a time: the process, then the filter. */
static void undo(struct top_screen *screen, int key)
{
	(void)key;
	if (screen->top->process)
		screen->top->process = 0;
	else
		screen->top->filter[0] = '\0';
	go_to(screen, screen->panel);
}

/* ---- keys: order and choice ---- */

static void sort_column(struct top_screen *screen, int key)
{
	struct top_sort *sort = &screen->top->sort[screen->panel];
	const size_t n = top_panels[screen->panel].n;
	const bool right = key == '>' || key == KEY_RIGHT;

	do
		sort->column = (sort->column + (right ? 1 : n - 1)) % n;
	while (top_panels[screen->panel].columns[sort->column].out.flags & COL_DATA);
	/* Texts are usually read from A to Z, and of numbers the large ones are of interest. */
	sort->ascending = top_panels[screen->panel].columns[sort->column].text;
}

static void reverse(struct top_screen *screen, int key)
{
	struct top_sort *sort = &screen->top->sort[screen->panel];

	(void)key;
	sort->ascending = !sort->ascending;
}

static void begin_filter(struct top_screen *screen, int key)
{
	(void)key;
	memcpy(screen->before, screen->top->filter, sizeof(screen->before));
	screen->mode = TOP_TYPING;
}

static void show_waiting(struct top_screen *screen, int key)
{
	(void)key;
	screen->top->waiting = !screen->top->waiting;
}

static void count_log(struct top_screen *screen, int key)
{
	(void)key;
	screen->top->count_log = !screen->top->count_log;
}

/* ---- keys: others ---- */

static void stop_frames(struct top_screen *screen, int key)
{
	(void)key;
	screen->top->paused = !screen->top->paused;
}

static void show_help(struct top_screen *screen, int key)
{
	(void)key;
	screen->mode = TOP_HELP;
}

static void quit(struct top_screen *screen, int key)
{
	(void)key;
	screen->quit = true;
}

/* One row for each key, for the help as well. */
const struct top_key top_keys[] = {
	/* clang-format off */
	{ '1', 0, "1", "processes", choose_panel },
	{ '2', 0, "2", "system calls that have not returned", choose_panel },
	{ '3', 0, "3", "disks", choose_panel },
	{ '4', 0, "4", "classes of the debug log", choose_panel },
	{ '5', 0, "5", "events", choose_panel },
	{ '6', 0, "6", "buffers and lost records", choose_panel },
	{ '7', 0, "7", "ready-made intervals, which --interval names", choose_panel },
	{ '8', 0, "8", "functions by CPU time, sampled meanwhile, with their stacks", choose_panel },
	{ '\t', KEY_BTAB, "Tab", "go to the next panel, with Shift to the one before", next_panel },
	{ KEY_UP, KEY_DOWN, "Up, Down", "choose a row", move_row },
	{ KEY_PPAGE, KEY_NPAGE, "PgUp, PgDn", "move by a page", move_row },
	{ KEY_HOME, KEY_END, "Home, End", "go to the first or the last row", move_row },
	{ '\r', KEY_ENTER, "Enter", "show only the process of the row: its threads, its calls", go_into },
	{ ESCAPE, KEY_BACKSPACE, "Esc", "back to all processes; then remove the filter", undo },
	{ '<', '>', "<, >", "sort by the column to the left or right; so do Left, Right", sort_column },
	{ KEY_LEFT, KEY_RIGHT, "Left, Right", NULL, sort_column },
	{ 'r', 0, "r", "reverse the order", reverse },
	{ '/', 'f', "/, f", "show only rows with a text; Enter ends it, Esc undoes it", begin_filter },
	{ 'w', 0, "w", "show or hide calls that wait for something to do, such as poll", show_waiting },
	{ 'l', 0, "l", "count what the debug log records, or stop that", count_log },
	{ 'p', ' ', "p, Space", "pause, and go on", stop_frames },
	{ 'h', '?', "h, ?", "this help", show_help },
	{ 'q', 0, "q", "quit", quit },
	/* clang-format on */
};

const size_t top_n_keys = ARRAY_SIZE(top_keys);

static void type(struct top_screen *screen, int key)
{
	char *filter = screen->top->filter;
	const size_t len = strlen(filter);

	if (key == ESCAPE)
		memcpy(filter, screen->before, sizeof(screen->before));
	if (key == ESCAPE || key == '\r' || key == '\n' || key == KEY_ENTER)
		screen->mode = TOP_TABLES;
	else if (key == KEY_BACKSPACE || key == 127 || key == '\b')
		filter[len ? len - 1 : 0] = '\0';
	else if (key >= ' ' && key <= 0xff && key != 127 && len < TOP_FILTER_SIZE - 1)
		memcpy(filter + len, (const char[]){ (char)key, '\0' }, 2);
	screen->first = screen->cursor = 0;
}

static void take_key(struct top_screen *screen, int key)
{
	if (key == KEY_RESIZE)
		return;
	if (screen->mode == TOP_TYPING) {
		type(screen, key);
		return;
	}
	if (screen->mode == TOP_HELP) {
		screen->mode = TOP_TABLES;
		screen->quit = key == 'q';
		return;
	}
	for (size_t i = 0; i < top_n_keys; i++)
		if (top_keys[i].key == key || (top_keys[i].other && top_keys[i].other == key)) {
			top_keys[i].fn(screen, key);
			return;
		}
}

/* ---- the terminal ---- */

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
		take_key(screen, key);
		changed = true;
	}
	*quit = screen->quit;
	return changed ? top_draw(screen) : 0;
}
