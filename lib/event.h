/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What other rooms of the library ask of the event catalogue. */
#ifndef DKT_EVENT_H
#define DKT_EVENT_H

#include "internal.h"

/* The context's handle for parsed formats; NULL when memory is out. */
struct tep_handle *dkt__tep(struct dkt_ctx *ctx);

#endif
