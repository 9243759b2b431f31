/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers that a print format derives from one field, such as "REC->dev >> 20". */
#pragma once

#include "lib/plan.h"

#define DKT__DERIVED_OPS 8

/* A field and the operations with constants that follow, in their order. */
struct dkt__derived {
	uint32_t offset; /* of the field */
	uint8_t load; /* enum dkt__load */
	struct {
		uint8_t op; /* enum dkt__code_op */
		uint64_t constant;
	} ops[DKT__DERIVED_OPS];
	unsigned int n_ops;
};

/* Reads the value as a derived number; false: it is not derived from one field and constants. */
bool dkt__derived_read(const struct dkt__value *value, struct dkt__derived *derived);

/* Replaces a derived number by its field's; false: an operation cannot be inverted. */
bool dkt__derived_invert(const struct dkt__derived *derived, uint64_t *number);
