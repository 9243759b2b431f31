/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What other rooms of the library ask of the event catalogue. */
#ifndef DKT_EVENT_H
#define DKT_EVENT_H

#include "internal.h"

/* The context's handle for parsed formats; NULL when memory is out. */
struct tep_handle *dkt__tep(struct dkt_ctx *ctx);

/* A record's type is 16 bits (common_type). */
#define MAX_ID 65536

/* Events that the records are probably of: their numbers are read first. Takes the array over. */
void dkt__events_likely(struct dkt_ctx *ctx, struct dkt_event **events, size_t n);

/* The event had this number once; it is believed when its format says so too. */
void dkt__event_guess(struct dkt_event *event, int id);

/* The event of the number if that was found out or guessed, without looking. */
struct dkt_event *dkt__event_known(struct dkt_ctx *ctx, int id);

#endif
