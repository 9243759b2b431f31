/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lctl without a command: reads commands from a terminal or a pipe, one per line. */
#include <strings.h>

#include "compat/io/say.h"
#include "compat/lctl/cmd.h"
#include "compat/lctl/forward.h"
#include "compat/lctl/real_session.h"
#include "compat/lctl/rows.h"
#include "compat/lustre/mask.h"
#include "compat/set/param.h"
#include "lib/base/buf.h"
#include "lib/base/util.h"

/* ---- a pipe ---- */

/*
 * Returns the next line of a pipe; NULL at the end. A carriage return also ends a line. Reads byte
 * by byte, because a command that a line starts may read the rest of the pipe.
 */
static char *pipe_line(void)
{
	char *line = NULL;
	size_t len = 0;
	char c = '\n';
	ssize_t n;

	while ((n = read(STDIN_FILENO, &c, 1)) > 0 || (n < 0 && errno == EINTR)) {
		if (n < 0)
			continue;
		if (c == '\n' || c == '\r')
			break;
		if (dkt__append(line, len, c))
			break;
	}
	if (n <= 0 && !len)
		return NULL;
	if (!dkt__append(line, len, '\0'))
		return line;
	free(line);
	return NULL;
}

/*
 * The first failure ends the session, and its status becomes the exit status. After `ignore_errors`
 * a failure in Lustre's lctl is known only at the end, and is reported if no other is.
 */
static int run_pipe(struct lctl *lctl)
{
	int rc, first = 0, last;
	char *line;

	while (!lctl->done && (line = pipe_line())) {
		rc = dkl_lctl_run_line(lctl, line);
		free(line);
		first = first ? first : rc;
		if (rc && !lctl->ignore_errors)
			break;
	}
	last = dkl_real_session_end(&lctl->real);
	return first ? first : last;
}

/* ---- a terminal: with libedit if the build has it, otherwise without editing ---- */

#define PROMPT "> "

#ifdef HAVE_LIBEDIT

#include <histedit.h>

/* lctl's history has the same length. */
#define HISTORY_LINES 100

struct editor {
	struct lctl *lctl;
	EditLine *el;
	History *history;
};

static char *prompt(EditLine *el)
{
	static char text[] = PROMPT;

	(void)el;
	return text;
}

/* Returns the length of the prefix that all words share. */
static size_t common_len(char **words, size_t n)
{
	size_t len = n ? strlen(words[0]) : 0, same;

	for (size_t i = 1; i < n; i++) {
		for (same = 0; same < len && words[0][same] == words[i][same]; same++)
			;
		len = same;
	}
	return len;
}

static void print_words(char **words, size_t n)
{
	putchar('\n');
	for (size_t i = 0; i < n; i++) {
		dkl_say_text(stdout, words[i], strlen(words[i]));
		fputs(i + 1 < n ? "  " : "\n", stdout);
	}
	fflush(stdout);
}

/* Inserts the prefix that all completions share, or lists them. */
static unsigned char complete(EditLine *el, wint_t ch)
{
	const LineInfo *info = el_line(el);
	char *line __cleanup(free) = strndup(info->buffer, (size_t)(info->cursor - info->buffer));
	unsigned char ret = CC_ERROR;
	size_t n = 0, len, typed;
	struct editor *editor;
	char **words;

	(void)ch;
	if (!line || el_get(el, EL_CLIENTDATA, &editor))
		return CC_ERROR;
	words = dkl_session_complete(editor->lctl, line, &n);
	len = common_len(words, n);
	for (typed = 0; typed < strlen(line) && !strchr(" \t", line[strlen(line) - 1 - typed]);)
		typed++;
	if (n == 1 || (n && len > typed)) {
		el_deletestr(el, (int)typed);
		char *text __cleanup(free) = strndup(words[0], len);

		if (text && !el_insertstr(el, text) && n == 1 && text[len - 1] != '=')
			el_insertstr(el, " ");
		ret = CC_REFRESH;
	} else if (n) {
		print_words(words, n);
		ret = CC_REDISPLAY;
	}
	for (size_t i = 0; i < n; i++)
		free(words[i]);
	free(words);
	return ret;
}

static void editor_free(struct editor *editor)
{
	if (!editor)
		return;
	if (editor->history)
		history_end(editor->history);
	if (editor->el)
		el_end(editor->el);
	free(editor);
}

static int editor_new(struct lctl *lctl, struct editor **out)
{
	struct editor *editor = calloc(1, sizeof(*editor));
	HistEvent event;

	*out = NULL;
	if (!editor)
		return -ENOMEM;
	editor->lctl = lctl;
	editor->el = el_init(lctl->self, stdin, stdout, stderr);
	editor->history = history_init();
	if (!editor->el || !editor->history) {
		editor_free(editor);
		return -ENOMEM;
	}
	history(editor->history, &event, H_SETSIZE, HISTORY_LINES);
	history(editor->history, &event, H_SETUNIQUE, 1);
	el_set(editor->el, EL_CLIENTDATA, editor);
	el_set(editor->el, EL_PROMPT, prompt);
	el_set(editor->el, EL_EDITOR, "emacs");
	el_set(editor->el, EL_SIGNAL, 1);
	el_set(editor->el, EL_HIST, history, editor->history);
	/* Use the wide call: libedit never frees its copy of a narrow name. */
	el_wset(editor->el, EL_ADDFN, L"complete", L"Complete the word", complete);
	el_set(editor->el, EL_BIND, "^I", "complete", NULL);
	el_source(editor->el, NULL);
	*out = editor;
	return 0;
}

static char *editor_line(struct editor *editor)
{
	HistEvent event;
	const char *line;
	int n;

	line = el_gets(editor->el, &n);
	if (!line || n <= 0)
		return NULL;
	if (line[strspn(line, " \t\n")])
		history(editor->history, &event, H_ENTER, line);
	return strndup(line, strcspn(line, "\n"));
}

#else

struct editor {
	char *line;
	size_t size;
};

static int editor_new(struct lctl *lctl, struct editor **editor)
{
	(void)lctl;
	*editor = calloc(1, sizeof(**editor));
	return *editor ? 0 : -ENOMEM;
}

static void editor_free(struct editor *editor)
{
	if (!editor)
		return;
	free(editor->line);
	free(editor);
}

static char *editor_line(struct editor *editor)
{
	fputs(PROMPT, stdout);
	fflush(stdout);
	if (getline(&editor->line, &editor->size, stdin) <= 0)
		return NULL;
	return strndup(editor->line, strcspn(editor->line, "\n"));
}

#endif

/*
 * The exit status is that of the last command. Lustre's lctl keeps its device after a failure only if it
 * ignores errors, and then does not tell which line failed.
 */
static int run_terminal(struct lctl *lctl)
{
	struct editor *editor;
	char *line;
	int rc = 0;

	if (editor_new(lctl, &editor))
		return 1;
	lctl->ignore_errors = true;
	while (!lctl->done && (line = editor_line(editor))) {
		rc = dkl_lctl_run_line(lctl, line);
		free(line);
		fflush(stdout);
	}
	editor_free(editor);
	dkl_real_session_end(&lctl->real);
	return rc;
}

int dkl_session_run(struct lctl *lctl)
{
	lctl->session = true;
	return isatty(STDIN_FILENO) ? run_terminal(lctl) : run_pipe(lctl);
}

struct words {
	char **words;
	size_t n;
	const char *typed;
};

static void add(struct words *w, const char *before, size_t len, const char *word)
{
	char *text;

	if (strncasecmp(word, w->typed + len, strlen(w->typed + len)))
		return;
	text = dkt__format("%.*s%s", (int)len, before, word);
	if (!text || dkt__append(w->words, w->n, text))
		free(text);
}

static void add_commands(struct words *w, struct lctl *lctl)
{
	const struct lctl_row *row = NULL;

	dkl_lctl_ask_commands(lctl);
	for (size_t i = 0; i < lctl->n_commands; i++)
		add(w, "", 0, lctl->commands[i]);
	while (!lctl->n_commands && (row = dkl_lctl_row_next(row)))
		if (row->run)
			add(w, "", 0, row->name);
}

static void add_masks(struct words *w, enum mask_kind kind, const char *before, size_t len)
{
	for (unsigned int bit = 0; bit < MASK_BITS; bit++)
		if (*dkl_mask_name(kind, bit))
			add(w, before, len, dkl_mask_name(kind, bit));
}

/* Adds the next component of the parameters in Lustre's trees, otherwise dktrace's own names. */
static void add_params(struct words *w, struct lctl *lctl)
{
	char *pattern __cleanup(free) = dkt__format("%s*", w->typed);
	struct tree_matches matches;

	if (!pattern)
		return;
	dkl_tree_clean(pattern, false);
	if (dkl_tree_find(&lctl->tree, pattern, false, &matches)) {
		const struct param *param = NULL;

		while ((param = dkl_param_next(param)))
			add(w, "", 0, dkl_param_name(param));
		return;
	}
	for (size_t i = 0; i < matches.n; i++) {
		char *name = dkl_tree_dotted(matches.rows[i].name, "");

		if (name)
			add(w, "", 0, name);
		free(name);
	}
	dkl_tree_matches_clear(&matches);
}

/* Adds names of bits after the `=`, a sign or a separator in the value of a mask. */
static void add_values(struct words *w)
{
	const char *equals = strchr(w->typed, '=');
	char *name __cleanup(free) = strndup(w->typed, (size_t)(equals - w->typed));
	const struct param *param = name ? dkl_param_find(name) : NULL;
	size_t len = (size_t)(equals - w->typed) + 1;

	if (!param || !dkl_param_is_mask(param))
		return;
	len += strlen(equals + 1);
	while (!strchr("=+-,", w->typed[len - 1]))
		len--;
	add_masks(w, dkl_param_mask_kind(param), w->typed, len);
}

static bool ends_with(const char *word, const char *suffix)
{
	size_t len = strlen(word), end = strlen(suffix);

	return len >= end && !strcmp(word + len - end, suffix);
}

char **dkl_session_complete(struct lctl *lctl, const char *line, size_t *n)
{
	const char *word = line + strspn(line, " \t"), *last;
	const struct lctl_row *row;
	struct words w = { 0 };

	last = line + strlen(line);
	while (last > word && !strchr(" \t", last[-1]))
		last--;
	w.typed = last;
	if (last == word) {
		add_commands(&w, lctl);
	} else if (dkl_lctl_row_match(word, &row) == LCTL_UNIQUE) {
		if (!strcmp(row->name, "filter") || !strcmp(row->name, "show")) {
			add_masks(&w, MASK_SUBSYSTEM, "", 0);
			add_masks(&w, MASK_DEBUG, "", 0);
		} else if (!strcmp(row->name, "help")) {
			add_commands(&w, lctl);
		} else if (ends_with(row->name, "_param")) {
			if (strchr(last, '='))
				add_values(&w);
			else
				add_params(&w, lctl);
		}
	}
	*n = w.n;
	return w.words;
}
