/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of 64 bits without a sign in JSON. json-c knows them since its version 0.14. */
#pragma once

#include <inttypes.h>
#include <json.h>
#include <stdio.h>
#include <stdlib.h>

#if JSON_C_VERSION_NUM >= (14 << 8)

static inline struct json_object *dkt__json_u64(uint64_t number)
{
	return json_object_new_uint64(number);
}

static inline uint64_t dkt__json_get_u64(const struct json_object *object)
{
	return json_object_get_uint64(object);
}

#else

/* A number that is too large for a sign keeps its digits, and is of the type double. */
static inline struct json_object *dkt__json_u64(uint64_t number)
{
	char digits[24];

	if (number <= INT64_MAX)
		return json_object_new_int64((int64_t)number);
	snprintf(digits, sizeof(digits), "%" PRIu64, number);
	return json_object_new_double_s((double)number, digits);
}

static inline uint64_t dkt__json_get_u64(const struct json_object *object)
{
	struct json_object *it = (struct json_object *)(uintptr_t)object;
	int64_t number = json_object_get_int64(it);

	if (json_object_is_type(it, json_type_double) && json_object_get_double(it) >= 0x1p63)
		return strtoull(json_object_get_string(it), NULL, 10);
	return number < 0 ? 0 : (uint64_t)number;
}

#endif
