/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time of day by which old files are deleted. */
#include "recording/record/age.h"

#include "lib/base/util.h"
#include "lib/base/when.h"
#include "recording/record/service.h"

/* A smaller change is the work of a program that keeps the clock right. */
#define STEP (60 * DKT__NSEC_PER_SEC)

/* How long a step forwards must last. */
#define LASTING (UINT64_C(86400) * DKT__NSEC_PER_SEC)

int64_t age_at(struct age_clock *clock, int64_t wall, uint64_t boot)
{
	const int64_t offset = wall - (int64_t)boot;

	if (!clock->known)
		*clock = (struct age_clock){ .known = true, .offset = offset, .trusted = offset };
	if (offset - clock->offset > STEP || clock->offset - offset > STEP)
		clock->stepped = boot;
	clock->offset = offset;
	if (offset - clock->trusted <= STEP || boot - clock->stepped >= LASTING)
		clock->trusted = offset;
	return clock->trusted + (int64_t)boot;
}

int64_t age_now(struct age_clock *clock)
{
	return age_at(clock, dkt__wall_ns(), service_now());
}
