/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes events by name, alone and in a value of debug: each word reads back as it is spelled. */
#include <string.h>

#include "compat/lustre/named.h"
#include "compat/set/param/debug_words.h"
#include "tests/fuzz/replay.h"

static void check_word(struct dkt_ctx *ctx, const struct named_word *word)
{
	struct named again = { 0 };
	char *text = dkl_named_word_text(word);

	must(text && dkl_named_word_end(text, NAMED_SEPARATORS) == text + strlen(text));
	must(!dkl_named_read(ctx, text, &again) && again.n == 1);
	must(!strcmp(again.list[0].glob, word->glob));
	must(!again.list[0].filter == !word->filter);
	must(!word->filter || !strcmp(again.list[0].filter, word->filter));
	dkl_named_clear(&again);
	free(text);
}

/* The mask names no event, and a word of an event has nothing but the event. */
static void check_debug(struct dkt_ctx *ctx, const char *value)
{
	struct debug_words words;

	must(!dkl_debug_words_read(ctx, value, &words));
	must(!words.events.n == !dkl_debug_words_has_event(value));
	must(!words.events.n || !words.mask || !dkl_debug_words_has_event(words.mask));
	must(words.mask || words.events.n);
	for (size_t i = 0; i < words.events.n; i++)
		must(dkl_debug_words_has_event(words.events.list[i]));
	dkl_debug_words_clear(&words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct named named = { 0 };
	struct dkt_ctx *ctx;

	must(text);
	must(!dkt_ctx_new(NULL, &ctx));
	if (!dkl_named_read(ctx, text, &named)) {
		must(named.n);
		for (size_t i = 0; i < named.n; i++)
			check_word(ctx, &named.list[i]);
	} else {
		must(*dkt_error(ctx));
	}
	check_debug(ctx, text);
	dkl_named_clear(&named);
	dkt_ctx_free(ctx);
	free(text);
	return 0;
}
