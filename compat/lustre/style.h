/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tool's styles: the legacy style and the library's, behind one interface. */
#pragma once

#include "compat/lustre/style_legacy.h"
#include "lib/base/guess.h"

struct style;

/* Like dkt_style_get(), with the legacy style first. */
int dkl_style_get(size_t i, struct dkt_style_info *info);

/* Finds a style by name; NULL: the legacy style. -ENOENT: no such style. */
int dkl_style_find(const char *name, struct dkt_style_info *info);

/* Returns "; did you mean NAME?" or "", for an unknown name. */
const char *dkl_style_guess(struct dkt__guess *guess, const char *name);

/*
 * Like dkt_style_new(), but sets opts->text, so that messages have their text. The map and the
 * reader of messages are as for dkl_legacy_style_new(). map NULL: all records belong to the event of
 * dkl_style_own().
 */
int dkl_style_new(struct dkt_ctx *ctx, const struct class_map *map, struct message_reader *messages,
		  const char *name, const struct dkt_style_opts *opts, struct style **style);
void dkl_style_free(struct style *style);

/*
 * Sets the event of Lustre's own records, and how to read them as messages. In the legacy style,
 * line() appends the line of the record that their source returned last. All outlive the style.
 */
void dkl_style_own(struct style *style, const struct dkt_event *event,
		   const struct message *message, void (*line)(void *data, struct dkt_buf *buf),
		   void *data);

bool dkl_style_is_legacy(const struct style *style);

int dkl_style_begin(struct style *style, struct dkt_buf *buf);
int dkl_style_record(struct style *style, const struct dkt_record *record, const char *comm,
		     struct dkt_buf *buf);
int dkl_style_flush(struct style *style, struct dkt_buf *buf);
int dkl_style_end(struct style *style, struct dkt_buf *buf);

/* Returns the object that knows the classes and messages of records; NULL without a map. */
struct legacy_style *dkl_style_legacy(struct style *style);
