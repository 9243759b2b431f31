/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text rwbs in which the kernel's events have the operation and flags of a block request: "FWS". */
#pragma once

#include <string.h>

/*
 * Returns the letter of the operation; 0: none. A read and a write of one sector can be in a device at the
 * same time, so requests are known by it, too. The F of a flush before it can be in one event of a request
 * and not in the other.
 */
static inline unsigned char dkt__rwbs_operation(const char *text, size_t len)
{
	if (!text || !len)
		return 0;
	return (unsigned char)(len > 1 && text[0] == 'F' && text[1] && strchr("RWDN", text[1]) ?
				       text[1] :
				       text[0]);
}
