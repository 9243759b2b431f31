/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps each text once, so that equal texts have equal addresses. */
#include "answers/analyze/texts.h"

#include <stdarg.h>

#include "lib/base/keymap.h"

#define FIRST_SLOTS 256
#define LONGEST     256

static uint64_t hash(const char *text, size_t len)
{
	uint64_t h = len, word;

	for (; len >= sizeof(word); text += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		h = dkt__mix(h, word);
	}
	word = 0;
	memcpy(&word, text, len);
	return dkt__mix(h, word);
}

/* Returns the slot of the text, or the free one for it. */
static const char **find(const char **slots, uint32_t mask, const char *text, size_t len)
{
	uint32_t i = (uint32_t)hash(text, len) & mask;

	while (slots[i] && (strncmp(slots[i], text, len) != 0 || slots[i][len]))
		i = (i + 1) & mask;
	return &slots[i];
}

static int widen(struct texts *texts)
{
	uint32_t n = texts->slots ? 2 * (texts->mask + 1) : FIRST_SLOTS;
	const char **slots = calloc(n, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (uint32_t i = 0; texts->slots && i <= texts->mask; i++)
		if (texts->slots[i])
			*find(slots, n - 1, texts->slots[i], strlen(texts->slots[i])) =
				texts->slots[i];
	free(texts->slots);
	texts->slots = slots;
	texts->mask = n - 1;
	return 0;
}

const char *texts_keep(struct texts *texts, const char *text, size_t len)
{
	const char **slot;

	len = strnlen(text, len);
	/* Half of the slots stay free. */
	if ((!texts->slots || texts->n > texts->mask / 2) && widen(texts))
		return NULL;
	slot = find(texts->slots, texts->mask, text, len);
	if (!*slot) {
		*slot = dkt__arena_strndup(&texts->arena, text, len);
		texts->n += *slot != NULL;
	}
	return *slot;
}

const char *texts_format(struct texts *texts, const char *fmt, ...)
{
	char text[LONGEST];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return texts_keep(texts, text, sizeof(text));
}

void texts_clear(struct texts *texts)
{
	dkt__arena_free(&texts->arena);
	free(texts->slots);
	*texts = (struct texts){ 0 };
}
