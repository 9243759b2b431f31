/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splits a statement into tokens, as the lexer of libtracefs does (src/sqlhist.l). */
#include <ctype.h>
#include <limits.h>

#include "lib/base/parse.h"
#include "lib/expr.h"
#include "lib/synth_sql/sql.h"

static const struct {
	const char *word;
	enum sql_kind kind;
} keywords[] = {
	{ "select", SQL_SELECT }, { "as", SQL_AS }, { "from", SQL_FROM },
	{ "join", SQL_JOIN },     { "on", SQL_ON }, { "where", SQL_WHERE },
	{ "cast", SQL_CAST },
};

bool dkt__sql_is(const struct sql *sql, const struct sql_token *token, const char *word)
{
	return token->len == strlen(word) && !strncasecmp(sql->text + token->at, word, token->len);
}

bool dkt__sql_same(const struct sql *sql, const struct sql_token *a, const struct sql_token *b)
{
	return a->len == b->len && !memcmp(sql->text + a->at, sql->text + b->at, a->len);
}

static bool is_name(char c)
{
	return dkt__in_name(c) || c == '.';
}

/* A backslash before a keyword turns it into a name, without the backslash. */
static void scan_name(struct sql *sql, struct sql_token *token)
{
	static const char offset[] = "sym-offset";
	const char *p = sql->text + token->at;

	token->kind = SQL_FIELD;
	if (*p == '\\')
		token->at++;
	while (is_name(sql->text[token->at + token->len]))
		token->len++;
	if (!strncasecmp(p, offset, strlen(offset)) && !is_name(p[strlen(offset)]))
		token->len = strlen(offset);
	for (size_t i = 0; *p != '\\' && i < ARRAY_SIZE(keywords); i++)
		if (dkt__sql_is(sql, token, keywords[i].word))
			token->kind = keywords[i].kind;
}

/* libtracefs reads "12ab" as 12, "010" as 8, and a number that is too large as the largest. */
static int scan_number(struct sql *sql, struct sql_token *token)
{
	const char *p = sql->text + token->at;
	bool hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
	const char *end = p;
	int64_t value;
	int err;

	token->kind = SQL_NUMBER;
	while (is_name(p[token->len]))
		token->len++;
	err = dkt__take_s64(&end, NULL, DKT__AS_C, &value);
	if (end != p + token->len || (p[0] == '0' && token->len > 1 && !hex))
		return dkt__sql_fail(sql, token, "'%.*s' is not a number", SQL_TEXT(sql, token));
	if (err)
		return dkt__sql_fail(sql, token, "the number is too large");
	return 0;
}

static int scan_string(struct sql *sql, struct sql_token *token)
{
	const char *p = sql->text + token->at, *end = strchr(p + 1, '"');

	token->kind = SQL_STRING;
	if (!end)
		return dkt__sql_fail(sql, token, "the string has no end");
	token->len = (size_t)(end - p) + 1;
	return 0;
}

static int scan_one(struct sql *sql, struct sql_token *token)
{
	static const char *const two[] = { "!=", "<=", ">=", "==", "&&", "||" };
	const char *p = sql->text + token->at;

	if (isdigit((unsigned char)*p))
		return scan_number(sql, token);
	if (*p == '"')
		return scan_string(sql, token);
	if (isalpha((unsigned char)*p) || *p == '_' ||
	    (*p == '\\' && (isalpha((unsigned char)p[1]) || p[1] == '_'))) {
		scan_name(sql, token);
		return 0;
	}
	token->kind = SQL_MARK;
	for (size_t i = 0; i < ARRAY_SIZE(two); i++)
		if (!strncmp(p, two[i], 2))
			token->len = 2;
	if (!token->len && strchr("<>&~!()-+*/,=", *p))
		token->len = 1;
	if (!token->len)
		return dkt__sql_fail(sql, token, "this character has no meaning here");
	return 0;
}

/* libtracefs counts places by line. With one line, the places of tokens are those of the text. */
static int make_one_line(struct sql *sql)
{
	struct sql_token token = { 0 };
	bool quoted = false;

	for (; sql->text[token.at]; token.at++) {
		char *c = &sql->text[token.at];

		quoted ^= *c == '"';
		if (!quoted && strchr("\t\n\r", *c))
			*c = ' ';
		if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e)
			return dkt__sql_fail(sql, &token, "only printable ASCII is allowed");
	}
	return 0;
}

int dkt__sql_scan(struct sql *sql)
{
	size_t len = strlen(sql->text), at = 0;
	int err = make_one_line(sql);

	if (err)
		return err;
	sql->tokens = calloc(len + 1, sizeof(*sql->tokens));
	if (!sql->tokens)
		return dkt__no_memory(sql->ctx);
	for (;;) {
		struct sql_token *token = &sql->tokens[sql->n_tokens++];

		at += strspn(sql->text + at, " ");
		token->at = at;
		if (!sql->text[at])
			return 0;
		err = scan_one(sql, token);
		if (err)
			return err;
		at = token->at + token->len;
	}
}
