/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tool's styles: the legacy style and the library's, behind one interface. */
#pragma once

#include "base/guess.h"
#include "lustre/style_legacy.h"

struct style;

/* As dkt_style_get(), the legacy style first. */
int style_get(size_t i, struct dkt_style_info *info);

/* -ENOENT: there is no style of that name; NULL is the legacy one. */
int style_find(const char *name, struct dkt_style_info *info);

/* For a name that is no style: "; did you mean NAME?" or "". */
const char *style_guess(struct dkt__guess *guess, const char *name);

/*
 * As dkt_style_new(); opts->text is set here, so that messages have their text. The map is resolved
 * and outlives the style. NULL: there are no records but those of style_own().
 */
int style_new(struct dkt_ctx *ctx, const struct class_map *map, const char *name,
	      const struct dkt_style_opts *opts, struct style **style);
void style_free(struct style *style);

/*
 * Records of the event, which no kernel has, are these messages. In the legacy style line() appends the
 * line of the record that its source returned last. All outlive the style.
 */
void style_own(struct style *style, const struct dkt_event *event, const struct message *message,
	       void (*line)(void *data, struct dkt_buf *buf), void *data);

bool style_is_legacy(const struct style *style);

int style_begin(struct style *style, struct dkt_buf *buf);
int style_record(struct style *style, const struct dkt_record *record, const char *comm,
		 struct dkt_buf *buf);
int style_flush(struct style *style, struct dkt_buf *buf);
int style_end(struct style *style, struct dkt_buf *buf);

/* For class bits and messages of records; NULL without a map. */
struct legacy_style *style_legacy(struct style *style);
