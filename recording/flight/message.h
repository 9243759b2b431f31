/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conditions on the text of Lustre's messages: the kernel tests their formats and arguments. */
#pragma once

#include "recording/flight/watch.h"

/* Returns the text of a condition "message TEXT"; NULL: it is another condition. */
const char *flight_message_words(const char *condition);

/*
 * Records the messages that have the words, as dkl_search_new() takes them. The error is in the watch's own
 * context. -ENOENT: Lustre is not loaded, or its messages have no events.
 */
int flight_message_start(struct flight_watch *watch, const char *log, const char *name,
			 const char *words);
