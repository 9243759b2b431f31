/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes at the return of functions, which record only the return value. */
#pragma once

#include <dktrace/dktrace.h>

/* Whether the event is one: the fields that have its function's address and what it returned. */
bool return_probe(struct dkt_event *event, const struct dkt_field **function,
		  const struct dkt_field **value);
