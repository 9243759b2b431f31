/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits a function tracer to all functions of some modules. */
#pragma once

#include "change/tracer.h"

/* Limits the instance, which is limited to nothing yet, to the functions of the tracer's modules. */
int dkt__modules_write(struct dkt_instance *in, const struct dkt__tracer *tracer);

/* Whether it is limited to them. Commands that wait for a module are no functions. */
bool dkt__modules_are_set(struct dkt_instance *in, const struct dkt__tracer *tracer);

/* Whether all functions are traced; the first line says it. A kernel without filter has no limit. */
bool dkt__functions_unlimited(struct dkt_instance *in);
