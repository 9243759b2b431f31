/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Completes the last word of a line: commands, parameters, names in masks. */
#include <strings.h>

#include "compat/lctl/rows.h"
#include "compat/lctl/session.h"
#include "compat/lustre/mask.h"
#include "compat/set/param.h"
#include "lib/base/buf.h"

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

static void add_commands(struct words *w)
{
	const struct lctl_row *row = NULL;

	while ((row = dkl_lctl_row_next(row)))
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
		add_commands(&w);
	} else if (dkl_lctl_row_match(word, &row) == LCTL_UNIQUE) {
		if (!strcmp(row->name, "filter") || !strcmp(row->name, "show")) {
			add_masks(&w, MASK_SUBSYSTEM, "", 0);
			add_masks(&w, MASK_DEBUG, "", 0);
		} else if (!strcmp(row->name, "help")) {
			add_commands(&w);
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
