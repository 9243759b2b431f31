/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inverts the operations by which a print format derives a number from a field. */
#include "lib/plan/derived.h"

static bool add_op(struct dkt__derived *derived, uint8_t op, uint64_t constant)
{
	if (derived->n_ops == DKT__DERIVED_OPS)
		return false;
	derived->ops[derived->n_ops].op = op;
	derived->ops[derived->n_ops++].constant = constant;
	return true;
}

bool dkt__derived_read(const struct dkt__value *value, struct dkt__derived *derived)
{
	const struct dkt__code *code, *end;

	*derived = (struct dkt__derived){ .offset = value->offset, .load = value->load };
	if (value->load != DKT__LOAD_CODE)
		return value->load != DKT__LOAD_CONST;
	code = value->code;
	end = code + value->n_code;
	if (code->op != DKT__CODE_LOAD)
		return false;
	derived->offset = code->bytes.offset;
	derived->load = code->load;
	/* The compiler folds constants, so each of them is followed by its operation. */
	for (code++; code < end; code++) {
		if (code->op == DKT__CODE_CAST || code->op == DKT__CODE_BOOL)
			continue;
		if (code->op != DKT__CODE_CONST || code + 1 == end)
			return false;
		code++;
		if (!add_op(derived, code->op, code[-1].value))
			return false;
	}
	return true;
}

bool dkt__derived_invert(const struct dkt__derived *derived, uint64_t *number)
{
	for (unsigned int i = derived->n_ops; i--;) {
		uint64_t constant = derived->ops[i].constant;

		switch (derived->ops[i].op) {
		case DKT__CODE_ADD:
			*number -= constant;
			break;
		case DKT__CODE_SUB:
			*number += constant;
			break;
		case DKT__CODE_AND:
			*number &= constant;
			break;
		case DKT__CODE_SHL:
			*number >>= constant & 63;
			break;
		case DKT__CODE_SHR:
		case DKT__CODE_SHR_SIGNED:
			*number <<= constant & 63;
			break;
		case DKT__CODE_MUL:
			*number = constant ? *number / constant : 0;
			break;
		case DKT__CODE_DIV:
		case DKT__CODE_DIV_SIGNED:
			*number *= constant;
			break;
		default:
			return false;
		}
	}
	return true;
}
