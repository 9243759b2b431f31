/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The readers of Lustre's messages, one for each file of a pipeline. */
#pragma once

#include "compat/lustre_log/line.h"
#include "compat/pipeline/pipeline.h"

struct line_readers {
	struct line_reader **of; /* by part of the pipeline */
	size_t n;
};

/* Clear them in either case. */
int dkl_line_readers_init(struct line_readers *readers, const struct pipeline *line);
void dkl_line_readers_clear(struct line_readers *readers);
