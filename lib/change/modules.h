/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits a function tracer to all functions of some modules. */
#pragma once

#include "lib/change/tracer.h"

/* Limits the instance, which has no limit yet, to the functions of the tracer's modules. */
int dkt__modules_write(struct dkt_instance *in, const struct dkt__tracer *tracer);

/* True if the instance is limited to these modules. Ignores commands that wait for a module. */
bool dkt__modules_are_set(struct dkt_instance *in, const struct dkt__tracer *tracer);
