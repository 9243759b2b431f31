/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the definitions of periods: each that is read has its parts, and an error has a message. */
#include "answers/analyze/period_def.h"

#include <string.h>

#include "tests/fuzz/replay.h"

static void check_def(const struct period_def *def, const struct period_defs *defs, size_t nr)
{
	bool known = !def->parent;

	must(*def->name && def->begin.n && def->end.n && def->n_columns <= PERIOD_COLUMNS);
	for (size_t i = 0; i < nr; i++) {
		known |= defs->list[i] == def->parent;
		must(strcmp(defs->list[i]->name, def->name) != 0);
	}
	must(known);
	for (size_t i = 0; i < def->n_columns; i++) {
		const struct period_column *column = &def->columns[i];

		must(*column->key);
		if (column->side == PERIOD_END)
			must(column->field < def->end_fields.n);
		else
			must(column->field <
			     (column->side == PERIOD_BEGIN ? def : def->parent)->n_fields);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct period_defs defs = { 0 };
	struct dkt_ctx *ctx;

	must(text);
	must(!dkt_ctx_new(NULL, &ctx));
	if (period_defs_read(ctx, text, &defs))
		must(!strncmp(dkt_error(ctx), "--period: ", 10));
	else
		for (size_t i = 0; i < defs.n; i++)
			check_def(defs.list[i], &defs, i);
	period_defs_clear(&defs);
	dkt_ctx_free(ctx);
	free(text);
	return 0;
}
