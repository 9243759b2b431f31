/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A system call as text: "read(3</etc/passwd>, 4096) = 1234". */
#pragma once

#include "answers/strace/calls.h"
#include "answers/strace/descriptors.h"
#include "answers/strace/words.h"

struct call_text {
	const struct descriptors *descriptors; /* NULL: no names */
	enum call_machine machine;
};

/* Appends argument i. Returns false if the text omits it, or 1 beyond the last argument. */
enum call_text_arg { CALL_TEXT_SHOWN, CALL_TEXT_OMITTED, CALL_TEXT_NO_MORE };
enum call_text_arg call_text_arg(const struct call_text *text, const struct call *call,
				 unsigned int i, struct dkt_buf *buf);

/* Appends the name of the call. */
void call_text_name(const struct call *call, struct dkt_buf *buf);

/* Appends all of it. */
void call_text(const struct call_text *text, const struct call *call, struct dkt_buf *buf);
