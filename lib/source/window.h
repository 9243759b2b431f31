/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests each record against a source's time window, for kinds of sources that cannot seek. */
#pragma once

#include "lib/source.h"

/*
 * Wraps *source in one that returns only the records in the window, and that can seek before it is
 * read. Takes the source over, also when it fails.
 */
int dkt__source_window(const struct dkt_source_opts *opts, struct dkt_source **source);
