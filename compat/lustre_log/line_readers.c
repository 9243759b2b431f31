/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The readers of Lustre's messages, one for each file of a pipeline. */
#include "compat/lustre_log/line_readers.h"

#include "compat/lustre/log_source.h"
#include "lib/base/memory.h"

int dkl_line_readers_init(struct line_readers *readers, const struct pipeline *line)
{
	int err = 0;

	*readers = (struct line_readers){ .of = calloc(line->n, sizeof(*readers->of)) };
	if (!readers->of)
		return dkt__no_memory(line->ctx);
	for (size_t i = 0; !err && i < line->n; i++) {
		err = dkl_line_reader_new(line->parts[i].ctx, (uint32_t)i,
					  dkl_log_source_is(line->parts[i].source),
					  &readers->of[i]);
		readers->n = i + 1;
	}
	return err;
}

void dkl_line_readers_clear(struct line_readers *readers)
{
	for (size_t i = 0; i < readers->n; i++)
		dkl_line_reader_free(readers->of[i]);
	free(readers->of);
	*readers = (struct line_readers){ 0 };
}
