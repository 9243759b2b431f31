/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads Lustre's messages about locks, of the class dlmtrace or an error. */
#include "compat/lustre_log/lock_text.h"

static enum lock_step step_of(const struct part *words)
{
	static const struct {
		const char *words;
		enum lock_step step;
	} steps[] = {
		{ "server-side enqueue handler, new lock", LOCK_ENQUEUED },
		{ "client-side enqueue START", LOCK_ENQUEUED },
		{ "client-side local enqueue handler, new lock", LOCK_ENQUEUED },
		{ "server preparing blocking AST", LOCK_BLOCKING },
		{ "client blocking AST callback handler", LOCK_BLOCKING },
		{ "server cancels blocked lock", LOCK_CANCELLED },
		{ "server-side local cancel", LOCK_CANCELLED },
		{ "client-side cancel", LOCK_CANCELLED },
		{ "final lock_put on destroyed lock", LOCK_CANCELLED },
		{ "lock callback timer expired", LOCK_EXPIRED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (part_begins(words, steps[i].words))
			return steps[i].step;
	return LOCK_MENTIONED;
}

/* Takes the text between a label, which can come later, and the next space. */
static void take_label(struct rest rest, const char *label, struct part *part)
{
	const char *space;

	if (!take_to(&rest, label))
		return;
	space = memchr(rest.p, ' ', rest_len(&rest));
	*part = (struct part){ rest.p, space ? (size_t)(space - rest.p) : rest_len(&rest) };
}

/*
 * From 2.16 on a lock on an inode that its host has for itself has "initiator: MDT0" in place of the NID,
 * which was "local" before.
 */
static void take_nid(struct rest rest, struct part *nid)
{
	static const char local[] = "local";

	take_label(rest, " nid: ", nid);
	if (!nid->len && take_to(&rest, " initiator: MDT"))
		*nid = (struct part){ local, sizeof(local) - 1 };
}

/* Takes "bits 0x13/0x0" of an inode, or "[0->4095]" of the bytes of a file. */
static void take_range(struct rest rest, struct lock_range *range)
{
	struct rest bits = rest;

	*range = (struct lock_range){ .to = UINT64_MAX };
	if (take_to(&bits, " bits ") && take_hex(&bits, &range->bits))
		return;
	if (!take_to(&rest, " type: ") || !take_to(&rest, " [") ||
	    !take_number(&rest, &range->from) || !take_word(&rest, "->") ||
	    !take_number(&rest, &range->to))
		*range = (struct lock_range){ .to = UINT64_MAX };
}

bool dkl_lock_text_read(const char *text, size_t len, struct lock_text *lock)
{
	struct rest rest = { text, text + len };
	struct part number = { 0 }, pid = { 0 };
	uint64_t address, value;

	*lock = (struct lock_text){ .range.to = UINT64_MAX };
	if (!take_word(&rest, "### "))
		return false;
	lock->words.p = rest.p;
	if (!take_to(&rest, " ns: "))
		return false;
	lock->words.len = (size_t)(rest.p - lock->words.p) - strlen(" ns: ");
	if (!take_until(&rest, ' ', &lock->ns) || !take_word(&rest, "lock: ") ||
	    !take_hex(&rest, &address) || !take_word(&rest, "/") || !take_hex(&rest, &lock->handle))
		return false;
	lock->step = step_of(&lock->words);
	if (!take_to(&rest, " mode: ") || !take_until(&rest, '/', &lock->granted) ||
	    !take_until(&rest, ' ', &lock->wanted))
		return true;
	take_range(rest, &lock->range);
	take_label(rest, "res: ", &lock->res);
	take_nid(rest, &lock->nid);
	take_label(rest, " remote: ", &number);
	/* A lock of flock(2) has the PID of its owner before. */
	take_label(rest, " pid: ", &pid);
	rest = (struct rest){ number.p, number.p + number.len };
	if (number.len && !take_hex(&rest, &lock->remote))
		lock->remote = 0;
	rest = (struct rest){ pid.p, pid.p + pid.len };
	if (pid.len && take_number(&rest, &value))
		lock->pid = (uint32_t)value;
	return true;
}

bool dkl_lock_text_wanted(const char *text)
{
	return !strncmp(text, "### ", 4);
}
