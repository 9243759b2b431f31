/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions that the addresses of call stacks are in. */
#pragma once

#include <dktrace/dktrace.h>

#include "answers/profile/names.h"

struct profile_frames {
	struct profile_names *names;
	struct dkt__keymap known; /* addresses */
	uint32_t *numbers; /* of the names, by entry of known */
	uint32_t n;
};

void profile_frames_init(struct profile_frames *frames, struct profile_names *names);
void profile_frames_clear(struct profile_frames *frames);

/* Forgets the addresses: those that follow are of other kernels and programs. */
void profile_frames_forget(struct profile_frames *frames);

/*
 * Returns the name of the function that contains the address; ctx: of the kernel that recorded it, which is
 * number part. UINT32_MAX: memory is out.
 */
uint32_t profile_frames_find(struct profile_frames *frames, struct dkt_ctx *ctx, uint32_t part,
			     uint64_t address, bool user);
