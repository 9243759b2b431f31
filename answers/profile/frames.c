/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions that the addresses of call stacks are in. */
#include "answers/profile/frames.h"

#include "lib/inside.h"

/* Addresses that are remembered. */
#define KNOWN_MAX 262144u

void profile_frames_init(struct profile_frames *frames, struct profile_names *names)
{
	*frames = (struct profile_frames){ .names = names, .known.n_words = 2 };
}

void profile_frames_clear(struct profile_frames *frames)
{
	dkt__keymap_clear(&frames->known);
	free(frames->numbers);
}

void profile_frames_forget(struct profile_frames *frames)
{
	profile_frames_clear(frames);
	frames->numbers = NULL;
	frames->n = 0;
}

/* Returns the length of a name without what a text has after it: "+0x2a1f0". */
static size_t before_offset(const char *name)
{
	const char *plus = NULL;

	for (const char *p = name; (p = strstr(p, "+0x")); p++)
		plus = p;
	if (!plus || plus == name)
		return strlen(name);
	return plus[3 + strspn(plus + 3, "0123456789abcdef")] ? strlen(name) :
								(size_t)(plus - name);
}

/*
 * Finds the file in a place of which no function is known: "[libc.so.6]", in a text also "libc.so.6+0x2a1f0", or as
 * the kernel prints it, "/usr/lib/libc.so.6[+0x2a1f0]". Returns its length; 0: it is no such place.
 */
static size_t file_of(const char **name)
{
	const char *slash, *at = strstr(*name, "[+0x");
	size_t len = before_offset(*name);

	if (**name == '[' && len > 2 && (*name)[len - 1] == ']') {
		(*name)++;
		return len - 2;
	}
	if (at && at > *name && at[strlen(at) - 1] == ']')
		len = (size_t)(at - *name);
	else if (!(*name)[len])
		return 0;
	slash = memrchr(*name, '/', len);
	if (slash) {
		len -= (size_t)(slash + 1 - *name);
		*name = slash + 1;
	}
	return len;
}

static uint32_t add_name(struct profile_frames *frames, struct dkt_ctx *ctx, uint64_t address,
			 bool user)
{
	const enum profile_kind kind = user ? PROFILE_USER : PROFILE_KERNEL;
	const char *name = dkt__stack_symbol(ctx, address, user, NULL);
	const char *module = name ? dkt__symbol_module(ctx, address) : NULL;
	const size_t file = name && user && !module ? file_of(&name) : 0;

	if (file)
		return profile_names_unknown(frames->names, kind, name, file);
	if (!name || !*name)
		return profile_names_unknown(frames->names, kind, "", 0);
	return profile_names_add(frames->names, kind, name, strlen(name), module ?: "");
}

uint32_t profile_frames_find(struct profile_frames *frames, struct dkt_ctx *ctx, uint32_t part,
			     uint64_t address, bool user)
{
	const uint64_t key[] = { address, (uint64_t)part << 1 | user };
	uint32_t entry, *number;
	bool added;

	if (frames->known.n >= KNOWN_MAX)
		dkt__keymap_empty(&frames->known);
	entry = dkt__keymap_add(&frames->known, key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return UINT32_MAX;
	number = dkt__reach(frames->numbers, frames->n, entry);
	if (number && added)
		*number = add_name(frames, ctx, address, user);
	if (number && *number != UINT32_MAX)
		return *number;
	dkt__keymap_remove(&frames->known, key);
	return UINT32_MAX;
}
