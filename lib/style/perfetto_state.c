/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encodes prev_state of sched_switch as Perfetto decodes it: by the kernel's release, see its
 * src/trace_processor/types/task_state.cc. Patched kernels, and files that do not name their
 * kernel, use other bits; the event's print format gives their meaning.
 */
#include <ctype.h>

#include "lib/base/parse.h"
#include "lib/style/perfetto.h"

/* Since Linux 4.14 */
#define PARKED 0x40
#define IDLE   0x80
#define PLUS   0x100

/* Older kernels, such as 4.4: an idle thread is uninterruptible and not counted as load. */
#define UNINTERRUPTIBLE 2
#define OLD_PARKED      0x200
#define OLD_NO_LOAD     0x400
#define OLD_PLUS        0x800

/* Since Linux 4.8 */
#define NEW_PLUS 0x1000

/* These bits are the same in all kernels, except that older ones swap the last two. */
#define SAME   0x3f
#define DEAD   0x10
#define ZOMBIE 0x20

/* Finds the bit printed as "+": the thread was preempted and can still run. */
static uint32_t find_plus(const char *print, uint32_t otherwise)
{
	const char *at = strstr(print, " ? \"+\""), *p;
	uint64_t bit = 0;

	if (at && at > print && at[-1] == ')')
		at--;
	for (p = at; p && p > print && isalnum((unsigned char)p[-1]);)
		p--;
	at = p;
	if (p)
		dkt__take_u64(&p, NULL, DKT__AS_C, &bit);
	return p != at && bit > SAME && bit <= UINT32_MAX ? (uint32_t)bit : otherwise;
}

static uint32_t release_of(const char *kernel)
{
	unsigned int major = 0, minor = 0;

	if (!kernel || sscanf(kernel, "%u.%u", &major, &minor) != 2)
		return 0;
	return DKT__MIN(major, 999U) * 1000 + DKT__MIN(minor, 999U);
}

void dkt__task_states(struct task_states *states, const char *print, const char *kernel)
{
	uint32_t release = release_of(kernel);

	*states = (struct task_states){ .to_new = release >= 4014 };
	states->is_new = strstr(print, "\"I\"");
	states->is_swapped = strstr(print, "16, \"Z\"");
	states->plus = find_plus(print, states->is_new ? PLUS : OLD_PLUS);
	states->to_plus = release >= 4014 ? PLUS : release >= 4008 ? NEW_PLUS : OLD_PLUS;
}

uint64_t dkt__task_state(const struct task_states *states, uint64_t v)
{
	uint64_t same = v & SAME, rest = v & ~(uint64_t)(SAME | states->plus);

	if (states->is_swapped)
		same = (same & ~(uint64_t)(DEAD | ZOMBIE)) | (v & DEAD ? ZOMBIE : 0) |
		       (v & ZOMBIE ? DEAD : 0);
	if (states->is_new && !states->to_new) {
		same |= rest & IDLE ? UNINTERRUPTIBLE : 0;
		rest = (rest & PARKED ? OLD_PARKED : 0) | (rest & IDLE ? OLD_NO_LOAD : 0);
	} else if (!states->is_new && states->to_new) {
		rest = rest & OLD_PARKED ? PARKED : 0;
	}
	return same | rest | (v & states->plus ? states->to_plus : 0);
}
