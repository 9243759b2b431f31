/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws the screen: the head, the panel of the keys, and as many others as there is room for. */
#include <ncurses.h>
#include <wchar.h>

#include "ctl/out/bar.h"
#include "ctl/top/screen.h"
#include "lib/base/io.h"

enum { COLOR_LOST = 1 };

/* The title and the headings of a panel. */
#define TITLES 2

/* The rows that the panel of the keys has at least, beside others; one process needs fewer. */
#define LEAST_LINES      17
#define LEAST_OF_PROCESS 10

/* A terminal with fewer lines only has room for a panel. */
#define LINES_WITH_HEAD 8

/* ---- lines ---- */

/* Draws the text up to the right edge. */
static void draw_line(int y, const char *text, size_t len, attr_t attr)
{
	mbstate_t state = { 0 };
	wchar_t c;
	int x = 0;

	if (y >= LINES)
		return;
	(void)move(y, 0);
	clrtoeol();
	(void)attrset((int)attr);
	while (len) {
		const size_t n = mbrtowc(&c, text, len, &state);
		const int width = n && n <= len ? wcwidth(c) : 1;

		if (x + width > COLS || !n)
			break;
		/* A character that the locale lacks is no control character: tables escape those. */
		if (n > len) {
			state = (mbstate_t){ 0 };
			addch('?');
		} else if (width >= 0) {
			addnwstr(&c, 1);
		}
		x += width > 0 ? width : 0;
		text += n > len ? 1 : n;
		len -= n > len ? 1 : n;
	}
	/* A reverse line goes to the edge. */
	if (attr & A_REVERSE)
		hline(' ' | attr, COLS);
	(void)attrset(A_NORMAL);
}

/* Draws the lines of a text, the first n_attrs with these attributes. Returns the next line of the screen. */
static int draw_text(int y, const char *text, const attr_t *attrs, size_t n_attrs)
{
	for (size_t i = 0; *text; i++) {
		const size_t len = strcspn(text, "\n");

		draw_line(y++, text, len, i < n_attrs ? attrs[i] : A_NORMAL);
		text += len + (text[len] == '\n');
	}
	return y;
}

/* ---- head ---- */

static attr_t lost_attr(void)
{
	if (!has_colors())
		return A_BOLD | A_REVERSE;
	init_pair(COLOR_LOST, COLOR_RED, -1);
	return A_BOLD | (attr_t)COLOR_PAIR(COLOR_LOST);
}

/* If there is a debug log: the records that it gets and loses. */
static void print_log(const struct top *top, FILE *f)
{
	const struct top_buffer *log = &top->buffers[TOP_LOG];
	char rate[UNIT_SIZE], lost[UNIT_SIZE];

	if (!log->name || !log->known)
		return;
	rate_text(top_per_second(top, (double)log->records), rate);
	rate_text(top_per_second(top, (double)log->lost), lost);
	fprintf(f, "log %s records/s, %s lost/s  ", rate, lost);
}

static void print_state(const struct top *top, FILE *f)
{
	if (top->paused)
		fputs("PAUSED  ", f);
	print_log(top, f);
	if (top->filter[0])
		fprintf(f, "only rows with '%s'  ", top->filter);
	if (top->process)
		fprintf(f, "only process %d  ", top->process);
	if (top->waiting)
		fputs("with calls that wait  ", f);
	fputc('\n', f);
}

static int draw_head(const struct top *top, int *y)
{
	const attr_t attrs[] = { A_BOLD, A_NORMAL, top_has_lost(top) ? lost_attr() : A_NORMAL };
	char *text __cleanup(free) = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int err;

	if (f)
		top_head(top, f);
	if (f && top_has_lost(top))
		top_print_lost(top, f);
	else if (f)
		print_state(top, f);
	err = dkt__text_end(f, f ? 0 : -ENOMEM, &text);
	if (!err)
		*y = draw_text(*y, text, attrs, ARRAY_SIZE(attrs));
	return err;
}

/* ---- panels ---- */

static void draw_title(int y, const struct top *top, enum top_panel_nr nr,
		       const struct top_view *view)
{
	const struct top_sort *sort = &top->sort[nr];
	char *title __cleanup(free) = top_title(top, nr);
	char text[160];

	snprintf(text, sizeof(text), "%d %s (%zu), by %s%s", nr + 1, title ? title : "", view->n,
		 top_panels[nr].columns[sort->column].out.key,
		 sort->ascending ? ", ascending" : "");
	draw_line(y, text, strlen(text), A_BOLD);
}

/* Draws n rows from first on; chosen: the row to mark, of these. Returns the next line. */
static int draw_rows(int *y, const struct top *top, const struct top_view *view, size_t first,
		     size_t n, size_t chosen)
{
	attr_t *attrs __cleanup(free) = calloc(n + 2, sizeof(*attrs));
	char *text __cleanup(free) = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int err = f && attrs ? top_view_print(top, view, first, n, f) : -ENOMEM;

	err = dkt__text_end(f, err, &text);
	if (err)
		return err;
	attrs[0] = view->n ? A_REVERSE : A_DIM;
	if (chosen < n)
		attrs[chosen + 1] = A_STANDOUT | A_BOLD;
	*y = draw_text(*y, text, attrs, n + 2);
	return 0;
}

/* Keeps the chosen row among those shown. */
static void scroll_rows(struct top_screen *screen, size_t page)
{
	const size_t n = screen->view.n;

	screen->page = page;
	screen->cursor = n ? DKT__MIN(screen->cursor, n - 1) : 0;
	if (screen->cursor < screen->first)
		screen->first = screen->cursor;
	if (page && screen->cursor >= screen->first + page)
		screen->first = screen->cursor - page + 1;
}

/* Makes the lines of the chosen function's stacks. The caller frees them. */
static int make_detail(const struct top_screen *screen, size_t lines, char **text)
{
	const struct top_view *view = &screen->view;
	struct rows *rows;
	size_t len;
	FILE *f;
	int err;

	*text = NULL;
	if (screen->panel != TOP_FUNCTIONS || !view->n)
		return 0;
	rows = top_functions_stacks(screen->top, view->items[DKT__MIN(screen->cursor, view->n - 1)],
				    lines);
	f = open_memstream(text, &len);
	err = rows && f ? rows_table(rows, false, f) : -ENOMEM;
	rows_free(rows);
	return dkt__text_end(f, err, text);
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; text && (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

/* Below the rows, there is the detail of the chosen one, as far as there is room. */
static int draw_panel(struct top_screen *screen, int *y, int lines)
{
	size_t page = lines > TITLES ? (size_t)(lines - TITLES) : 0, detail;
	char *text __cleanup(free) = NULL;
	const attr_t attr = A_DIM;
	int err, at = *y + lines;

	top_view_clear(&screen->view);
	err = top_view_new(screen->top, screen->panel, &screen->view);
	if (!err && page)
		err = make_detail(screen, page / 3, &text);
	if (err || !page)
		return err;
	detail = DKT__MIN(count_lines(text), page / 2);
	page -= detail;
	at -= (int)detail;
	scroll_rows(screen, page);
	draw_title((*y)++, screen->top, screen->panel, &screen->view);
	err = draw_rows(y, screen->top, &screen->view, screen->first, page,
			screen->cursor - screen->first);
	if (!err && detail)
		draw_text(at, text, &attr, 1);
	return err;
}

/* The lines of a panel that is not that of the keys. */
static int lines_of(unsigned int nr)
{
	return TITLES + (int)top_panels[nr].few;
}

static int draw_other(const struct top *top, int *y, enum top_panel_nr nr)
{
	struct top_view view;
	int err = top_view_new(top, nr, &view);

	if (!err)
		draw_title((*y)++, top, nr, &view);
	if (!err)
		err = draw_rows(y, top, &view, 0, top_panels[nr].few, SIZE_MAX);
	top_view_clear(&view);
	return err;
}

/* The panel of the keys gets what the others leave, which are those for which there is room. */
static int draw_panels(struct top_screen *screen, int y)
{
	const int least = screen->top->process ? LEAST_OF_PROCESS : LEAST_LINES;
	const int room = LINES - 1 - y;
	unsigned int others = 0;
	int taken = 0, at, err;

	for (unsigned int i = 0; i < N_TOP_PANELS; i++) {
		/* It would be empty. */
		if (i == TOP_INTERVALS && !screen->top->intervals.n)
			continue;
		/* Only as the panel of the keys it is worth its samples. */
		if (i == TOP_FUNCTIONS)
			continue;
		if (i != screen->panel && room - taken - lines_of(i) >= least) {
			others |= 1u << i;
			taken += lines_of(i);
		}
	}
	err = draw_panel(screen, &y, room - taken);
	at = LINES - 1 - taken;
	for (unsigned int i = 0; !err && i < N_TOP_PANELS; i++)
		if (others & 1u << i) {
			y = at;
			err = draw_other(screen->top, &y, (enum top_panel_nr)i);
			at += lines_of(i);
		}
	return err;
}

/* ---- all ---- */

/* All fits into 24 lines: the row before one without words tells of its keys, too. */
static void draw_help(void)
{
	int line = 0;

	draw_line(line, "Keys", 4, A_BOLD);
	for (size_t i = 0; i < top_n_keys; i++) {
		char text[160];

		if (!top_keys[i].help)
			continue;
		snprintf(text, sizeof(text), "  %-12s %s", top_keys[i].name, top_keys[i].help);
		draw_line(++line, text, strlen(text), A_NORMAL);
	}
}

static void draw_last(const struct top_screen *screen)
{
	char text[TOP_FILTER_SIZE + 32] =
		"h help  q quit  1-8 panel  / filter  < > sort  Enter one process";

	if (screen->mode == TOP_TYPING)
		snprintf(text, sizeof(text), "rows with: %s_", screen->top->filter);
	else if (screen->mode == TOP_HELP)
		snprintf(text, sizeof(text), "any key: back");
	draw_line(LINES - 1, text, strlen(text), screen->mode == TOP_TYPING ? A_BOLD : A_DIM);
}

int top_draw(struct top_screen *screen)
{
	int y = 0, err = 0;

	erase();
	if (screen->mode == TOP_HELP) {
		draw_help();
	} else if (!screen->top->frame.to) {
		draw_line(0, "dktrace top: the first interval is not over yet", 47, A_BOLD);
	} else {
		if (LINES >= LINES_WITH_HEAD)
			err = draw_head(screen->top, &y);
		if (!err)
			err = draw_panels(screen, y);
	}
	draw_last(screen);
	refresh();
	return err;
}
