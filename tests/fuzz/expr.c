/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes filter expressions: a text up to its NUL, then the bytes of a record to match. */
#include "lib/expr.h"
#include "lib/event.h"
#include "lib/inside.h"
#include "tests/fuzz/replay.h"
#include "tests/helper/made_up.h"

/* The caret is in a line of its own, under the text or right after it. */
static void check_words(const char *words)
{
	const char *caret = strrchr(words, '\n');
	const char *line = caret ? memrchr(words, '\n', (size_t)(caret - words)) : NULL;

	if (strncmp(words, "filter: ", 8) != 0)
		abort();
	if (!line)
		return;
	if (strspn(caret + 1, " ") + 2 != strlen(caret) || !strchr(caret, '^'))
		abort();
	if (strlen(caret) > (size_t)(caret - line) + 1)
		abort();
}

/* The text for the kernel is an expression with the same meaning. */
static void check_text(struct dkt_ctx *ctx, struct dkt_event *event, const char *text,
		       const struct dkt_record *record, bool hit)
{
	char *again = NULL;
	struct dkt_expr *expr;

	if (dkt_expr_new(ctx, text, NULL, &expr)) {
		/* A pattern of the full length has no room for what quotes it. */
		if (!strstr(dkt_error(ctx), "a string of more than"))
			abort();
		return;
	}
	if (dkt_expr_text(expr, event, &again) || strcmp(again, text) != 0 ||
	    dkt_expr_match(expr, record, "dd") != hit)
		abort();
	free(again);
	dkt_expr_free(expr);
}

static void match(struct dkt_ctx *ctx, struct dkt_expr *expr, const uint8_t *data, size_t size)
{
	struct dkt_event event = {
		.ctx = ctx,
		.system = "test",
		.name = "made_up",
	};
	struct dkt_record record = { .event = &event, .size = (uint32_t)size, .cpu = 3 };
	char *text = NULL;
	bool hit;
	int err;

	made_up_event(&event);
	/* On its own, so that no byte follows. */
	record.data = malloc(size ? size : 1);
	if (!record.data)
		return;
	memcpy((void *)record.data, data, size);
	hit = dkt_expr_match(expr, &record, "dd");
	err = dkt_expr_check(expr, &event);
	if (err)
		check_words(dkt_error(ctx));
	if (err && (hit || err == -EOPNOTSUPP))
		abort();
	if (!dkt_expr_text(expr, &event, &text))
		check_text(ctx, &event, text, &record, hit);
	free(text);
	free((void *)record.data);
}

/* The names of variables are single letters; an upper-case one is a string. */
static int variable(void *data, const char *name, const struct dkt_variable **variable)
{
	static const struct dkt_variable number = { .known = true, .number = -2 };
	static const struct dkt_variable text = { .known = true, .text = "dd", .len = 2 };

	if (strlen(name) != 1)
		return dkt_fail(data, -ENOENT, "no variable");
	*variable = *name < 'a' ? &text : &number;
	return 0;
}

static void check_equalities(const struct dkt_expr *expr)
{
	struct dkt__equality equality;

	for (size_t i = 0; !dkt__expr_equality(expr, i, &equality, sizeof(equality)); i++)
		if (!*equality.field || strlen(equality.variable) != 1)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = strnlen((const char *)data, size);
	char *text = strndup((const char *)data, len);
	struct dkt_ctx *ctx = NULL;
	struct dkt_expr *expr;

	if (!text || dkt_ctx_new(NULL, &ctx)) {
		free(text);
		return 0;
	}
	DKT_OPTS(dkt_expr_opts, opts, .variable = variable, .data = ctx);
	if (dkt_expr_new(ctx, text, &opts, &expr)) {
		check_words(dkt_error(ctx));
	} else {
		check_equalities(expr);
		len = len < size ? len + 1 : len;
		match(ctx, expr, data + len, size - len);
	}
	dkt_expr_free(expr);
	dkt_ctx_free(ctx);
	free(text);
	return 0;
}
