/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the messages of Lustre's client about a call of a program, of the class vfstrace or iotrace. */
#pragma once

#include "compat/lustre_log/take.h"

struct call_text {
	bool ends; /* otherwise it begins */
	bool paired; /* Lustre writes a message at the end of such a call */
	struct part name; /* of the file, without its directories; empty: not told */
	struct part fid; /* of the file or its directory, in brackets; empty: not told */
};

/* Reads a text. Returns false if it does not begin or end a call. */
bool dkl_call_text_read(const char *text, size_t len, struct call_text *call);

/* True for the message of the class trace that the function which writes it returns. */
bool dkl_call_text_leaves(const char *text, size_t len);

/* Returns a word for users of the function that wrote the message: "open", for ll_file_open. */
struct part dkl_call_name(struct part function);

/* True if the function is called by one that has told of the same call, with the name outer. */
bool dkl_call_is_inner(struct part function, const char *outer);
