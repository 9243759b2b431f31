/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thing that messages are about: a FID, a NID, an XID, a thread, or any word. */
#pragma once

#include "compat/lustre_log/line.h"
#include "lib/base/keymap.h"

enum thing_kind {
	THING_FID,
	THING_NID,
	THING_XID,
	THING_PID, /* or another number, such as that of a job */
	THING_WORD, /* the name of a thread, or another word */
};

struct thing {
	enum thing_kind kind;
	char *text; /* as messages have it */
	size_t len;
	int32_t pid;
	struct dkt__keymap threads; /* of a word that names them: host, PID */
};

/*
 * Reads "[0x200000401:0x5:0x0]" or "0x200000401:0x5:0x0", "12345-10.0.0.1@tcp" or "10.0.0.1@tcp0", "x178..." or
 * a long number, a short number for a PID or a job, or a word. -EINVAL: the text is empty. -ENOMEM.
 */
int dkl_thing_read(struct thing *thing, const char *text);
void dkl_thing_clear(struct thing *thing);

/* For a word: learns from the line the threads of this name. */
int dkl_thing_learn(struct thing *thing, const struct log_line *line);

/* True if the line is about the thing. */
bool dkl_thing_is_in(const struct thing *thing, const struct log_line *line);
