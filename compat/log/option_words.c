/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses a line of words and options, as on a command line. */
#include "compat/log/option_words.h"

#include "lib/base/guess.h"
#include "lib/base/util.h"

#define SPACES " \t"

static const struct option_word *find(const struct option_word *known, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	return NULL;
}

static int unknown(struct dkt_ctx *ctx, const struct option_word *known, size_t n, const char *word)
{
	struct dkt__guess guess;

	dkt__guess_start(&guess, word, strlen(word));
	for (size_t i = 0; i < n; i++)
		dkt__guess_try(&guess, known[i].name);
	return dkt_fail(ctx, -EINVAL, "unknown option '%.60s'%s", word, dkt__guess_words(&guess));
}

int dkl_option_words(struct dkt_ctx *ctx, char *line, const struct option_word *known,
		     size_t n_known, char ***rest, size_t *n)
{
	char *word, *save = NULL;

	*n = 0;
	*rest = calloc(strlen(line) / 2 + 2, sizeof(**rest));
	if (!*rest)
		return -ENOMEM;
	for (word = strtok_r(line, SPACES, &save); word; word = strtok_r(NULL, SPACES, &save)) {
		const struct option_word *option;

		if (strncmp(word, "--", 2)) {
			(*rest)[(*n)++] = word;
			continue;
		}
		option = find(known, n_known, word);
		if (!option)
			return unknown(ctx, known, n_known, word);
		if (option->flag) {
			*option->flag = true;
			continue;
		}
		*option->value = strtok_r(NULL, SPACES, &save);
		if (!*option->value)
			return dkt_fail(ctx, -EINVAL, "%s needs a value", word);
	}
	return 0;
}

void dkl_option_word_print(FILE *out, const char *name, const char *value)
{
	if (value)
		fprintf(out, " %s %s", name, value);
}
