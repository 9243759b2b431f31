/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests whether a probe's text and a message that Lustre recorded can be the same message. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* text: from the probe, whose unknown parts match anything; whole: from Lustre. */
bool dkl_message_fits(const char *text, size_t len, const char *whole, size_t whole_len);
