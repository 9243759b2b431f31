/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes at the return of functions, which record only the return value. */
#pragma once

#include <dktrace/dktrace.h>

/*
 * True if the event is such a probe; gets the fields with the function's address and return value.
 */
bool dkl_return_probe(struct dkt_event *event, const struct dkt_field **function,
		      const struct dkt_field **value);
