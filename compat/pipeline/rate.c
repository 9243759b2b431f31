/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits the records of a class per second, when they are read. */
#include "compat/pipeline/rate.h"

#include <inttypes.h>

#include "lib/base/parse.h"

static int parse_one(const char *word, size_t len, struct rate *rate)
{
	const char *equals = memchr(word, '=', len);
	int bit = equals ? dkl_mask_bit(MASK_DEBUG, word, (size_t)(equals - word)) : -EINVAL;
	const char *p = equals + 1;
	uint64_t most;

	if (bit < 0 || dkt__take_u64(&p, word + len, DKT__DEC, &most) || p != word + len || !most ||
	    most > UINT32_MAX)
		return -EINVAL;
	rate->limited |= 1u << bit;
	rate->most[bit] = (uint32_t)most;
	return 0;
}

int dkl_rate_parse(const char *text, struct rate *rate, const char **bad)
{
	size_t len;

	*rate = (struct rate){ 0 };
	for (*bad = text;; *bad += len + 1) {
		len = strcspn(*bad, ",");
		if (parse_one(*bad, len, rate))
			return -EINVAL;
		if (!(*bad)[len])
			return 0;
	}
}

bool dkl_rate_takes(struct rate *rate, uint32_t classes, int64_t time)
{
	const int64_t second = time / 1000000000;
	int bit;

	classes &= rate->limited;
	if (!classes)
		return true;
	bit = __builtin_ctz(classes);
	if (rate->second[bit] != second) {
		rate->second[bit] = second;
		rate->seen[bit] = 0;
	}
	if (rate->seen[bit] < rate->most[bit]) {
		rate->seen[bit]++;
		return true;
	}
	rate->dropped++;
	return false;
}

void dkl_rate_report(struct rate *rate, const char *self)
{
	fflush(stdout);
	if (rate->dropped)
		fprintf(stderr, "%s: %" PRIu64 " records dropped by --rate\n", self, rate->dropped);
	rate->dropped = 0;
}
