/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collects the values of columns, and makes blocks of them. */
#include "answers/load/columns.h"

#include "lib/base/keymap.h"
#include "lib/base/memory.h"

/* The first numbers of words have a meaning of their own. */
#define WORD_NULL  0
#define WORD_EMPTY 1

/* The version of the form of words, and the kind of their numbers: 32 bits, with all words before them. */
#define WORDS_VERSION 1
#define WORDS_KIND    (2 | 1 << 9)

struct word {
	size_t at, len; /* in the texts */
};

/* The texts of a column that often repeats them. */
struct words {
	struct dkt_buf *texts; /* each with its length before it */
	struct word *list;
	uint32_t n;
	struct dkt__keymap map; /* from the hash of a text to its entry in nrs */
	uint32_t *nrs;
	uint32_t n_nrs;
	uint32_t last; /* the number of the last value */
};

/* ---- texts ---- */

/* Seven bits in each byte, the lowest first; the high bit says that more follow. */
static size_t length_bytes(uint8_t bytes[10], size_t n)
{
	size_t len = 0;

	for (; n >= 0x80; n >>= 7)
		bytes[len++] = (uint8_t)(n | 0x80);
	bytes[len++] = (uint8_t)n;
	return len;
}

static void add_length(struct dkt_buf *buf, size_t n)
{
	uint8_t bytes[10];

	dkt__buf_add(buf, bytes, length_bytes(bytes, n));
}

static void add_text(struct dkt_buf *buf, const void *text, size_t len)
{
	add_length(buf, len);
	dkt__buf_add(buf, text, len);
}

static void add_u64(struct dkt_buf *buf, uint64_t value)
{
	const uint64_t le = htole64(value);

	dkt__buf_add(buf, &le, sizeof(le));
}

/* ---- words ---- */

static bool is_word(const struct words *words, uint32_t nr, const void *text, size_t len)
{
	const struct word *word = &words->list[nr];

	return word->len == len && !memcmp(words->texts->data + word->at, text, len);
}

/* Adds a word and returns its number. Without memory it is the empty one, and the buffer has the error. */
static uint32_t new_word(struct words *words, const void *text, size_t len)
{
	struct word word = { .len = len };

	add_text(words->texts, text, len);
	word.at = words->texts->len - len;
	if (dkt_buf_error(words->texts))
		return WORD_EMPTY;
	if (dkt__append(words->list, words->n, word)) {
		words->texts->err = -ENOMEM;
		return WORD_EMPTY;
	}
	return words->n - 1;
}

static uint64_t hash(const unsigned char *text, size_t len)
{
	uint64_t h = len, word;

	for (; len >= sizeof(word); text += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		h = dkt__mix(h, word);
	}
	for (word = 0; len; len--)
		word = word << 8 | *text++;
	return dkt__mix(h, word);
}

static uint32_t find_word(struct words *words, const void *text, size_t len)
{
	const uint64_t key = hash(text, len);
	bool added = false;
	uint32_t entry = dkt__keymap_add(&words->map, &key, &added), nr;

	if (entry == DKT__KEYMAP_NONE) {
		words->texts->err = -ENOMEM;
		return WORD_EMPTY;
	}
	if (!added && is_word(words, words->nrs[entry], text, len))
		return words->nrs[entry];
	nr = new_word(words, text, len);
	/* If two texts have the same hash, only the first one is found again. */
	if (added && dkt__append(words->nrs, words->n_nrs, nr))
		words->texts->err = -ENOMEM;
	return nr;
}

static struct words *words_new(void)
{
	struct words *words = calloc(1, sizeof(*words));

	if (!words || dkt_buf_new(&words->texts)) {
		free(words);
		return NULL;
	}
	words->map.n_words = 1;
	new_word(words, "", 0);
	words->last = new_word(words, "", 0);
	return words;
}

static void words_free(struct words *words)
{
	if (!words)
		return;
	dkt_buf_free(words->texts);
	free(words->list);
	dkt__keymap_clear(&words->map);
	free(words->nrs);
	free(words);
}

static void put_word_nr(struct columns *row, struct column *column, uint32_t nr)
{
	nr = htole32(nr);
	bytes_add(&column->values, row->chunks, &nr, sizeof(nr));
}

/* ---- values ---- */

void row_text(struct columns *row, const void *text, size_t len)
{
	struct column *column = column_next(row);
	struct words *words = column->words;
	uint8_t bytes[10];

	if (!words) {
		bytes_add(&column->values, row->chunks, bytes, length_bytes(bytes, len));
		if (len)
			bytes_add(&column->values, row->chunks, text, len);
		return;
	}
	if (!len)
		words->last = WORD_EMPTY;
	else if (!is_word(words, words->last, text, len))
		words->last = find_word(words, text, len);
	put_word_nr(row, column, words->last);
}

void row_known_text(struct columns *row, const char *text)
{
	struct column *column = &row->list[row->at];
	const uint8_t null = !text;

	if (column->nullable)
		bytes_add(&column->marks, row->chunks, &null, sizeof(null));
	if (!text && column->words)
		put_word_nr(row, column_next(row), WORD_NULL);
	else
		row_text(row, text ? text : "", text ? strlen(text) : 0);
}

void row_list(struct columns *row, size_t n)
{
	struct column *column = column_next(row);
	uint64_t end = htole64(column->elements += n);

	bytes_add(&column->marks, row->chunks, &end, sizeof(end));
}

/* ---- columns ---- */

static int begin_column(struct column *column, const char *type)
{
	int err = dkt_buf_new(&column->head);

	if (err)
		return err;
	if (strstr(type, "LowCardinality(")) {
		column->words = words_new();
		return column->words ? 0 : -ENOMEM;
	}
	column->nullable = strstr(type, "Nullable(");
	return 0;
}

int columns_new(struct chunks *chunks, const struct column_type *types, size_t n,
		struct columns **to)
{
	struct columns *columns = calloc(1, sizeof(*columns));
	int err = 0;

	*to = NULL;
	if (!columns)
		return -ENOMEM;
	columns->chunks = chunks;
	columns->n = n;
	columns->list = calloc(n, sizeof(*columns->list));
	if (!columns->list)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < n; i++)
		err = begin_column(&columns->list[i], types[i].type);
	if (err)
		columns_free(columns);
	else
		*to = columns;
	return err;
}

void columns_free(struct columns *columns)
{
	if (!columns)
		return;
	for (size_t i = 0; columns->list && i < columns->n; i++) {
		dkt_buf_free(columns->list[i].head);
		bytes_clear(&columns->list[i].marks, columns->chunks);
		bytes_clear(&columns->list[i].values, columns->chunks);
		words_free(columns->list[i].words);
	}
	free(columns->list);
	free(columns);
}

size_t columns_size(const struct columns *columns)
{
	size_t size = 0;

	for (size_t i = 0; i < columns->n; i++) {
		const struct column *column = &columns->list[i];

		size += bytes_length(&column->marks) + bytes_length(&column->values);
		if (column->words)
			size += column->words->texts->len;
	}
	return size;
}

/* ---- blocks ---- */

int statement_add_bytes(struct statement_piece **list, size_t *n, const struct bytes *bytes)
{
	int err = 0;

	for (const struct chunk *chunk = bytes->first; !err && chunk; chunk = chunk->next)
		err = dkt__append(*list, *n, ((struct statement_piece){ chunk->data, chunk->len }));
	return err ? -ENOMEM : 0;
}

struct pieces {
	struct statement_piece *list;
	size_t n;
};

static int add_piece(struct pieces *pieces, const void *data, size_t len)
{
	struct statement_piece piece = { data, len };

	return dkt__append(pieces->list, pieces->n, piece) ? -ENOMEM : 0;
}

static int add_bytes(struct pieces *pieces, struct bytes *bytes)
{
	bytes_close(bytes);
	return bytes->failed ? -ENOMEM : statement_add_bytes(&pieces->list, &pieces->n, bytes);
}

static int add_head(struct pieces *pieces, const struct columns *columns,
		    const struct column *column, const struct column_type *type)
{
	struct dkt_buf *head = column->head;
	const struct words *words = column->words;
	size_t split;
	int err;

	add_text(head, type->name, strlen(type->name));
	add_text(head, type->type, strlen(type->type));
	if (words) {
		add_u64(head, WORDS_VERSION);
		add_u64(head, WORDS_KIND);
		add_u64(head, words->n);
	}
	split = head->len;
	if (words)
		add_u64(head, columns->rows);
	if (dkt_buf_error(head) || (words && dkt_buf_error(words->texts)))
		return -ENOMEM;
	err = add_piece(pieces, head->data, split);
	if (!err && words)
		err = add_piece(pieces, words->texts->data, words->texts->len);
	return err || !words ? err : add_piece(pieces, head->data + split, head->len - split);
}

int columns_pack(struct columns *columns, const struct column_type *types,
		 struct statement_piece **list, size_t *n)
{
	struct pieces pieces = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < columns->n; i++) {
		struct column *column = &columns->list[i];

		if (!i) {
			add_length(column->head, columns->n);
			add_length(column->head, columns->rows);
		}
		err = add_head(&pieces, columns, column, &types[i]);
		if (!err)
			err = add_bytes(&pieces, &column->marks);
		if (!err)
			err = add_bytes(&pieces, &column->values);
	}
	*list = pieces.list;
	*n = pieces.n;
	return err;
}
